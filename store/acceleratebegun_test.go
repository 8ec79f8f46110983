package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// manyBeginnings writes documents with words that all begin with 2. Few of these have postings; documents have them with other words or alone.
func manyBeginnings(t *testing.T) (*bothWays, *service.Service) {
	t.Helper()
	ctx := context.Background()
	st, checked, svc := newChecked(t, 6, 20, 100)
	if err := svc.CreateIndex(ctx, "demo", "things", []mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "text", Type: mapping.LongText}, {Name: "brand", Type: mapping.Keyword}}); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	var actions []string
	for i := range 400 {
		title, text := someWords(r, 1+r.IntN(3)), someWords(r, r.IntN(20))
		switch r.IntN(4) {
		case 0:
			title += fmt.Sprint(" ", 20+r.IntN(3))
		case 1:
			text += fmt.Sprint(" ", 2000+i)
		case 2:
			text += fmt.Sprint(" ", 20+r.IntN(3), " ", 2000+i, " ", 2500+i)
		}
		if i%10 == 0 {
			title += " lantern"
		}
		raw, err := json.Marshal(map[string]any{"title": title, "text": text, "brand": []string{"Acme", "Zeta", "Über"}[i%3]})
		if err != nil {
			t.Fatal(err)
		}
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":%s}`, i, raw))
	}
	write := func(actions []string) {
		if _, err := svc.WriteBatch(ctx, "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
			t.Fatal(err)
		}
	}
	write(actions)
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	write([]string{actions[3], strings.Replace(actions[7], `"title":"`, `"title":"2999 lantern `, 1)}) // changed since their blocks were built
	return checked, svc
}

// A prefix is answered from postings, alone and with other words, in all fields and in some, as by the plain statement.
func TestBeginningsBesideOtherWords(t *testing.T) {
	t.Parallel()
	checked, svc := manyBeginnings(t)
	for name, field := range map[string]string{"titles": "title", "texts": "text"} {
		if _, err := svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: name, Index: "things", Fields: map[string]float64{field: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		target  string
		queries []string
	}{
		{"things", []string{"2", "20", "200", "lantern 2", "lantern stone 2", "lantern river 20", "lantern silver 25"}},
		{"titles", []string{"2", "20", "lantern 2", "lantern stone 2"}},
		{"texts", []string{"2", "20", "200", "25", "stone 2", "river 20"}},
	} {
		for _, q := range test.queries {
			searchBeginning(t, checked, svc, test.target, q)
		}
	}
}

// searchBeginning searches with each match mode and several filters, and for any word from postings.
func searchBeginning(t *testing.T, checked *bothWays, svc *service.Service, target, q string) {
	t.Helper()
	facets := "brand"
	for _, match := range []service.Match{service.MatchAny, service.MatchAll, service.MatchAuto} {
		for _, filter := range []string{`null`, `"brand = acme"`, `"NOT brand = zeta"`} {
			before, size := checked.accelerated.Load(), 5
			req := service.SearchRequest{Query: q, Match: match, PerPage: &size}
			req.Filter.Raw, req.Facets.Expression = json.RawMessage(filter), &facets
			if _, err := svc.Search(t.Context(), service.Principal{Application: "demo"}, target, req); err != nil {
				t.Fatal(err)
			}
			if match == service.MatchAny && checked.accelerated.Load() == before {
				t.Errorf("%s in %s, filter %s: the plain statement answers", q, target, filter)
			}
		}
	}
}

// How often a document has a prefix is known, for lexemes with and without postings: so bounds are scores.
func TestBoundsOfBeginnings(t *testing.T) {
	t.Parallel()
	checked, _ := manyBeginnings(t)
	close := 0
	svc := service.New(planned{checked.Store, func(p *service.Plan) {
		bounds, err := checked.Bounds(t.Context(), p)
		if err != nil || bounds == nil {
			t.Fatalf("no bounds: %v", err)
		}
		found, err := checked.Store.Search(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found.Hits {
			bound, score := float64(bounds[h.Document.ID]), h.Score
			if found.Match == service.MatchAny && *h.Place[0] == "true" {
				score += 1 << 14 // they come first
			}
			switch {
			case bound < score:
				t.Errorf("%s: the score of %s is %g, its bound %g", p.Terms[0].Text, h.Document.ID, score, bound)
			case bound == math.MaxFloat32:
			case bound > (1+3e-5)*score:
				t.Errorf("%s: the bound %g of %s is above the score %g", p.Terms[0].Text, bound, h.Document.ID, score)
			case strings.Contains(string(h.Document.Body), " 2"):
				close++
			}
		}
	}}, service.Config{})
	size := 1000
	for _, q := range []string{"2", "20", "lantern stone 2"} {
		if _, err := svc.Search(t.Context(), service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: q, PerPage: &size, Match: service.MatchAny}); err != nil {
			t.Fatal(err)
		}
	}
	if close < 300 {
		t.Errorf("%d documents with the beginning were found, want more", close)
	}
}

// How many documents have a prefix is counted from postings, too.
func TestBeginningsAreCounted(t *testing.T) {
	t.Parallel()
	checked, filled := manyBeginnings(t)
	if err := buildPostings(t.Context(), checked.Store, 100); err != nil {
		t.Fatal(err)
	}
	counted := 0
	svc := service.New(planned{checked.Store, func(p *service.Plan) {
		postings, table, err := checked.CountBothWays(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range postings {
			if n <= 0 {
				continue // blocks cannot tell
			}
			counted++
			if n != table[i] {
				t.Errorf("%s: %d documents in the postings, %d in the table", p.Terms[i].Text, n, table[i])
			}
		}
	}}, service.Config{})
	for _, q := range []string{"2", "20", "lantern 2", "2015"} {
		if _, err := svc.Search(t.Context(), service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: q}); err != nil {
			t.Fatal(err)
		}
	}
	if counted < 3 {
		t.Errorf("%d terms were counted from postings, want more", counted)
	}
	checked.KeepBeginnings(3)
	ix, err := checked.CurrentIndex(t.Context(), "demo", "things")
	if err == nil {
		err = checked.StopAccelerating(t.Context(), ix)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := buildPostings(t.Context(), checked.Store, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Search(t.Context(), service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: "20"}); err != nil {
		t.Fatal(err)
	}
	if resp, err := filled.Search(t.Context(), service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: "2"}); err != nil || resp.Total < 300 {
		t.Errorf("where blocks do not tell, %d documents are found, %v", resp.Total, err)
	}
}

// If a block has more lexemes without postings than are kept, the plain statement finds prefixes. Whole words are still answered from postings.
func TestBlocksOfTooManyBeginnings(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSite(t)
	s.AccelerateSmall(30)
	s.create(t, "things", "title sentence")
	s.many(t, "things", 200, func(i int) string {
		river := i
		if i < 100 {
			river = i % 5 // these have postings
		}
		return fmt.Sprintf(`{"title":"stone%d stones river%d"}`, i%9, river)
	})
	asked := 0
	found := func() (list []string) {
		asked++ // an identical search would be answered from memory
		for _, q := range []string{"sto", "riv", "stones riv", "stones "} {
			list = append(list, s.found(t, "things", forWords(strings.Repeat(" ", asked)+q)))
		}
		return list
	}
	s.buildPostings(t)
	want := found()
	s.KeepBeginnings(3)
	if err := s.StopAccelerating(ctx, s.current(t, "things")); err != nil {
		t.Fatal(err)
	}
	s.buildPostings(t)
	if n := counts(t, s.db, "SELECT 'rows', count(*) FROM app_demo_derived.things_postings WHERE lexeme = chr(4)"); n["rows"] == 0 {
		t.Fatal("no block has too many")
	}
	for range 4 { // the last ones ahead of their snapshots where possible
		if diff := cmp.Diff(want, found()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}
