//go:build long

package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// typedWords are words of shops, as documents and queries have them: with hyphens, as parts of identifiers, in several forms, as beginnings of each other.
var typedWords = strings.Fields(`usb cable black river rivers colour color walking walks analyses analysis run running runs hat hats t shirt wi fi
	mountain houses house hous running-shoe usb-cable t-shirt x-ray state-of-the-art xr500 500 50 l5-20p`)

// someTyped returns n words, the first ones of typedWords most often. Some are repeated as often as postings do not count any more.
func someTyped(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = typedWords[int(float64(len(typedWords))*r.Float64()*r.Float64())]
		if r.IntN(30) == 0 {
			list[i] = strings.TrimSpace(strings.Repeat(list[i]+" ", []int{3, 30, 100, 249, 250, 255, 300}[r.IntN(7)]))
		}
	}
	return strings.Join(list, " ")
}

func someTypedDocument(r *rand.Rand) map[string]any {
	d := map[string]any{"title": someTyped(r, 1+r.IntN(3)), "text": someTyped(r, r.IntN(20)), "price": r.IntN(50), "year": 2000 + r.IntN(4)}
	values := map[string]any{
		"author": someTyped(r, 1+r.IntN(2)), "code": someTyped(r, 1), "tags": []string{someTyped(r, 1), someTyped(r, 2)}, "brand": someTyped(r, 1),
		"shelf": someTyped(r, 1) + " > " + someTyped(r, 1), "path": "/" + someTyped(r, 1) + "/" + someTyped(r, 1), "num": r.IntN(600),
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if r.IntN(2) == 0 {
			d[name] = values[name]
		}
	}
	if r.IntN(5) == 0 {
		d["boost"] = []float64{1e-12, 0.5, 2, 3.25, 1000, 1.0000000001, 0.99999999}[r.IntN(7)]
	}
	return d
}

// someTypedQuery returns up to three words: begun, misspelled, hyphenated, in quotes or joined by OR.
func someTypedQuery(r *rand.Rand) string {
	words := make([]string, 1+r.IntN(3))
	for i := range words {
		w, _, _ := strings.Cut(someTyped(r, 1), " ")
		switch r.IntN(12) {
		case 0:
			w = `"` + w + " " + typedWords[r.IntN(len(typedWords))] + `"`
		case 1, 2:
			w += " OR " + typedWords[r.IntN(12)]
		case 3:
			w = w[:1+r.IntN(len(w))]
		case 4:
			if len(w) > 4 {
				w = w[:2] + w[3:]
			}
		case 5:
			w += "-" + typedWords[r.IntN(8)]
		}
		words[i] = w
	}
	return strings.Join(words, " ") + strings.Repeat(" ", r.IntN(2))
}

// Searches for words as people type them are answered alike from postings and by the plain statement, page by page, for blocks of several sizes, and
// where few lexemes have postings. As in all such tests, the service compares both ways itself.
func TestTypedWordsFromPostings(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			typedWordsFromPostings(t, seed)
		})
	}
}

func typedWordsFromPostings(t *testing.T, seed uint64) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 99))
	st, checked, svc := newChecked(t, 6, 15, 40)
	st.SizeBlocks([]int{64, 128, 1024}[seed%3])
	if seed%2 == 1 {
		st.KeepLexemes(60)
	}
	if err := svc.CreateIndex(ctx, "demo", "things", []mapping.Mapping{
		{Name: "title", Type: mapping.Sentence}, {Name: "text", Type: mapping.LongText}, {Name: "author", Type: mapping.Name}, {Name: "code", Type: mapping.Identifier},
		{Name: "tags", Type: mapping.Tags}, {Name: "brand", Type: mapping.Keyword}, {Name: "shelf", Type: mapping.Category}, {Name: "path", Type: mapping.Path},
		{Name: "num", Type: mapping.SearchableNumber}, {Name: "price", Type: mapping.Price}, {Name: "year", Type: mapping.Int},
	}); err != nil {
		t.Fatal(err)
	}
	write := func(n int) {
		actions := make([]map[string]any, n)
		for i := range actions {
			actions[i] = map[string]any{"action": "upsert", "_id": fmt.Sprint(r.IntN(500)), "body": someTypedDocument(r)}
			if r.IntN(12) == 0 {
				actions[i] = map[string]any{"action": "delete", "_id": actions[i]["_id"]}
			}
		}
		body, err := json.Marshal(actions)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := svc.WriteBatch(ctx, "demo", "things", body); err != nil {
			t.Fatal(err)
		}
		if err := st.Settle(ctx, things(t, st)); err != nil {
			t.Fatal(err)
		}
	}
	build := func() {
		if err := buildPostings(ctx, st, 100); err != nil {
			t.Fatal(err)
		}
	}
	withSynonyms(t, svc, "things", map[string][]string{"from": {"usb cable"}, "to": {"hat"}}, map[string][]string{"from": {"shirt"}, "to": {"colour", "hat black"}})
	for name, fields := range map[string]map[string]float64{"titles": {"title": 3}, "codes": {"code": 2, "title": 1}, "some": {"author": 1, "text": 0.01, "brand": 100}} {
		if _, err := svc.PutSearch(ctx, "demo", service.SearchDefinition{Name: name, Index: "things", Fields: fields}); err != nil {
			t.Fatal(err)
		}
	}
	write(500)
	build()
	for i := range 200 {
		size := []int{1, 3, 10}[r.IntN(3)]
		req := service.SearchRequest{Query: someTypedQuery(r), PerPage: &size, Match: []service.Match{service.MatchAll, service.MatchAuto, service.MatchAny}[r.IntN(3)]}
		if r.IntN(4) == 0 {
			req.Filter.Raw = []byte([]string{`"price > 20"`, `"year = 2001"`, `"brand EXISTS"`}[r.IntN(3)])
		}
		target := []string{"things", "things", "titles", "codes", "some"}[r.IntN(5)]
		for range 7 {
			resp, err := svc.Search(ctx, demo, target, req)
			if err != nil {
				t.Fatalf("%q: %v", req.Query, err)
			}
			if req.Cursor = resp.Cursor; req.Cursor == "" {
				break
			}
		}
		if i%25 == 24 {
			write(r.IntN(15))
			if r.IntN(2) == 0 {
				build()
			}
		}
	}
	if n := checked.accelerated.Load(); n < 100 {
		t.Errorf("%d pages were answered from postings, want more", n)
	}
}
