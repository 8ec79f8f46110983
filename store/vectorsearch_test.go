package store_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// rankedBothWays is a store that ranks every search that it can both from vectors and by the plain statement, and compares the answers: nobody writes
// meanwhile.
type rankedBothWays struct {
	*store.Store
	t      *testing.T
	few    atomic.Int64
	many   atomic.Int64
	any    atomic.Int64 // those of many for any of the words
	hits   atomic.Int64
	sorted atomic.Int64 // those of few in another order than by score
}

func (b *rankedBothWays) Search(ctx context.Context, p *service.Plan) (*service.Found, error) {
	few, many, plain, err := b.SearchFewBothWays(ctx, p)
	if err != nil {
		return nil, err
	}
	if many != nil {
		b.many.Add(1)
		if many.Match == service.MatchAny {
			b.any.Add(1)
		}
		if diff := difference(plain, many); diff != "" {
			b.t.Errorf("%s %v: (-statement +vectors of all)\n%s", p.Match, p.Terms, diff)
		}
	}
	if few != nil {
		b.few.Add(1)
		b.hits.Add(int64(len(few.Hits)))
		if len(p.Sort) > 0 && !p.Sort[0].Score && len(few.Hits) > 1 {
			b.sorted.Add(1)
		}
		if diff := difference(plain, few); diff != "" {
			b.t.Errorf("%s %v: (-statement +vectors)\n%s", p.Match, p.Terms, diff)
		}
	}
	return plain, nil
}

// Scores from vectors equal the statement's to the last bit, whatever is searched for.
func TestVectorsRankAsTheStatementDoes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, err := store.Open(ctx, store.Config{URL: storetest.New(t).URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	if _, err := st.CreateApplication(ctx, "demo"); err != nil {
		t.Fatal(err)
	}
	st.LookAtRows()
	both := &rankedBothWays{Store: st, t: t}
	svc := service.New(both, service.Config{})
	mappings := append([]mapping.Mapping{{Name: "code", Type: mapping.Identifier}, {Name: "mail", Type: mapping.Email}, {Name: "number", Type: mapping.SearchableNumber}}, acceleratedMappings...)
	if err := svc.CreateIndex(ctx, "demo", "things", mappings); err != nil {
		t.Fatal(err)
	}
	stopWord(t, svc, "things")
	withSynonyms(t, svc, "things", []string{"house", "stone bridge"}, map[string][]string{"from": {"train"}, "to": {"road", "night walking"}})
	r := rand.New(rand.NewPCG(11, 12))
	for range 5 {
		if _, err := svc.WriteBatch(ctx, "demo", "things", someBatch(r, 80)); err != nil {
			t.Fatal(err)
		}
	}
	// Words so frequent that PostgreSQL truncates their positions, far apart and adjacent.
	long, err := json.Marshal(map[string]any{"title": "river river river", "text": longText(r), "mail": "river.stone@example.org", "code": "river-12/Stone"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.WriteBatch(ctx, "demo", "things", []byte(`[{"action":"upsert","_id":"long","body":`+string(long)+`}]`)); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.WriteBatch(ctx, "demo", "things", []byte(`[{"action":"upsert","_id":"n1","body":{"number":12.5}},{"action":"upsert","_id":"n2","body":{"number":["12.50",1250],"title":"river"}},
		{"action":"upsert","_id":"n3","body":{"number":[1250,7]}},{"action":"upsert","_id":"n4","body":{"number":"0012.500"}}]`)); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		req := someSearch(r)
		req.Disjunctive, req.Explain = nil, false
		if r.IntN(3) == 0 {
			req.Sort = &[]string{"rest,-made", "-rest", "weight,_score", "shelf,-tags"}[r.IntN(4)]
		}
		switch r.IntN(7) {
		case 0:
			req.Query = `"` + someWords(r, 2+r.IntN(2)) + `" ` + someWords(r, r.IntN(2)) + " "
		case 1:
			req.Query = someWords(r, 1) + "-" + someWords(r, 1) + " OR " + someWords(r, 1) + " "
		case 2:
			req.Query = []string{"rivr stone ", "montain ", "the house of the river ", "brigde silver ", "walk ", "river-12/stone ", "example ", "12.50 ", "12.50 river"}[r.IntN(9)]
		case 3: // a phrase that ends in a prefix
			words := strings.ReplaceAll(someWords(r, 2+r.IntN(2)), " ", "-")
			req.Query = someWords(r, r.IntN(2)) + " " + words[:len(words)-1-r.IntN(2)]
		case 4: // documents must have some of these words
			req.Query, req.Match = someWords(r, 4+r.IntN(3))+" nothere ", service.MatchAuto
		}
		if _, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", req); err != nil {
			t.Fatalf("%s: %v", req.Query, err)
		}
	}
	t.Logf("%d searches with %d hits were ranked from vectors, %d of several hits in another order than that of scores; %d where there are many, %d of these for any word", both.few.Load(), both.hits.Load(), both.sorted.Load(), both.many.Load(), both.any.Load())
	if both.few.Load() < 70 || both.hits.Load() < 180 || both.sorted.Load() < 15 || both.many.Load() < 60 || both.any.Load() < 35 {
		t.Error("want more")
	}
}

func longText(r *rand.Rand) string {
	text := ""
	for range 60 {
		text += "river " + someWords(r, 70) + ". "
	}
	return text
}
