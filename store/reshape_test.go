package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// update changes mappings; merge keeps those that are not named.
func (s *site) update(t *testing.T, index string, merge bool, fields ...string) {
	t.Helper()
	if _, err := s.svc.UpdateIndex(t.Context(), "demo", index, mappings(fields...), merge); err != nil {
		t.Fatal(err)
	}
}

// untouched checks that no rebuild has left anything behind.
func (s *site) untouched(t *testing.T) {
	t.Helper()
	var rebuilding bool
	var left []string
	err := s.db.Pool.QueryRow(t.Context(), `SELECT (SELECT coalesce(bool_or(rebuilding), false) FROM rowan.indices),
		(SELECT coalesce(array_agg(relname::text), '{}') FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		 WHERE nspname = 'app_demo_derived' AND relkind = 'r' AND (relname ~ '_next$' OR relname ~ '_rebuild$'))`).Scan(&rebuilding, &left)
	if err != nil {
		t.Fatal(err)
	}
	if rebuilding || len(left) > 0 {
		t.Errorf("rebuilding is %t, and left behind are %q", rebuilding, left)
	}
}

// Writers and searchers on two servers notice nothing of a rebuild except what they can find.
func TestReshapeUnderLoad(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := join(t, s.db)
	s.create(t, "docs", "title name")
	const stable = 300
	s.many(t, "docs", stable, func(i int) string {
		return fmt.Sprintf(`{"title":"stable","text":"cats running","kind":"Kind %d","n":%d,"at":"2024-05-%02d"}`, i%3, i, 1+i%28)
	})
	var done atomic.Bool
	var wait sync.WaitGroup
	const writers, own = 5, 25
	var last [writers][own]int // what each writer has been told is stored; 0: nothing
	for w := range writers {
		server := []*site{s, other}[w%2]
		wait.Go(func() {
			for i := 1; !done.Load(); i++ {
				place := i % own
				id := fmt.Sprintf("w%d-%d", w, place)
				var err error
				switch {
				case w == 4: // psql
					_, err = s.db.Pool.Exec(t.Context(), "INSERT INTO app_demo.docs (_id, _body) VALUES ($1, $2) ON CONFLICT (_id) DO UPDATE SET _body = excluded._body",
						id, fmt.Sprintf(`{"title":"moving","n":%d,"kind":"w"}`, i))
					last[w][place] = i
				case i%7 == 0:
					_, err = server.svc.WriteBatch(t.Context(), "demo", "docs", fmt.Appendf(nil, `[{"action":"delete","_id":"%s"}]`, id))
					last[w][place] = 0
				case i%5 == 0:
					_, err = server.svc.WriteBatch(t.Context(), "demo", "docs", fmt.Appendf(nil, `[{"action":"patch","_id":"%s","body":{"title":"moving","n":%d}}]`, id, i))
					last[w][place] = i
				default:
					_, err = server.svc.UpsertDocument(t.Context(), "demo", "docs", id, fmt.Appendf(nil, `{"title":"moving","n":%d,"kind":"w","text":"dogs"}`, i))
					last[w][place] = i
				}
				if err != nil {
					t.Errorf("write: %v", err)
					return
				}
			}
		})
	}
	for r := range 3 {
		server := []*site{s, other}[r%2]
		wait.Go(func() {
			for !done.Load() {
				resp, err := server.svc.Search(t.Context(), demo, "docs", service.SearchRequest{Query: "stable ", PerPage: new(5), Facets: service.FacetsInput{Expression: new("kind n")},
					Filter: service.FilterInput{Raw: []byte(`"n >= 0 AND kind != w"`)}, Sort: new("-n")})
				if err != nil {
					t.Errorf("search: %v", err)
					return
				}
				if resp.Total != stable || strings.Join(resp.IDs, " ") != "000299 000298 000297 000296 000295" {
					t.Errorf("total %d, hits %q", resp.Total, resp.IDs)
				}
				if got := facet(t, resp, "kind"); got != `"Kind 0"=100 "Kind 1"=100 "Kind 2"=100` {
					t.Errorf("facet: %s", got)
				}
			}
		})
	}
	s.update(t, "docs", true, "n int")
	other.update(t, "docs", true, "kind keyword", "at date")
	s.update(t, "docs", true, "title text", "text sentence")
	other.update(t, "docs", false, "title name", "kind category")
	s.update(t, "docs", true, "n price", "text long_text")
	done.Store(true)
	wait.Wait()
	s.untouched(t)
	for w := range writers {
		for place, n := range last[w] {
			id := fmt.Sprintf("w%d-%d", w, place)
			want := ""
			if n > 0 {
				want = id
			}
			if got := other.found(t, "docs", filtered(fmt.Sprintf("_id = %s AND n = %d AND title = moving", id, n))); got != want {
				t.Errorf("%s with n = %d: found %q", id, n, got)
			}
			if n == 0 && other.found(t, "docs", filtered("_id = "+id)) != "" {
				t.Errorf("%s was deleted and is there", id)
			}
		}
	}
	if got := s.search(t, "docs", forWords("cat "), withFacets("kind")).Total; got != stable {
		t.Errorf("after all changes %d documents have cats", got)
	}
}

func TestMappingConflict(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.many(t, "docs", 30, func(i int) string { return fmt.Sprintf(`{"title":"x","n":%d,"bad":"no %d","deep":{"x":1}}`, i, i) })
	before, err := s.CurrentIndex(t.Context(), "demo", "docs")
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"bad int", "bad date", "bad bool", "bad price", "deep text", "n date"} {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", mappings(field), true)
		if field == "n date" {
			// Small numbers are instants, early in 1970.
			if err != nil {
				t.Errorf("%s: %v", field, err)
			}
			continue
		}
		e, ok := errors.AsType[*service.Error](err)
		if !ok || e.Code != service.CodeMappingConflict {
			t.Errorf("%s: %v", field, err)
			continue
		}
		if len(e.Fields) != 10 {
			t.Errorf("%s: %d documents are named", field, len(e.Fields))
		}
		named := fmt.Sprint(e.Detail, e.Fields)
		if !strings.Contains(named, "00000") {
			t.Errorf("%s: no document is named in %s", field, named)
		}
		after, err := s.CurrentIndex(t.Context(), "demo", "docs")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s has changed the index:\n%s", field, diff)
		}
		s.untouched(t)
		s.put(t, "docs", "new", fmt.Sprintf(`{"title":"new","after":%q}`, field))
	}
}

// A server that dies in the middle of a rebuild leaves a complete index, and the next start cleans up.
func TestRebuildSweep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.put(t, "docs", "1", `{"title":"one","n":1}`)
	ix, err := s.CurrentIndex(t.Context(), "demo", "docs")
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range []string{"sweep", "settings", "again", "clear", "delete"} {
		if err := s.BeginRebuild(t.Context(), ix, mappings("title name", "n int")); err != nil {
			t.Fatal(err)
		}
		s.put(t, "docs", "2", fmt.Sprintf(`{"title":"two","n":2,"before":%q}`, next))
		if got := s.found(t, "docs", sortedBy("n")); got != "1 2" {
			t.Errorf("while the flag is set: %q", got)
		}
		switch next {
		case "settings":
			if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "docs", []byte(`{"synonyms":[["one","uno"]]}`), true); err != nil {
				t.Fatal(err)
			}
			fallthrough
		case "sweep":
			if err := join(t, s.db).Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		case "again":
			s.update(t, "docs", false, "title name", "n int")
			if got := s.found(t, "docs", filtered("n > 1.5")); got != "2" {
				t.Errorf("after the second attempt: %q", got)
			}
		case "clear":
			if err := s.svc.ClearIndex(t.Context(), "demo", "docs"); err != nil {
				t.Fatal(err)
			}
			s.put(t, "docs", "1", `{"title":"one","n":1}`)
		case "delete":
			if err := s.svc.DeleteIndex(t.Context(), "demo", "docs"); err != nil {
				t.Fatal(err)
			}
			s.untouched(t)
			continue
		}
		s.untouched(t)
		if ix, err = s.CurrentIndex(t.Context(), "demo", "docs"); err != nil {
			t.Fatal(err)
		}
		s.put(t, "docs", "2", fmt.Sprintf(`{"title":"two","n":2,"after":%q}`, next))
		if got := s.found(t, "docs", sortedBy("n")); got != "1 2" {
			t.Errorf("after %s: %q", next, got)
		}
	}
}

// An index may be deleted and created again between the moment when Sweep reads the list and that when it sweeps it: then what is there belongs to a
// rebuild of the new one.
func TestSweepOfAnIndexThatIsGone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	gone := s.current(t, "docs")
	if err := s.svc.DeleteIndex(t.Context(), "demo", "docs"); err != nil {
		t.Fatal(err)
	}
	s.create(t, "docs", "title name")
	if err := s.BeginRebuild(t.Context(), s.current(t, "docs"), mappings("title name", "n int")); err != nil {
		t.Fatal(err)
	}
	if err := s.SweepIndex(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	s.put(t, "docs", "1", `{"title":"one"}`) // fails without the log of the rebuild
}

// waitingCopy selects the sessions in which a rebuild waits to copy documents.
const waitingCopy = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH source AS%'`

// waitingRebuild creates an index with one document and begins to change its mappings: the rebuild waits to copy the document until release is
// called.
func (s *site) waitingRebuild(t *testing.T) (result <-chan error, release func()) {
	t.Helper()
	s.create(t, "docs", "title name", "n int")
	s.put(t, "docs", "1", `{"title":"one","n":1}`)
	release = holding(t, s.db, "LOCK TABLE app_demo.docs IN ACCESS EXCLUSIVE MODE")
	ended := make(chan error, 1)
	go func() {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", mappings("title name"), false)
		ended <- err
	}()
	eventually(t, "the copy to wait", func() bool { return s.text(t, "SELECT count(*)::text "+waitingCopy) == "1" })
	return ended, release
}

// Sweep leaves a running rebuild alone, and a rebuild whose connections are lost ends with an error that says so.
func TestRebuildLosesItsConnections(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := join(t, s.db)
	result, release := s.waitingRebuild(t)
	if err := other.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	var rebuilding bool
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT rebuilding FROM rowan.indices").Scan(&rebuilding); err != nil || !rebuilding {
		t.Errorf("Sweep has swept a rebuild under way: rebuilding %t, error %v", rebuilding, err)
	}
	if _, err := s.db.Pool.Exec(t.Context(), "SELECT pg_terminate_backend(pid) "+waitingCopy); err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-result; service.ErrorCode(err) != service.CodeUnavailable {
		t.Errorf("error %v", err)
	}
	if err := other.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.untouched(t)
	s.put(t, "docs", "2", `{"title":"two","n":2}`)
	if got := other.found(t, "docs", filtered("n > 0.5"), sortedBy("_id")); got != "1 2" {
		t.Errorf("found %q", got)
	}
	s.update(t, "docs", false, "title name")
	if got := other.found(t, "docs", sortedBy("-n")); got != "2 1" {
		t.Errorf("found %q", got)
	}
}

// A server that ends does not wait for a rebuild, however long that may take, and leaves nothing of it behind.
func TestRebuildEndsWithItsServer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := join(t, s.db)
	result, release := s.waitingRebuild(t)
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Fatal("the server does not end")
	}
	if err := <-result; err == nil {
		t.Error("a rebuild that was cut off has succeeded")
	}
	s.untouched(t)
	release()
	other.put(t, "docs", "2", `{"title":"two","n":2}`)
	if got := other.found(t, "docs", filtered("n > 0.5"), sortedBy("_id")); got != "1 2" {
		t.Errorf("found %q", got)
	}
}

// What one server does to an index, other servers see in their next search and write.
func TestServersFollow(t *testing.T) {
	t.Parallel()
	a := newSite(t)
	b := join(t, a.db)
	a.create(t, "docs", "title name")
	a.put(t, "docs", "1", `{"title":"television","brand":"Acme"}`, "2", `{"title":"tube","brand":"acme x"}`)
	both := func(want string, options ...func(*service.SearchRequest)) {
		t.Helper()
		for i, server := range []*site{a, b} {
			if got := server.found(t, "docs", append(options, sortedBy("_id"))...); got != want {
				t.Errorf("server %d finds %q, not %q", i, got, want)
			}
		}
	}
	both("1 2")
	a.update(t, "docs", true, "brand keyword", "n int")
	if _, err := b.svc.UpsertDocument(t.Context(), "demo", "docs", "3", []byte(`{"n":"x"}`)); service.ErrorCode(err) != service.CodeInvalidDocument {
		t.Errorf("the other server writes by the old mappings: %v", err)
	}
	b.put(t, "docs", "3", `{"title":"tv","n":3}`)
	both("1", filtered("brand = ACME"))
	both("3", filtered("n > 2.5"))
	both("3", forWords("tv "))
	if _, err := b.svc.UpdateIndexSettings(t.Context(), "demo", "docs", []byte(`{"synonyms":[["tv","television"]],"stop_words":["tube"]}`), true); err != nil {
		t.Fatal(err)
	}
	both("1 3", forWords("tv "))
	// A change of the application's settings, and of a defined search.
	if err := a.PutApplicationSettings(t.Context(), "demo", service.ApplicationSettings{PerPage: 2}); err != nil {
		t.Fatal(err)
	}
	if resp, err := b.svc.Search(t.Context(), demo, "docs", service.SearchRequest{}); err != nil || resp.PerPage != 2 {
		t.Errorf("per_page of the application: %v, %v", resp, err)
	}
	for _, limit := range []string{"1", "2"} {
		if _, err := a.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "shop", Index: "docs", Filter: []byte(`"_id > ` + limit + `"`)}); err != nil {
			t.Fatal(err)
		}
		if got, want := b.search(t, "shop").Total, map[string]int64{"1": 2, "2": 1}[limit]; got != want {
			t.Errorf("_id > %s: %d", limit, got)
		}
	}
	if err := a.svc.DeleteIndex(t.Context(), "demo", "docs"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.svc.Search(t.Context(), demo, "docs", ask()); service.ErrorCode(err) != service.CodeSearchNotFound {
		t.Errorf("search after the deletion: %v", err)
	}
	if _, err := b.svc.Search(t.Context(), demo, "shop", ask()); service.ErrorCode(err) != service.CodeIndexNotFound {
		t.Errorf("search of a defined search after the deletion: %v", err)
	}
	for _, server := range []*site{b, a} {
		if _, err := server.svc.UpsertDocument(t.Context(), "demo", "docs", "9", []byte(`{}`)); service.ErrorCode(err) != service.CodeIndexNotFound {
			t.Errorf("write after the deletion: %v", err)
		}
	}
	a.create(t, "docs", "n keyword")
	both("")
	b.put(t, "docs", "9", `{"n":"now text"}`)
	both("9", filtered(`n = "NOW text"`))
	if err := b.svc.DeleteIndex(t.Context(), "demo", "docs"); err != nil {
		t.Fatal(err)
	}
	b.create(t, "docs")
	a.put(t, "docs", "10", `{}`)
	both("10")
	if err := b.svc.ClearIndex(t.Context(), "demo", "docs"); err != nil {
		t.Fatal(err)
	}
	both("")
	a.put(t, "docs", "11", `{}`)
	both("11")
}

// A mapping accepts in stored documents exactly what it accepts in documents being written: otherwise some documents could not be sent back as they
// are.
func TestMappingsTakeWhatCanBeWritten(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for typ, values := range map[string][]string{
		"int":   {`" 1"`, `"1\n"`, `"1"`, `[1,[" 1"]]`, `[1,"2"]`, `1.0`},
		"price": {`"\t1.5"`, `"1.5"`},
		"bool":  {`" true"`, `"True"`},
		"date": {
			`1.5`, `1700000000000.5`, `"1700000000000"`, `"2024-05-01 10:00:00"`, `"2024-05-01T10:00:00.5"`, `"2024-05-01T10:00Z"`, `"2024-05-01T10:00:00 Z"`, `"2024-05-01T10:00:00+0200"`,
			`" 2024-05-01"`, `"2024-05-01\n"`, `"2024-05-01T10:00:60"`, `"2024-05-01T10:00:00+02:60"`, `["2024-05-01","1"]`, `"2016-12-31T23:59:60.5Z"`,
			`1700000000000`, `1700000000000.0`, `-1`, `"2024-05-01"`, `"2024-05-01T10:00"`, `"2024-05-01t10:00:59"`, `"2024-05-01T10:00:00z"`, `"2024-05-01T10:00:00.123456789+15:59"`,
			`"2016-12-31T23:59:60Z"`, `"1990-12-31T15:59:60-08:00"`, `["2024-05-01",[1,null]]`, `null`,
		},
	} {
		for _, value := range values {
			body := []byte(`{"v":` + value + `}`)
			scanned, err := document.Scan(body, document.NewSchema(mappings("v "+typ)))
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			s.create(t, "docs")
			s.put(t, "docs", "1", string(body))
			_, err = s.svc.UpdateIndex(t.Context(), "demo", "docs", mappings("v "+typ), true)
			if err != nil && service.ErrorCode(err) != service.CodeMappingConflict {
				t.Fatalf("%s as %s: %v", value, typ, err)
			}
			if (err == nil) != (len(scanned.Problems) == 0) {
				t.Errorf("%s as %s: written: %v; of a stored document: %v", value, typ, scanned.Problems, err)
			}
			if err := s.svc.DeleteIndex(t.Context(), "demo", "docs"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A document that is written during a change of mappings, under those in force, is also checked against the new ones.
func TestMappingConflictOfWhatIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.many(t, "docs", 30, func(int) string { return `{"title":"x","n":1}` })
	before := s.current(t, "docs")
	change := func(write ...string) error {
		t.Helper()
		release := holding(t, s.db, "SELECT FROM rowan.applications FOR UPDATE")
		done := make(chan error, 1)
		go func() {
			_, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", mappings("n int"), true)
			done <- err
		}()
		eventually(t, "the new table to be filled", func() bool {
			return s.text(t, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%rowan.applications%')::text") == "true"
		})
		s.put(t, "docs", write...)
		release()
		return <-done
	}
	err := change("late", `{"n":"many"}`, "fits", `{"n":2}`)
	e, ok := errors.AsType[*service.Error](err)
	if !ok || e.Code != service.CodeMappingConflict || len(e.Fields) != 1 || e.Fields[0].Location != "document late, n" {
		t.Errorf("the change ended with %v", err)
	}
	if diff := cmp.Diff(before, s.current(t, "docs")); diff != "" {
		t.Errorf("it has changed the index:\n%s", diff)
	}
	s.untouched(t)
	s.put(t, "docs", "late", `{"n":3}`)
	if err := change("later", `{"n":4}`); err != nil {
		t.Errorf("once all documents fit: %v", err)
	}
	if got := s.found(t, "docs", filtered("n > 1"), sortedBy("n")); got != "fits late later" {
		t.Errorf("by the new mapping are found %q", got)
	}
}

// A stored number is shown as it is, however large it is and however many digits it has.
func TestMappingConflictOfNumbers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.put(t, "docs", "1", `{"large":1e400}`, "2", `{"exact":12345678901234567890.5}`)
	for field, want := range map[string]string{"large int": "1" + strings.Repeat("0", 400), "large float": "1" + strings.Repeat("0", 400), "exact long": "12345678901234567890.5"} {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", mappings(field), true)
		e, ok := errors.AsType[*service.Error](err)
		if !ok || e.Code != service.CodeMappingConflict || len(e.Fields) != 1 {
			t.Errorf("%s: %v", field, err)
			continue
		}
		if raw, err := json.Marshal(e.Fields[0].Value); err != nil || string(raw) != want {
			t.Errorf("%s: the value is %s, %v", field, raw, err)
		}
	}
}

// A string that is a number but for white space outside ASCII is none, rather than an error of PostgreSQL.
func TestMappingConflictOfOtherSpaces(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.put(t, "docs", "1", `{"n":"5\u3000"}`, "2", `{"n":"\u200312"}`)
	for _, typ := range []string{"int", "long", "float", "price", "searchable_number", "date"} {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", mappings("n "+typ), true)
		if e, ok := errors.AsType[*service.Error](err); !ok || e.Code != service.CodeMappingConflict || len(e.Fields) != 2 {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

// Changes of mappings that wait for another one hold no connections, and end if their clients have gone.
func TestRebuildsWaitWithoutConnections(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := siteWith(t, db, store.Config{URL: db.URL, MaxConns: 4, ConnectionWait: 5 * time.Second})
	s.create(t, "docs", "title name")
	s.create(t, "others", "title name")
	s.put(t, "docs", "1", `{"title":"a title"}`)
	current, err := s.CurrentIndex(t.Context(), "demo", "docs")
	if err != nil {
		t.Fatal(err)
	}
	release := holding(t, db, fmt.Sprintf("SELECT pg_advisory_xact_lock(%s, %d)", store.ReshapeLockClass, current.ID))
	ctx, leave := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			// Half of them plan independently, as on other servers.
			var err error
			if i%2 == 0 {
				_, err = s.svc.UpdateIndex(ctx, "demo", "docs", mappings(fmt.Sprintf("n%d int", i)), true)
			} else {
				_, err = s.Reshape(ctx, current, mappings(fmt.Sprintf("n%d int", i)), current.Settings)
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a change whose client has gone: %v", err)
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	for i := range 20 {
		s.put(t, "docs", fmt.Sprint(i), `{"title":"a title"}`)
		s.put(t, "others", fmt.Sprint(i), `{"title":"a title"}`)
	}
	leave()
	wait.Wait()
	release()
	for i := range 30 {
		wait.Go(func() {
			if _, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", mappings(fmt.Sprintf("n%d int", i)), true); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if current, err = s.CurrentIndex(t.Context(), "demo", "docs"); err != nil || len(current.Mappings) != 31 {
		t.Errorf("%d mappings, want 31: %v", len(current.Mappings), err)
	}
	s.untouched(t)
}

// Clearing, deleting, creating and changing an index at the same time: everybody gets a sensible answer.
func TestIndexInTurmoil(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	servers := []*site{s, join(t, s.db)}
	s.create(t, "docs", "title name")
	var wait sync.WaitGroup
	run := func(what string, allowed []service.Code, f func(server *site, i int) error) {
		for _, server := range servers {
			wait.Go(func() {
				for i := range 6 {
					err := f(server, i)
					ok := err == nil
					for _, code := range allowed {
						ok = ok || service.ErrorCode(err) == code
					}
					if !ok {
						t.Errorf("%s: %v", what, err)
					}
				}
			})
		}
	}
	ctx := t.Context()
	missing := []service.Code{service.CodeIndexNotFound, service.CodeSearchNotFound}
	run("update", missing, func(server *site, i int) error {
		_, err := server.svc.UpdateIndex(ctx, "demo", "docs", mappings("title "+[]string{"name", "text", "keyword"}[i%3], "n int"), false)
		return err
	})
	run("clear", missing, func(server *site, _ int) error { return server.svc.ClearIndex(ctx, "demo", "docs") })
	run("delete", append(missing, service.CodeIndexExists), func(server *site, _ int) error {
		if err := server.svc.DeleteIndex(ctx, "demo", "docs"); err != nil {
			return err
		}
		return server.svc.CreateIndex(ctx, "demo", "docs", mappings("title name"))
	})
	for range 2 {
		run("write", missing, func(server *site, i int) error {
			for j := range 10 {
				if _, err := server.svc.UpsertDocument(ctx, "demo", "docs", fmt.Sprint(i*j), []byte(`{"title":"a title","n":1}`)); err != nil {
					return err
				}
			}
			return nil
		})
		run("search", missing, func(server *site, _ int) error {
			for range 10 {
				resp, err := server.svc.Search(ctx, demo, "docs", ask(sortedBy("title"), withFacets("n title")))
				if err != nil {
					return err
				}
				if int(resp.Total) != len(resp.IDs) {
					return fmt.Errorf("total %d, but %d hits", resp.Total, len(resp.IDs))
				}
			}
			return nil
		})
	}
	wait.Wait()
	s.untouched(t)
	if err := s.svc.DeleteIndex(ctx, "demo", "docs"); err != nil && service.ErrorCode(err) != service.CodeIndexNotFound {
		t.Error(err)
	}
	s.create(t, "docs", "title name")
	servers[1].put(t, "docs", "1", `{"title":"at last"}`)
	if got := s.found(t, "docs", forWords("last")); got != "1" {
		t.Errorf("found %q", got)
	}
}
