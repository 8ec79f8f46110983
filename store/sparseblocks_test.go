package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
)

// thin returns things of which one in sixteen is left, in blocks of 64 numbers, with suggestions and postings from before most were deleted.
func thin(t *testing.T) (*store.Store, *bothWays, *service.Service) {
	t.Helper()
	ctx := t.Context()
	st, checked, svc := newChecked(t, 6, 15, 40)
	err := svc.CreateIndex(ctx, "demo", "things", []mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "name", Type: mapping.Completion}, {Name: "brand", Type: mapping.Keyword}})
	if err != nil {
		t.Fatal(err)
	}
	var stored, removed []string
	for i := range 1600 {
		stored = append(stored, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"title":"%s","name":"Thing %d","brand":"b%d"}}`, i, acceleratedWords[i/16%8]+" stone", i%10, i%3))
		if i%16 > 0 {
			removed = append(removed, fmt.Sprintf(`{"action":"delete","_id":"%d"}`, i))
		}
	}
	write := func(actions []string) {
		if _, err := svc.WriteBatch(ctx, "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
			t.Fatal(err)
		}
	}
	write(stored)
	if err := st.Settle(ctx, things(t, st)); err != nil {
		t.Fatal(err)
	}
	for range 30 { // every block, but none is without documents yet
		if again, err := st.Accelerate(ctx, things(t, st)); err != nil || !again {
			t.Fatalf("postings are built (%v), %v", !again, err)
		}
		if blocks(t, checked) == 26 {
			break
		}
	}
	write(removed)
	return st, checked, svc
}

// blocks returns the number of blocks.
func blocks(t *testing.T, checked *bothWays) (n int) {
	t.Helper()
	if err := checked.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM app_demo_derived.things_postings WHERE lexeme = ''").Scan(&n); err != nil {
		t.Error(err)
	}
	return n
}

// Documents left over in many blocks are moved into few, and do not change.
func TestSparseBlocksAreGathered(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, checked, svc := thin(t)
	const all = "SELECT string_agg(concat_ws(' ', _id, _body, _created_at, _updated_at), '/' ORDER BY _id) FROM app_demo.things"
	text := func(sql string) (s string) {
		t.Helper()
		if err := checked.db.Pool.QueryRow(ctx, sql).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := text(all)
	if err := buildPostings(ctx, st, 200); err != nil {
		t.Fatal(err)
	}
	if n := blocks(t, checked); n > 3 {
		t.Errorf("100 documents are in %d blocks of 64", n)
	}
	if after := text(all); after != before {
		t.Errorf("the documents were\n%s\nand are\n%s", before, after)
	}
	if err := st.Settle(ctx, things(t, st)); err != nil {
		t.Fatal(err)
	}
	found, err := svc.Search(ctx, demo, "things", service.SearchRequest{Query: "stone ", Match: service.MatchAll})
	if err != nil {
		t.Fatal(err)
	}
	if found.Total != 100 || checked.accelerated.Load() == 0 {
		t.Errorf("%d things are found, %d times from postings, want 100", found.Total, checked.accelerated.Load())
	}
	// Suggestions know each document by its number: each document still counts once.
	const suggested = "SELECT string_agg(value || ' ' || documents, ', ' ORDER BY value) FROM app_demo_derived.things_suggestions"
	want := "Thing 0 20, Thing 2 20, Thing 4 20, Thing 6 20, Thing 8 20"
	if got := text(suggested); got != want {
		t.Errorf("the suggestions are %s, want %s", got, want)
	}
	if again, err := st.Accelerate(ctx, things(t, st)); again || err != nil {
		t.Errorf("there is more to do (%t), %v", again, err)
	}
}

// While documents are being moved, everybody can find and write them.
func TestSearchesAndWritesWhileBlocksAreGathered(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := thin(t)
	st.RebuildResting(1000, 60, 0) // otherwise there would always be a block to rebuild
	gathered := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(gathered)
		for range 2000 {
			if err := buildPostings(ctx, st, 1); err != nil && !outrun(err) {
				t.Error(err)
			}
			if blocks(t, checked) < 4 {
				return
			}
		}
	})
	written := make([]int, 100)
	wg.Go(func() {
		r := rand.New(rand.NewPCG(8, 9))
		for n := 1; ; n++ {
			i := r.IntN(100)
			body := fmt.Sprintf(`{"title":"river stone","name":"Thing","at":%d}`, n)
			if _, err := svc.UpsertDocument(ctx, "demo", "things", fmt.Sprint(16*i), []byte(body)); err != nil {
				t.Error(err)
			}
			written[i] = n
			select {
			case <-gathered:
				return
			case <-time.After(5 * time.Millisecond): // blocks that have changed much go first
			}
		}
	})
	wg.Go(func() {
		for n := 0; ; n++ {
			page := 1 + n%3
			found, err := svc.Search(ctx, demo, "things", service.SearchRequest{Query: []string{"stone ", "stone river "}[n%2], Match: service.MatchAll, Page: &page})
			if err != nil {
				t.Error(err)
			} else if n%2 == 0 && found.Total != 100 {
				t.Errorf("%d things are found, want 100", found.Total)
			}
			select {
			case <-gathered:
				return
			default:
			}
		}
	})
	wg.Wait()
	if n := blocks(t, checked); n >= 4 {
		t.Errorf("100 documents are in %d blocks of 64", n)
	}
	for i, n := range written {
		var at int
		if n == 0 {
			continue
		}
		if err := checked.db.Pool.QueryRow(ctx, "SELECT (_body->>'at')::int FROM app_demo.things WHERE _id = $1", fmt.Sprint(16*i)).Scan(&at); err != nil || at != n {
			t.Errorf("document %d is the %d. that was written, want the %d., %v", 16*i, at, n, err)
		}
	}
}
