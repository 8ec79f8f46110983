package store_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// forged returns a cursor with a changed content.
func forged(t *testing.T, cursor string, change func(c *service.Cursor)) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	var c service.Cursor
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	change(&c)
	if raw, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// A cursor that does not belong to the search is the client's fault, with postings or without. The search's own cursor works.
func TestForeignCursors(t *testing.T) {
	t.Parallel()
	accelerated, _, _ := newAccelerated(t)
	plain := newSite(t)
	if err := plain.svc.CreateIndex(t.Context(), "demo", "things", acceleratedMappings); err != nil {
		t.Fatal(err)
	}
	fill(t, plain.svc)
	queries, sorts := []string{"river ", "river stone ", ""}, []string{"", "-year,_id", "brand", "_id", "-_score,-_id", "-made,-price", "price,-price"}
	for name, svc := range map[string]*service.Service{"plain": plain.svc, "with postings": service.New(accelerated, service.Config{})} {
		for q, query := range queries {
			for i, sort := range sorts {
				for _, match := range []service.Match{service.MatchAll, service.MatchAny} {
					req := ask(forWords(query), sortedBy(sort), matching(match))
					req.PerPage = new(2)
					first, err := svc.Search(t.Context(), demo, "things", req)
					if err != nil {
						t.Fatal(err)
					}
					second := req
					second.Page = new(2)
					want, err := svc.Search(t.Context(), demo, "things", second)
					if err != nil {
						t.Fatal(err)
					}
					none := req
					none.Cursor, none.PerPage = first.Cursor, new(0)
					if got, err := svc.Search(t.Context(), demo, "things", none); err != nil || got.Cursor != first.Cursor {
						t.Errorf("%s, %q by %q, %s: a page of no hits is behind %q, %v", name, query, sort, match, got.Cursor, err)
					}
					req.Cursor = first.Cursor
					if got, err := svc.Search(t.Context(), demo, "things", req); err != nil || len(want.IDs) == 0 || !slices.Equal(got.IDs, want.IDs) {
						t.Errorf("%s, %q by %q, %s: the cursor leads to %+v, %v; not to %q", name, query, sort, match, got, err, want.IDs)
					}
					refused := func(what string, options ...func(*service.SearchRequest)) {
						t.Helper()
						other := req
						for _, option := range options {
							option(&other)
						}
						if _, err := svc.Search(t.Context(), demo, "things", other); service.ErrorCode(err) != service.CodeInvalidRequest {
							t.Errorf("%s, %q by %q, %s: %s: %v", name, query, sort, match, what, err)
						}
					}
					refused("another sort", sortedBy(sorts[(i+1)%len(sorts)]))
					refused("another query", forWords(queries[(q+1)%len(queries)]))
					refused("any word that matters, or all", matching(service.MatchAuto))
					changed := func(change func(c *service.Cursor)) func(*service.SearchRequest) {
						return func(r *service.SearchRequest) { r.Cursor = forged(t, req.Cursor, change) }
					}
					refused("a character that no text has", changed(func(c *service.Cursor) { c.Place[0] = new("\x00") }))
					refused("no place", changed(func(c *service.Cursor) { c.Place = nil }))
					refused("a place too few", changed(func(c *service.Cursor) { c.Place = c.Place[1:] }))
					refused("a place too many", changed(func(c *service.Cursor) { c.Place = append(c.Place, c.Place[0]) }))
					refused("more hits shown than any page without a place has", changed(func(c *service.Cursor) { c.Shown = make([]string, 201) }))
					refused("a document without id", changed(func(c *service.Cursor) { c.Place[len(c.Place)-1] = nil }))
					odd := req // a phrase that is never closed may contain it
					changed(func(c *service.Cursor) { c.Gone = []string{"\x00"} })(&odd)
					if _, err := svc.Search(t.Context(), demo, "things", odd); err != nil {
						t.Errorf("%s, %q by %q, %s: %v", name, query, sort, match, err)
					}
					refused("many words", changed(func(c *service.Cursor) { c.Gone = make([]string, 1000) }))
					refused("a word that no query has", changed(func(c *service.Cursor) { c.Gone = []string{strings.Repeat("x", 16<<10+1)} }))
					refused("a part that no query has", changed(func(c *service.Cursor) { c.Split = map[string][2]string{"x": {"y", strings.Repeat("x", 16<<10+1)}} }))
					refused("a share below none", changed(func(c *service.Cursor) { c.Shares = &service.WordShares{Whole: -0.5} }))
					refused("a share of more than all", changed(func(c *service.Cursor) { c.Shares = &service.WordShares{Whole: 1.5} }))
					refused("a close word that gives nothing", changed(func(c *service.Cursor) { c.Shares = &service.WordShares{Near: map[string]float64{"a b": 0}} }))
					if query != "" {
						// Scores computed from it would be infinite, which an answer cannot contain.
						refused("a rarity that no word has", changed(func(c *service.Cursor) { c.Rarities[0] = 1e307 }))
						refused("a rarity below none", changed(func(c *service.Cursor) { c.Rarities[0] = -1 }))
						refused("a word that carries more than any has", changed(func(c *service.Cursor) { c.Carried = []float64{1e307} }))
					}
					refused("another match", changed(func(c *service.Cursor) { c.Match = "some" }))
					if sort == "" {
						// The last place but one is the score or the boost.
						refused("a score out of range", changed(func(c *service.Cursor) { c.Place[len(c.Place)-2] = new("1e999") }))
						refused("a score that is none", changed(func(c *service.Cursor) { c.Place[len(c.Place)-2] = new("x") }))
					}
				}
			}
		}
	}
}

// A cursor belongs to the fields that were searched, their weights and the way of searching: after a change of the definition during a walk, or with
// another definition over the same index, hits have another order, and the walk would miss some.
func TestCursorsOfOtherDefinitions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name", "text text")
	s.many(t, "things", 30, func(i int) string {
		return fmt.Sprintf(`{"title":"sail %d","text":"%s"}`, i, strings.Repeat("sail ", i))
	})
	define := func(d service.SearchDefinition) {
		t.Helper()
		d.Name, d.Index = "boats", "things"
		if _, err := s.svc.PutSearch(t.Context(), "demo", d); err != nil {
			t.Fatal(err)
		}
	}
	define(service.SearchDefinition{Fields: map[string]float64{"title": 2, "text": 1}})
	req := ask(forWords("sail "))
	req.PerPage = new(10)
	first, err := s.svc.Search(t.Context(), demo, "boats", req)
	if err != nil {
		t.Fatal(err)
	}
	req.Cursor = first.Cursor
	goesOn := func(name string) bool {
		t.Helper()
		_, err := s.svc.Search(t.Context(), demo, name, req)
		if err != nil && service.ErrorCode(err) != service.CodeInvalidRequest {
			t.Fatal(err)
		}
		return err == nil
	}
	if goesOn("things") {
		t.Error("the cursor goes on in the index, whose fields have other weights")
	}
	define(service.SearchDefinition{Fields: map[string]float64{"title": 2, "text": 1}, PerPage: new(5), Facets: []string{"title"}, Filter: json.RawMessage(`"title EXISTS"`)})
	if !goesOn("boats") {
		t.Error("the cursor does not go on once facets, filter and per_page have changed")
	}
	for what, other := range map[string]service.SearchDefinition{
		"no field":         {},
		"a field less":     {Fields: map[string]float64{"title": 2}},
		"another weight":   {Fields: map[string]float64{"title": 2, "text": 3}},
		"words as written": {Fields: map[string]float64{"title": 2, "text": 1}, TypoTolerance: new(false)},
		"any of the words": {Fields: map[string]float64{"title": 2, "text": 1}, Match: service.MatchAny},
		"another order":    {Fields: map[string]float64{"title": 2, "text": 1}, Sort: "title"},
	} {
		if define(other); goesOn("boats") {
			t.Errorf("the cursor goes on where the definition has changed: %s", what)
		}
	}
}

// A page that is accepted unproven, because proving it would take long, leaves nothing out of a walk by cursor: what it did not show comes later, and
// what it did show does not come again.
func TestWalksGoOnFromUnprovenPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(20)
	s.TakeUnproven(50)
	s.create(t, "things", "title name")
	// More equal scores than are ranked, for words that may be adjacent.
	s.many(t, "things", 240, func(int) string { return `{"title":"sail boat"}` })
	if err := buildPostings(t.Context(), s.Store, 100); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"sail boat", "boat sail ", "sail boat "} {
		for first := 1; first <= 2; first++ {
			seen := map[string]int{}
			req := ask(forWords(query))
			req.PerPage, req.Page = new(10), new(first)
			for page := first; page == first || req.Cursor != ""; page++ {
				resp, err := s.svc.Search(t.Context(), demo, "things", req)
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range resp.IDs {
					seen[id]++
				}
				req.Page, req.Cursor = nil, resp.Cursor
				if page > 1 {
					continue
				}
				raw, err := base64.RawURLEncoding.DecodeString(resp.Cursor)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(raw), `"s":[`) {
					t.Errorf("%s: the first page was proven", query)
				}
			}
			if want := 240 - 10*(first-1); len(seen) != want {
				t.Errorf("%s from page %d: %d documents were shown, want %d", query, first, len(seen), want)
			}
			for id, n := range seen {
				if n != 1 {
					t.Errorf("%s from page %d: document %s was shown %d times", query, first, id, n)
				}
			}
		}
	}
}

// Keys after the id decide nothing, and are not part of a cursor's place.
func TestCursorsWithKeysBehindTheID(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "n int")
	s.put(t, "docs", "1", `{"n":1}`, "2", `{}`, "3", `{"n":3}`, "4", `{}`)
	for sort, want := range map[string]string{"_id, n": "1 2 3 4", "n, -_id, m": "1 3 4 2", "-_id, -_score, n": "4 3 2 1"} {
		var walked []string
		cursor := ""
		for range 4 {
			resp := s.search(t, "docs", sortedBy(sort), func(r *service.SearchRequest) { r.Cursor, r.PerPage = cursor, new(1) })
			walked, cursor = append(walked, resp.IDs...), resp.Cursor
		}
		if got := strings.Join(walked, " "); got != want {
			t.Errorf("by %s: %s, want %s", sort, got, want)
		}
	}
}

// Words that begin with a query's last word, or are close to one of its words, count less than that word, depending on its rarity. Documents that
// change the frequencies during a walk do not move any hit.
func TestWalksKeepTheSharesOfWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, of := range []struct{ query, word, other, written string }{{"sea", "sea", "seated", "sea"}, {"moniter ", "moniter", "monitor", "monitor"}} {
		index := "with-" + of.word
		s.create(t, index, "title name")
		s.many(t, index, 200, func(i int) string {
			switch {
			case i == 0:
				return `{"title":"` + of.word + `"}`
			case i%3 == 0:
				return `{"title":"` + of.other + `"}`
			}
			return `{"title":"other"}`
		})
		if err := s.Settle(t.Context(), s.current(t, index)); err != nil {
			t.Fatal(err)
		}
		walk := func(between func()) (ids []string) {
			cursor := ""
			for page := 0; page == 0 || cursor != ""; page++ {
				resp := s.search(t, index, forWords(of.query), func(r *service.SearchRequest) { r.Cursor, r.PerPage = cursor, new(10) })
				for _, id := range resp.IDs {
					if !strings.HasPrefix(id, "new") {
						ids = append(ids, id)
					}
				}
				if cursor = resp.Cursor; page == 0 {
					between()
				}
			}
			return ids
		}
		want := walk(func() {})
		if len(want) != 67 {
			t.Fatalf("%s finds %d documents: %q", of.query, len(want), want)
		}
		got := walk(func() {
			var actions []map[string]any
			for i := range 100 {
				actions = append(actions, map[string]any{"action": "upsert", "_id": fmt.Sprint("new", i), "body": map[string]any{"title": of.written}})
			}
			s.batch(t, index, actions)
			if err := s.Settle(t.Context(), s.current(t, index)); err != nil {
				t.Fatal(err)
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("while documents were written, %s found %q, want %q", of.query, got, want)
		}
	}
}

// A cursor contains what the last hit was ordered by, but however long a text is, the cursor fits into the body of a search request.
func TestWalksByLongTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "mapped text")
	long := strings.Repeat("x", 900_000)
	for i, begins := range []string{"b", "a", "c"} {
		s.put(t, "things", fmt.Sprint(i+1), fmt.Sprintf(`{"mapped":"%[1]s%[2]s","alone":"%[1]s%[2]s","listed":["%[1]s%[2]s","z%[2]s"]}`, begins, long))
	}
	for _, sort := range []string{"mapped", "alone", "listed"} {
		req := ask(sortedBy(sort))
		req.PerPage = new(1)
		var walk []string
		for page := 0; page == 0 || req.Cursor != ""; page++ {
			resp, err := s.svc.Search(t.Context(), demo, "things", req)
			if err != nil {
				t.Fatal(err)
			}
			if len(resp.Cursor) > 10_000 {
				t.Fatalf("by %s: a cursor has %d characters", sort, len(resp.Cursor))
			}
			walk, req.Cursor = append(walk, resp.IDs...), resp.Cursor
		}
		if got := strings.Join(walk, " "); got != "2 1 3" {
			t.Errorf("by %s: %s", sort, got)
		}
	}
}
