package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// library is an index with a title, which is suggested, and a body, on a database of its own.
type library struct {
	*store.Store
	db  *storetest.DB
	svc *service.Service
	ix  *service.Index
}

// version returns the version of the application's catalog.
func (l *library) version(t *testing.T) int64 {
	t.Helper()
	return int64(l.one(t, "SELECT version FROM rowan.applications WHERE id = 'demo'"))
}

// storeConfig is the configuration of most tests. Searches may take as long as they need on a busy machine: tests of their limit set another.
func storeConfig(db *storetest.DB) store.Config {
	return store.Config{URL: db.URL, MaxConns: 6, SearchTimeout: time.Minute}
}

// loggingConfig is the same configuration with a log.
func loggingConfig(db *storetest.DB, log io.Writer) store.Config {
	config := storeConfig(db)
	config.Logger = slog.New(slog.NewTextHandler(log, nil))
	return config
}

// withSetting returns the address of a database with one more connection setting.
func withSetting(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	settings := u.Query()
	settings.Set(name, value)
	u.RawQuery = settings.Encode()
	return u.String()
}

func open(t *testing.T, db *storetest.DB) *store.Store {
	t.Helper()
	return openWith(t, storeConfig(db))
}

func openWith(t *testing.T, config store.Config) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	return st
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	db := storetest.New(t)
	return libraryOn(t, open(t, db), db)
}

func libraryOn(t *testing.T, st *store.Store, db *storetest.DB) *library {
	t.Helper()
	l := &library{Store: st, db: db}
	l.svc = service.New(l.Store, service.Config{})
	if _, err := l.CreateApplication(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	err := l.svc.CreateIndex(t.Context(), "demo", "books", []mapping.Mapping{{Name: "title", Type: mapping.Completion}, {Name: "body", Type: mapping.LongText}, {Name: "code", Type: mapping.Identifier}})
	if err != nil {
		t.Fatal(err)
	}
	l.reload(t)
	return l
}

func (l *library) reload(t *testing.T) {
	t.Helper()
	ix, err := l.CurrentIndex(t.Context(), "demo", "books")
	if err != nil {
		t.Fatal(err)
	}
	l.ix = ix
}

func (l *library) write(t *testing.T, id, body string) {
	t.Helper()
	if _, err := l.svc.UpsertDocument(t.Context(), "demo", "books", id, []byte(body)); err != nil {
		t.Fatal(err)
	}
}

// many writes n documents with the same body under ids with a prefix.
func (l *library) many(t *testing.T, prefix string, n int, body string) {
	t.Helper()
	batch := []byte{'['}
	for i := range n {
		if i > 0 {
			batch = append(batch, ',')
		}
		batch = fmt.Appendf(batch, `{"action":"upsert","_id":"%s%d","body":%s}`, prefix, i, body)
	}
	if _, err := l.svc.WriteBatch(t.Context(), "demo", "books", append(batch, ']')); err != nil {
		t.Fatal(err)
	}
}

func (l *library) settle(t *testing.T) {
	t.Helper()
	if err := l.Settle(t.Context(), l.ix); err != nil {
		t.Fatal(err)
	}
}

// vocabulary returns the contents of the index's vocabulary.
func (l *library) vocabulary(t *testing.T) map[string]int {
	t.Helper()
	words := map[string]int{}
	rows, err := l.db.Pool.Query(t.Context(), `SELECT word, documents FROM app_demo_derived.books_words`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var w string
		var n int
		if err := rows.Scan(&w, &n); err != nil {
			t.Fatal(err)
		}
		words[w] = n
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return words
}

func (l *library) one(t *testing.T, sql string) int {
	t.Helper()
	var n int
	if err := l.db.Pool.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

const logLength = "SELECT count(*) FROM app_demo_derived.books_changes"

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain waited for %s", what)
		}
	}
}

func TestWorkerDerives(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.Start(t.Context())
	l.many(t, "a", 1500, `{"title":"Moby Dick","body":"A whale, whales and the whale hunters","code":"AB-1851/x"}`)
	eventually(t, "an empty log", func() bool { return l.one(t, logLength) == 0 })
	want := map[string]int{"moby": 1500, "dick": 1500, "whale": 1500, "whales": 1500, "and": 1500, "the": 1500, "hunters": 1500}
	if diff := cmp.Diff(want, l.vocabulary(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	eventually(t, "statistics", func() bool {
		return l.one(t, "SELECT reltuples::int FROM pg_class WHERE oid = 'app_demo.books'::regclass") == 1500
	})
}

func TestVocabularyFollows(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, "1", `{"body":"apple banana"}`)
	l.settle(t)
	l.write(t, "1", `{"body":"apple cherry"}`)
	l.write(t, "2", `{"body":"apple apple"}`)
	l.settle(t)
	// A word that a document no longer has stays until all are counted again.
	if diff := cmp.Diff(map[string]int{"apple": 2, "banana": 1, "cherry": 1}, l.vocabulary(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Words that the vocabulary does not have are counted in changed documents, too: none of these can have been counted with them before.
func TestVocabularyCountsNewWordsOfChangedDocuments(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 60, `{"body":"apple"}`)
	l.many(t, "a", 60, `{"body":"apple banana"}`) // before they are counted
	l.settle(t)
	l.many(t, "a", 50, `{"body":"apple cherry"}`)
	l.many(t, "b", 3, `{"body":"apple cherry"}`)
	l.settle(t)
	if diff := cmp.Diff(map[string]int{"apple": 63, "banana": 60, "cherry": 53}, l.vocabulary(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVocabularyIsRecounted(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 1200, `{"body":"apple banana"}`)
	l.settle(t)
	l.many(t, "a", 1200, `{"body":"apple cherry"}`)
	if err := l.SettleSlowly(t.Context(), l.ix, 500); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"apple": 1200, "cherry": 1200}, l.vocabulary(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := l.one(t, "SELECT count(*) FROM pg_class WHERE relname LIKE '%recount'"); n != 0 {
		t.Errorf("%d tables of the count are left", n)
	}
}

// While somebody reads the vocabulary for a long time, as a dump does, one that was counted beside it cannot replace it. What is written meanwhile is
// followed all the same.
func TestVocabularyFollowsDuringADump(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 1200, `{"body":"apple banana"}`)
	l.settle(t)
	dump, err := l.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dump.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := dump.Exec(t.Context(), "LOCK TABLE app_demo_derived.books_words IN ACCESS SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	l.Start(t.Context())
	l.many(t, "a", 1200, `{"body":"apple cherry"}`) // more than half of all documents
	eventually(t, "the count", func() bool {
		return l.one(t, "SELECT count(*) FROM app_demo_derived.books_progress WHERE beside") == 1
	})
	attempts := map[string]bool{} // to exchange the vocabulary; searches wait behind each
	for i := range 30 {
		l.many(t, fmt.Sprint("b", i), 1, `{"body":"walnut"}`)
		for range 5 {
			var who []string
			err := l.db.Pool.QueryRow(t.Context(), `SELECT coalesce(array_agg(virtualtransaction), '{}') FROM pg_locks
				WHERE relation = 'app_demo_derived.books_words'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`).Scan(&who)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range who {
				attempts[id] = true
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	if len(attempts) > 2 {
		t.Errorf("%d attempts while documents were written", len(attempts))
	}
	eventually(t, "an empty log", func() bool { return l.one(t, logLength) == 0 })
	if n := l.vocabulary(t)["walnut"]; n != 30 {
		t.Errorf("%d documents have the new word", n)
	}
	if err := dump.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"apple": 1200, "cherry": 1200, "walnut": 30}
	eventually(t, "the exchange", func() bool { return cmp.Equal(want, l.vocabulary(t)) })
}

// Of documents that are changed one after the other, only the first count with the words that all of them get. So all are counted again, but not while
// documents are being written, and not for a few changes.
func TestVocabularyIsRecountedAtRest(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 150, `{"body":"apple banana"}`)
	l.settle(t)
	sweep := func(what, want string) {
		t.Helper()
		if err := l.SweepLogs(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.settle(t)
		if got := fmt.Sprint(l.vocabulary(t)); got != "map["+want+"]" {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	change := func(from, to int) {
		t.Helper()
		for n := from; n < to; n++ {
			l.write(t, fmt.Sprint("a", n), `{"body":"apple cherry"}`)
			l.settle(t)
		}
	}
	const before = "apple:150 banana:150 cherry:1"
	change(0, 19)
	sweep("19 of 150 documents have changed", before)
	sweep("a sweep later", before)
	change(19, 20)
	sweep("one more has", before)
	change(20, 21)
	sweep("another has since", before)
	sweep("none has since", "apple:150 banana:129 cherry:21")
	l.many(t, "b", 150, `{"body":"apple"}`)
	change(21, 51)
	sweep("a tenth of 300 have", "apple:300 banana:129 cherry:21")
	sweep("a sweep later", "apple:300 banana:129 cherry:21")
	change(51, 52)
	sweep("more than a tenth have", "apple:300 banana:129 cherry:21")
	sweep("a sweep later", "apple:300 banana:98 cherry:52")
}

// An earlier version has other keys.
func TestKeysAreMadeAnew(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 3, `{"body":"television banana cat"}`)
	l.settle(t)
	if _, err := l.db.Pool.Exec(t.Context(), `COMMENT ON COLUMN app_demo_derived.books_words.keys IS 'CRC-32'; UPDATE app_demo_derived.books_words SET keys = '{1,2}' WHERE keys IS NOT NULL`); err != nil {
		t.Fatal(err)
	}
	of := func() []service.NearWord {
		near, err := l.NearInVocabulary(t.Context(), l.ix, "telivision", "")
		if err != nil {
			t.Fatal(err)
		}
		return near
	}
	if got := of(); got != nil {
		t.Fatalf("%v is found by keys that nobody asks for", got)
	}
	l.settle(t)
	if got := of(); len(got) != 1 {
		t.Errorf("%v is found", got)
	}
	if diff := cmp.Diff(map[string]int{"banana": 3, "cat": 3, "television": 3}, l.vocabulary(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := l.one(t, "SELECT count(*) FROM app_demo_derived.books_words WHERE (keys IS NULL) <> (word = 'cat')"); n != 0 {
		t.Errorf("%d words have the wrong keys", n)
	}
	l.write(t, "b", `{"body":"television savanna"}`)
	l.settle(t)
	if diff := cmp.Diff(map[string]int{"banana": 3, "cat": 3, "television": 4, "savanna": 1}, l.vocabulary(t)); diff != "" {
		t.Errorf("after another document (-want +got):\n%s", diff)
	}
}

// After another mapping, or somebody's DROP TABLE, everything is built again.
func TestDerivedTablesAreRebuilt(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, l *library){
		"mapping": func(t *testing.T, l *library) {
			_, err := l.svc.UpdateIndex(t.Context(), "demo", "books", []mapping.Mapping{{Name: "title", Type: mapping.Completion}, {Name: "extra", Type: mapping.Completion}}, true)
			if err != nil {
				t.Fatal(err)
			}
			l.reload(t)
		},
		"drop": func(t *testing.T, l *library) {
			if _, err := l.db.Pool.Exec(t.Context(), "DROP TABLE app_demo_derived.books_suggested"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t)
			l.many(t, "a", 30, `{"title":"Moby Dick","body":"whale"}`)
			l.settle(t)
			l.many(t, "b", 30, `{"title":"Moby Dick","body":"whale"}`)
			lose(t, l)
			l.many(t, "c", 30, `{"title":"Moby Dick","body":"whale"}`)
			if err := l.SettleSlowly(t.Context(), l.ix, 25); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]int{"moby": 90, "dick": 90, "whale": 90}, l.vocabulary(t)); diff != "" {
				t.Errorf("vocabulary (-want +got):\n%s", diff)
			}
			if n := l.one(t, "SELECT documents FROM app_demo_derived.books_suggestions"); n != 90 {
				t.Errorf("%d documents suggest it", n)
			}
		})
	}
}

func TestFailedStepLosesNothing(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 40, `{"title":"Moby Dick"}`)
	if err := l.FailStep(t.Context(), l.ix); !errors.Is(err, store.ErrFailed) {
		t.Fatal(err)
	}
	if n := l.one(t, logLength); n != 40 {
		t.Errorf("the log has %d rows", n)
	}
	l.settle(t)
	if diff := cmp.Diff(map[string]int{"moby": 40, "dick": 40}, l.vocabulary(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestServersDoNotCountTwice(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	other := open(t, l.db)
	l.Start(t.Context())
	other.Start(t.Context())
	var writers sync.WaitGroup
	for w, st := range []*store.Store{l.Store, other} {
		svc := service.New(st, service.Config{})
		writers.Go(func() {
			for i := range 10 {
				batch := []byte{'['}
				for j := range 50 {
					if j > 0 {
						batch = append(batch, ',')
					}
					batch = fmt.Appendf(batch, `{"action":"upsert","_id":"%d-%d-%d","body":{"title":"Moby Dick"}}`, w, i, j)
				}
				if _, err := svc.WriteBatch(t.Context(), "demo", "books", append(batch, ']')); err != nil {
					t.Error(err)
				}
				// Searches take part in the work, too.
				if _, _, err := st.Suggest(t.Context(), l.ix, l.version(t), "mob", 10); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	eventually(t, "an empty log", func() bool { return l.one(t, logLength) == 0 })
	if diff := cmp.Diff(map[string]int{"moby": 1000, "dick": 1000}, l.vocabulary(t)); diff != "" {
		t.Errorf("vocabulary (-want +got):\n%s", diff)
	}
	if n := l.one(t, "SELECT documents FROM app_demo_derived.books_suggestions"); n != 1000 {
		t.Errorf("%d documents suggest it", n)
	}
}

// Work that one server has left is found by another.
func TestSweepFindsForgottenLogs(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, "1", `{"title":"Moby Dick"}`) // there is no worker
	open(t, l.db).Start(t.Context())
	eventually(t, "an empty log", func() bool { return l.one(t, logLength) == 0 })
}

// Somebody's lock on a table of one index must not keep the worker from the others, neither from what is written now nor from what a server that is
// gone has left.
func TestLockedIndexHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, locked string }{
		{"words", "app_demo_derived.books_words"},
		{"log", "app_demo_derived.books_changes"},
		{"documents", "app_demo.books"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t)
			if err := l.svc.CreateIndex(t.Context(), "demo", "others", nil); err != nil {
				t.Fatal(err)
			}
			other := func(id string) {
				t.Helper()
				if _, err := l.svc.UpsertDocument(t.Context(), "demo", "others", id, []byte(`{"title":"Moby Dick"}`)); err != nil {
					t.Fatal(err)
				}
			}
			l.write(t, "1", `{"title":"Moby Dick"}`)
			other("1")
			tx, err := l.db.Pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
			if _, err := tx.Exec(t.Context(), "LOCK TABLE "+tt.locked); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			l.Start(t.Context())
			const otherLog = "SELECT count(*) FROM app_demo_derived.others_changes"
			eventually(t, "what was left", func() bool { return l.one(t, otherLog) == 0 })
			other("2")
			eventually(t, "what was written", func() bool { return l.one(t, otherLog) == 0 })
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("the other index waited %v", took)
			}
			if err := tx.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if tt.locked != "app_demo_derived.books_changes" { // that one is checked again after half a minute
				eventually(t, "an empty log", func() bool { return l.one(t, logLength) == 0 })
			}
		})
	}
}

// Small indices at rest cost a server one check per round: there may be thousands.
func TestSmallIndexAtRestIsOnlyLookedAt(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 10, `{"title":"Moby Dick"}`)
	l.settle(t)
	other := open(t, l.db)
	other.Start(t.Context())
	eventually(t, "a round", func() bool { return !other.Stats().LastRound.IsZero() })
	time.Sleep(200 * time.Millisecond)
	for _, w := range other.Stats().Work {
		if w.Rounds > 0 || w.Indices > 0 {
			t.Errorf("%+v", w)
		}
	}
}

// derived returns the number of rounds that the worker has completed.
func derived(l *library) (rounds int64) {
	for _, w := range l.Stats().Work {
		if w.Kind == "derive" {
			rounds = w.Rounds
		}
	}
	return rounds
}

func TestIndexesComeAndGoUnderTheWorker(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.Start(t.Context())
	for i := range 6 {
		rounds := derived(l)
		l.many(t, "a", 300, `{"title":"Moby Dick"}`)
		if i%2 == 0 { // pending work is forgotten
			if err := l.svc.DeleteIndex(t.Context(), "demo", "books"); err != nil {
				t.Fatal(err)
			}
			if err := l.svc.CreateIndex(t.Context(), "demo", "books", []mapping.Mapping{{Name: "title", Type: mapping.Completion}}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := l.svc.ClearIndex(t.Context(), "demo", "books"); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a round of the worker", func() bool { return derived(l) > rounds })
	}
	l.many(t, "b", 10, `{"title":"Moby Dick"}`)
	eventually(t, "an empty log", func() bool { return l.one(t, logLength) == 0 })
	if diff := cmp.Diff(map[string]int{"moby": 10, "dick": 10}, l.vocabulary(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWorkerStops(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"close", "context"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			l.Start(ctx)
			l.many(t, "a", 1000, `{"title":"Moby Dick"}`)
			if how == "context" {
				cancel()
			}
			done := make(chan struct{})
			go func() { l.Close(); close(done) }()
			select {
			case <-done:
			case <-time.After(30 * time.Second):
				t.Fatal("the worker does not end")
			}
		})
	}
}

func TestMaintainIsHarmless(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 1100, `{"title":"Moby Dick"}`)
	l.settle(t)
	for range 2 {
		if err := l.Maintain(t.Context(), l.ix); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.svc.DeleteIndex(t.Context(), "demo", "books"); err != nil {
		t.Fatal(err)
	}
	if err := l.Maintain(t.Context(), l.ix); err != nil {
		t.Errorf("an index that is gone: %v", err)
	}
	if err := l.Settle(t.Context(), l.ix); !errors.Is(err, service.ErrStale) {
		t.Errorf("an index that is gone: %v", err)
	}
}

// Pending work is forgotten together with its index: otherwise PostgreSQL would log a missing table for each piece of it.
func TestDeletedIndexLeavesNoWork(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	ctx, cancel := context.WithCancel(t.Context())
	l.Start(ctx)
	cancel() // from here on, nobody does pending work
	waiting := func() (n int) {
		for _, w := range l.Stats().Work {
			n += w.Indices
		}
		return n
	}
	l.write(t, "a", `{"title":"Dune"}`)
	if n := waiting(); n != 4 {
		t.Errorf("after a write there is work of %d kinds, want 4", n)
	}
	if err := l.svc.DeleteIndex(t.Context(), "demo", "books"); err != nil {
		t.Fatal(err)
	}
	if n, pending := waiting(), l.Stats().Pending; n != 0 || pending != 0 {
		t.Errorf("the index is gone, and there is work of %d kinds for it, %d changes pending", n, pending)
	}
}

// Work that fails because its index is gone does not count as a failure, whatever PostgreSQL's error.
func TestWorkOnDeletedIndexDoesNotFail(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	if !l.FailRound(t.Context(), l.ix) {
		t.Error("a round that has failed does not count")
	}
	if err := l.svc.DeleteIndex(t.Context(), "demo", "books"); err != nil {
		t.Fatal(err)
	}
	if l.FailRound(t.Context(), l.ix) {
		t.Error("a round for an index that is gone counts as failed")
	}
}

// Work that panics is tried again, and the server goes on: otherwise a document that causes a panic would end each server in turn.
func TestBackgroundWorkMayPanic(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	db := storetest.New(t)
	config := storeConfig(db)
	config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	l := libraryOn(t, openWith(t, config), db)
	again, err := l.Panic(t.Context(), l.ix)
	if !again || err == nil || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("again %v, %v", again, err)
	}
	if !strings.Contains(log.String(), "panic in the background: on purpose") {
		t.Errorf("the log has nothing of it: %s", log.String())
	}
}
