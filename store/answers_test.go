package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/store"
)

// rememberedSearches counts answers, and those from memory.
type rememberedSearches struct{ all, remembered atomic.Int64 }

func (r *rememberedSearches) Searched(_ context.Context, s service.Searched) {
	r.all.Add(1)
	if s.Remembered {
		r.remembered.Add(1)
	}
}

// While the log is longer than anybody counts, no answer is remembered, because nothing reveals later writes.
func TestNoAnswersAreRememberedOfALongLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "books", "title sentence")
	var actions []map[string]any
	for i := range store.FreshLog + 1 {
		actions = append(actions, map[string]any{"action": "upsert", "_id": fmt.Sprint(i), "body": map[string]any{"title": "Book"}})
	}
	s.batch(t, "books", actions)
	for i := range 4 {
		if got, want := s.search(t, "books", forWords("book ")).Total, int64(len(actions)+i/3); got != want {
			t.Fatalf("search %d finds %d books, not %d", i, got, want)
		}
		if i == 2 {
			s.put(t, "books", "one more", `{"title":"Book"}`)
		}
	}
}

// An answer from memory takes room like any other answer.
func TestRememberedAnswersTakeRoom(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "books", "title sentence")
	for i := range 10 {
		s.put(t, "books", fmt.Sprint(i), `{"title":"Book","text":"`+strings.Repeat("x", 100<<10)+`"}`)
	}
	var counts rememberedSearches
	svc := service.New(s.Store, service.Config{Observers: []service.Observer{&counts}, Limits: service.Limits{Bodies: 4 << 20, Wait: 10 * time.Millisecond}})
	search := func() error {
		room := svc.BodyRoom("demo")
		defer room.Release()
		_, err := svc.Search(service.WithRoom(t.Context(), room), demo, "books", service.SearchRequest{Query: "book "})
		return err
	}
	for counts.remembered.Load() == 0 {
		if err := search(); err != nil {
			t.Fatal(err)
		}
	}
	others := svc.BodyRoom("demo")
	defer others.Release()
	if err := others.Grow(t.Context(), 4<<20); err != nil {
		t.Fatal(err)
	}
	if err := search(); service.ErrorCode(err) != service.CodeTooManyRequests {
		t.Errorf("while others have all room: %v", err)
	}
}

// A search that is run twice, because a word with a hyphen is in no document, only takes the room of one answer.
func TestSearchesThatAreRunAgainTakeRoomOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "books", "title sentence")
	for i := range 4 {
		s.put(t, "books", fmt.Sprint(i), `{"title":"Book","text":"`+strings.Repeat("x", 200<<10)+`"}`)
	}
	for match, want := range map[service.Match]int64{service.MatchAny: 4, service.MatchAuto: 4, service.MatchAll: 0} {
		svc := service.New(s.Store, service.Config{Limits: service.Limits{Bodies: 1 << 20}})
		room := svc.BodyRoom("demo")
		resp, err := svc.Search(service.WithRoom(t.Context(), room), demo, "books", service.SearchRequest{Query: "book state-of-nothing ", Match: match})
		if err != nil || resp.Total != want {
			t.Errorf("match %s: %+v, %v", match, resp, err)
		}
		room.Release()
	}
}

// However writes through two servers and psql, the background work and searches are interleaved, an answer from memory equals one that a search has
// given since the last write. Postings built in between may change a rarity, which answers from memory reflect a minute later.
func TestRememberedAnswersAreThoseOfASearch(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, checked, first := newAccelerated(t)
	var counts rememberedSearches
	servers := []*service.Service{service.New(st, service.Config{Observers: []service.Observer{&counts}}), first}
	r := rand.New(rand.NewPCG(7, 8))
	searches := make([]service.SearchRequest, 12)
	for i := range searches {
		searches[i] = someSearch(r)
		searches[i].Explain = false
	}
	searches[0] = service.SearchRequest{Query: "rivr"}
	searches[1] = service.SearchRequest{}
	given := map[int][]string{} // the answers to each search since the last write
	for range 200 {
		var err error
		written := false
		switch r.IntN(20) {
		case 0, 1:
			var results []service.ActionResult
			results, err = servers[r.IntN(2)].WriteBatch(ctx, "demo", "things", someBatch(r, 1+r.IntN(3)))
			written = slices.ContainsFunc(results, func(a service.ActionResult) bool { return a.Result != document.ResultNotFound })
		case 2:
			var tag pgconn.CommandTag
			tag, err = checked.db.Pool.Exec(ctx, "UPDATE app_demo.things SET _body = $2 WHERE _id = $1", fmt.Sprint(r.IntN(400)), someDocument(r))
			written = tag.RowsAffected() > 0
		case 3:
			ix, lookup := st.CurrentIndex(ctx, "demo", "things")
			if err = lookup; err == nil {
				err = st.Settle(ctx, ix)
			}
		case 4:
			err = buildPostings(ctx, st, 2)
		}
		if written {
			clear(given)
		}
		if err != nil {
			t.Fatal(err)
		}
		i := r.IntN(len(searches))
		req := searches[i]
		before, got, after := searchText(t, service.New(st, service.Config{}), req), searchText(t, servers[0], req), searchText(t, service.New(st, service.Config{}), req)
		if given[i] = append(given[i], before, after); slices.Contains(given[i], got) {
			continue
		}
		if diff := cmp.Diff(after, got); diff != "" {
			t.Fatalf("%+v: (-search +remembered)\n%s", req, diff)
		}
	}
	if n, of := counts.remembered.Load(), counts.all.Load(); n < of/8 || n > of*9/10 {
		t.Errorf("%d of %d answers were remembered", n, of)
	}
}

// searchText returns the answer of a search as text, without its duration.
func searchText(t *testing.T, svc *service.Service, req service.SearchRequest) string {
	t.Helper()
	resp, err := svc.Search(t.Context(), demo, "things", req)
	if err != nil {
		t.Fatal(err)
	}
	resp.ProcessingTimeMS = 0
	text, err := json.MarshalIndent(resp, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every answer reflects writes that were acknowledged before, however many clients ask for the same at the same time.
func TestRememberedAnswersHaveEarlierWrites(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := join(t, s.db)
	s.create(t, "docs", "title name")
	servers := []*site{s, other}
	var written, done atomic.Int64
	const writers, each = 3, 60
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			defer done.Add(1)
			for i := range each {
				if _, err := servers[w%2].svc.UpsertDocument(t.Context(), "demo", "docs", fmt.Sprintf("%d-%d", w, i), []byte(`{"title":"counted"}`)); err != nil {
					t.Error(err)
					return
				}
				written.Add(1)
			}
		})
	}
	for range 4 {
		for _, server := range servers {
			wait.Go(func() {
				for over := false; !over; {
					over = done.Load() == writers
					before := written.Load()
					resp, err := server.svc.Search(t.Context(), demo, "docs", service.SearchRequest{Query: "counted "})
					if err != nil {
						t.Error(err)
						return
					}
					if resp.Total < before {
						t.Errorf("%d documents were written and %d found", before, resp.Total)
					}
				}
			})
		}
	}
	wait.Wait()
}

// An answer also depends on settings, definitions, keys and mappings.
func TestRememberedAnswersFollowTheCatalog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name", "kind keyword")
	s.put(t, "docs", "a", `{"title":"Sofa","kind":"x"}`, "b", `{"title":"Couch","kind":"y"}`)
	look := func(who service.Principal, name, q, want string) {
		t.Helper()
		for range 3 {
			resp, err := s.svc.Search(t.Context(), who, name, service.SearchRequest{Query: q, Sort: new("_id")})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(resp.IDs); got != want {
				t.Errorf("%s, %q: %s, want %s", name, q, got, want)
			}
		}
	}
	look(demo, "docs", "couch ", "[b]")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "docs", []byte(`{"synonyms":[["couch","sofa"]]}`), true); err != nil {
		t.Fatal(err)
	}
	look(demo, "docs", "couch ", "[a b]")
	limited := demo
	limited.Filter = "kind = x"
	look(limited, "docs", "couch ", "[a]")
	look(demo, "docs", "couch ", "[a b]")
	define := func(definition string) {
		t.Helper()
		var def service.SearchDefinition
		if err := json.Unmarshal([]byte(definition), &def); err != nil {
			t.Fatal(err)
		}
		if _, err := s.svc.PutSearch(t.Context(), "demo", def); err != nil {
			t.Fatal(err)
		}
	}
	define(`{"name":"seats","index":"docs","filter":"kind = y"}`)
	look(demo, "seats", "couch ", "[b]")
	define(`{"name":"seats","index":"docs"}`)
	look(demo, "seats", "couch ", "[a b]")
	if err := s.svc.ClearIndex(t.Context(), "demo", "docs"); err != nil {
		t.Fatal(err)
	}
	look(demo, "docs", "couch ", "[]")
	resp, err := s.svc.Search(t.Context(), demo, "docs", service.SearchRequest{Query: "couch ", Sort: new("_id"), PerPage: new(1)})
	if err != nil || resp.PerPage != 1 {
		t.Errorf("another page size: %d, %v", resp.PerPage, err)
	}
}

// A database server that was restarted may have lost writes. Answers remembered from before are not used again.
func TestRememberedAnswersEndWithTheServer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title name")
	ix := s.current(t, "goods")
	target, err := s.Target(t.Context(), "demo", "goods")
	if err != nil {
		t.Fatal(err)
	}
	state, err := s.State(t.Context(), ix, target.Version)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := s.HistoryOfRead(t.Context()); err != nil || state.Server != h {
		t.Errorf("the state is of the run %d of the server, want %d, %v", state.Server, h, err)
	}
	if _, err := s.State(t.Context(), ix, target.Version+1); !errors.Is(err, service.ErrStale) {
		t.Errorf("another version of the catalog: %v", err)
	}
	s.exec(t, "DROP TABLE app_demo_derived.goods_progress")
	if state, err := s.State(t.Context(), ix, target.Version); err != nil || state != (service.State{}) {
		t.Errorf("without what follows the documents: %+v, %v", state, err)
	}
}
