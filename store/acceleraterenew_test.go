package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// While the postings of a grown index are rebuilt, searches use the existing ones.
func TestPostingsOfGrownIndexAreRenewed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := newAccelerated(t)
	ix := things(t, st)
	relations := func() (names []string) {
		t.Helper()
		rows, err := checked.db.Pool.Query(ctx, "SELECT relname FROM pg_class WHERE relnamespace = 'app_demo_derived'::regnamespace AND relkind IN ('r', 'i') ORDER BY 1")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		return names
	}
	var writes atomic.Int64
	write := func(id string) {
		// An unchanged document would not be written, and the search after it would be answered from memory.
		batch := fmt.Sprintf(`[{"action":"upsert","_id":%q,"body":{"title":"river %[1]s","text":"bridge of stone","write":%d}}]`, id, writes.Add(1))
		if _, err := svc.WriteBatch(ctx, "demo", "things", []byte(batch)); err != nil {
			t.Error(err)
		}
	}
	search := func() {
		if _, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: "river "}); err != nil {
			t.Error(err)
		}
	}
	before := relations()
	generation, err := st.Generation(ctx, ix)
	if err != nil {
		t.Fatal(err)
	}
	// The tables that a server leaves when it ends while building.
	if _, err := checked.db.Pool.Exec(ctx, "CREATE TABLE app_demo_derived.things_newpostings (); CREATE TABLE app_demo_derived.things_newvalues ()"); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		write("before")
	}
	if err := st.Outgrow(ctx, ix); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			write(fmt.Sprint("during", i%10))
			accelerated := checked.accelerated.Load()
			search()
			if checked.accelerated.Load() == accelerated {
				t.Error("a search was not answered from postings while these were renewed")
			}
		}
	})
	again, err := st.Accelerate(ctx, ix)
	close(done)
	wg.Wait()
	if err != nil || !again {
		t.Fatalf("again %t, %v", again, err)
	}
	after, err := st.Generation(ctx, ix)
	if err != nil || after == generation {
		t.Errorf("generation %d, %v; was %d", after, err, generation)
	}
	if now := relations(); !slices.Equal(now, before) {
		t.Errorf("tables and indexes are now %q, were %q", now, before)
	}
	search()

	// The log no longer has what the new blocks have seen.
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	write("last")
	if err := st.Outgrow(ctx, ix); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Accelerate(ctx, ix); err != nil {
		t.Fatal(err)
	}
	if n, err := st.Touched(ctx, ix); n != 0 || err != nil {
		t.Errorf("%d documents are in the log, %v; want none", n, err)
	}
	search()
}

// A search whose snapshot is older than the new blocks would find nothing in them: they only come into use after it has ended.
func TestRenewedPostingsWaitForSearches(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, _ := newAccelerated(t)
	ix := things(t, st)
	conn, err := checked.db.Pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	const blocks = "SELECT count(*) FROM app_demo_derived.things_postings WHERE lexeme = ''"
	var before, now int
	if err := conn.QueryRow(ctx, blocks).Scan(&before); err != nil || before == 0 {
		t.Fatalf("%d blocks, %v", before, err)
	}
	search, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer search.Rollback(ctx)
	for _, sql := range []string{"LOCK TABLE app_demo.things, app_demo_derived.things_touched IN ACCESS SHARE MODE", "SELECT FROM rowan.indices"} {
		if _, err := search.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Outgrow(ctx, ix); err != nil {
		t.Fatal(err)
	}
	renewed := make(chan error, 1)
	go func() {
		_, err := st.Accelerate(ctx, ix)
		renewed <- err
	}()
	for waits := false; !waits; {
		select {
		case err := <-renewed:
			t.Fatalf("the new blocks are in use before a search has ended that cannot see them; %v", err)
		default:
		}
		if err := checked.db.Pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'app_demo_derived.things_touched'::regclass AND NOT granted)").Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	if err := search.QueryRow(ctx, blocks).Scan(&now); err != nil || now != before {
		t.Errorf("a search that began before finds %d blocks, %v; want %d", now, err, before)
	}
	if err := search.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-renewed; err != nil {
		t.Fatal(err)
	}
}

// Writes between the building of a renewed block and its first use stay in the log, even if the block has an earlier state of the same document.
func TestRenewedPostingsOfDocumentsWrittenTwice(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, checked, svc := newAccelerated(t)
	ix := things(t, st)
	write := func(title string) {
		t.Helper()
		if _, err := checked.db.Pool.Exec(ctx, "UPDATE app_demo.things SET _body = jsonb_build_object('title', $1::text) WHERE _id IN (SELECT _id FROM app_demo.things ORDER BY _seq LIMIT 20)", title); err != nil {
			t.Fatal(err)
		}
	}
	write("river")
	if err := st.Outgrow(ctx, ix); err != nil {
		t.Fatal(err)
	}
	release := holdingIndex(t, checked.db, ix)
	renewed := make(chan error, 1)
	go func() {
		_, err := st.Accelerate(ctx, ix)
		renewed <- err
	}()
	awaitsIndex(t, checked.db, ix)
	write("mountain")
	release()
	if err := <-renewed; err != nil {
		t.Fatal(err)
	}
	withAllWords(t, svc, "river ")
	if checked.accelerated.Load() == 0 {
		t.Error("the postings were not used")
	}
	if n, err := st.Touched(ctx, ix); n != 20 || err != nil {
		t.Errorf("the log has %d documents, want 20; %v", n, err)
	}
}

// withAllWords returns how many things have all words of a query.
func withAllWords(t *testing.T, svc *service.Service, query string) int64 {
	t.Helper()
	resp, err := svc.Search(t.Context(), demo, "things", service.SearchRequest{Query: query, Match: service.MatchAll})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Total
}

// A server that has read which lexemes have postings notices that another server has chosen them anew.
func TestPostingsThatAnotherServerHasRenewed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, checked, svc := newAccelerated(t)
	other := join(t, checked.db)
	other.AccelerateSmall()
	other.SizeBlocks(128)
	other.KeepLexemes(3)
	want := withAllWords(t, svc, "bridge ")
	if want == 0 || checked.accelerated.Load() == 0 {
		t.Fatalf("%d documents have the word, %d searches were answered from postings", want, checked.accelerated.Load())
	}
	if err := other.Outgrow(ctx, things(t, other.Store)); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Accelerate(ctx, things(t, other.Store)); err != nil {
		t.Fatal(err)
	}
	if n, err := other.Frequency(ctx, things(t, other.Store), "bridg"); n != 0 || err != nil {
		t.Fatalf("the word has postings of %d documents, %v", n, err)
	}
	if n, err := other.Frequency(ctx, things(t, other.Store), "river"); n <= want || err != nil {
		t.Errorf("of the most frequent word there are postings of %d documents, %v", n, err)
	}
	if got := withAllWords(t, svc, " bridge "); got != want { // an identical search would be answered from memory
		t.Errorf("%d documents are found, want %d", got, want)
	}
}

// A search that was planned before another server changed the settings is not answered from postings according to the old plan.
func TestPostingsAndSettingsOfAnotherServer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, checked, _ := newAccelerated(t)
	other := join(t, checked.db)
	svc := service.New(st, service.Config{})
	before := withAllWords(t, svc, "bridge ")
	settings := []byte(`{"synonyms":[{"from":["bridge"],"to":["river"]}]}`)
	if _, err := other.svc.UpdateIndexSettings(ctx, "demo", "things", settings, true); err != nil {
		t.Fatal(err)
	}
	if after := withAllWords(t, svc, " bridge "); after <= before {
		t.Errorf("%d documents are found with a synonym, %d without", after, before)
	}
}

// A step that began before a change of mappings does not build a block of the new table without the added fields.
func TestBlocksOfMappingsOfBefore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30)
	s.create(t, "things", "title name")
	s.many(t, "things", 100, func(i int) string { return fmt.Sprintf(`{"title":"often","kind":"a%d"}`, i%4) })
	s.buildPostings(t)
	before := s.current(t, "things")
	err := s.RebuildOutrun(t.Context(), before, func() { s.update(t, "things", true, "kind sentence") })
	if !errors.Is(err, service.ErrStale) {
		t.Errorf("a block was built for the mappings of before: %v", err)
	}
	before = s.current(t, "things")
	s.update(t, "things", true, "size int") // which is not searched
	if _, err := s.Accelerate(t.Context(), before); !errors.Is(err, service.ErrStale) {
		t.Errorf("a step was taken for the mappings of before: %v", err)
	}
	if err := s.StopAccelerating(t.Context(), before); !errors.Is(err, service.ErrStale) {
		t.Errorf("the postings of the new table were taken away: %v", err)
	}
	if n := withAllWords(t, s.svc, "often a2 "); n != 25 {
		t.Errorf("%d documents are found, want 25", n)
	}
}

// During an upgrade of several servers, an older one leaves the postings of a newer one alone.
func TestPostingsOfANewerBuild(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30)
	s.create(t, "things", "title name")
	s.many(t, "things", 100, func(int) string { return `{"title":"often"}` })
	s.buildPostings(t)
	s.exec(t, "UPDATE rowan.accelerators SET formula = regexp_replace(formula, '^[0-9]+', '1000'), numbered_to = 0")
	s.many(t, "things", 100, func(int) string { return `{"title":"often again"}` })
	const state = "SELECT (SELECT string_agg(a::text, '') FROM rowan.accelerators a) || (SELECT md5(string_agg(p::text, '' ORDER BY lexeme, block)) FROM app_demo_derived.things_postings p)"
	before := s.text(t, state)
	if again, err := s.Accelerate(t.Context(), s.current(t, "things")); again || err != nil {
		t.Errorf("there is more to do: %t, %v", again, err)
	}
	if after := s.text(t, state); after != before {
		t.Errorf("of the postings there was %s, now there is %s", before, after)
	}
}

// The blocks of an earlier build answer searches until the new ones are complete, even if some are rebuilt in the meantime.
func TestBlocksOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := newAccelerated(t)
	ix := things(t, st)
	if err := st.BlocksOfBefore(ctx, ix); err != nil {
		t.Fatal(err)
	}
	asked := 0
	search := func(when string) {
		t.Helper()
		before := checked.accelerated.Load()
		for _, ask := range []func(*service.SearchRequest){forWords(strings.Repeat(" ", asked) + "river "), withFacets("brand"), filtered("price EXISTS")} {
			asked++
			req := service.SearchRequest{Query: strings.Repeat(" ", asked)} // an identical search would be answered from memory
			ask(&req)
			if _, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", req); err != nil {
				t.Fatal(err)
			}
		}
		if n := checked.accelerated.Load() - before; n != 3 {
			t.Errorf("%s %d of 3 searches were answered from postings", when, n)
		}
	}
	rows := func() (n int) {
		t.Helper()
		err := checked.db.Pool.QueryRow(ctx, "SELECT (SELECT count(*) FROM app_demo_derived.things_values WHERE field = 'artist') + (SELECT count(*) FROM app_demo_derived.things_postings WHERE lexeme LIKE E'\\x05%')").Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	search("with the blocks of before")
	if _, err := svc.WriteBatch(ctx, "demo", "things", []byte(`[{"action":"upsert","_id":"1","body":{"title":"river","artist":"Bo"}}]`)); err != nil {
		t.Fatal(err)
	}
	if err := st.RebuildWorst(ctx, ix); err != nil {
		t.Fatal(err)
	}
	if n := rows(); n != 0 {
		t.Errorf("a block of before has %d rows of this build", n)
	}
	search("with a block that was rebuilt as before")
	if _, err := st.Accelerate(ctx, ix); err != nil {
		t.Fatal(err)
	}
	if n := rows(); n == 0 {
		t.Error("the blocks were not built anew")
	}
	search("with new blocks")
}
