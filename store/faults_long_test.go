//go:build long

package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/rowansearch/rowan/migrations"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// mayBeSentAgain reports whether an error has a time to wait, which means that nothing was applied.
func mayBeSentAgain(err error) bool {
	e, ok := errors.AsType[*service.Error](err)
	return ok && e.RetryAfter > 0
}

// only fails the test if an error has another code than the given ones; nil is allowed.
func only(t *testing.T, what string, err error, codes ...service.Code) {
	t.Helper()
	for _, code := range codes {
		if service.ErrorCode(err) == code {
			if e, ok := errors.AsType[*service.Error](err); code == service.CodeUnavailable && !mayBeSentAgain(err) && (!ok || !strings.Contains(e.Detail, "while the write was being committed")) {
				t.Errorf("%s: unavailable, but does not say when to try again: %v", what, err)
			}
			return
		}
	}
	if err != nil {
		t.Errorf("%s: %v (%s)", what, err, service.ErrorCode(err))
	}
}

// batchOf returns a batch of n documents whose ids and titles begin with name.
func batchOf(name string, n int) []byte {
	actions := make([]string, n)
	for i := range actions {
		actions[i] = fmt.Sprintf(`{"action":"upsert","_id":"%s-%d","body":{"title":"%s number %d"}}`, name, i, name, i)
	}
	return []byte("[" + strings.Join(actions, ",") + "]")
}

// load writes batches and searches from several goroutines until it is stopped, and records what was acknowledged.
type load struct {
	t    *testing.T
	s    *site
	size int
	done atomic.Int64 // acknowledged batches
	shed atomic.Int64 // requests answered with unavailable

	mu    sync.Mutex
	acked map[string]bool // by the batch's name; false: not acknowledged
	end   context.CancelFunc
	group sync.WaitGroup
}

func startLoad(t *testing.T, s *site) *load {
	l := &load{t: t, s: s, size: 20, acked: map[string]bool{}}
	ctx, end := context.WithCancel(t.Context())
	l.end = end
	for worker := range 3 {
		l.group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				name := fmt.Sprintf("w%dx%d", worker, i)
				_, err := s.svc.WriteBatch(t.Context(), "demo", "films", batchOf(name, l.size))
				only(t, "writing", err, service.CodeUnavailable)
				l.mu.Lock()
				l.acked[name] = err == nil
				l.mu.Unlock()
				l.count(err)
				found, err := s.svc.Search(t.Context(), demo, "films", ask(forWords(name)))
				only(t, "searching", err, service.CodeUnavailable)
				if err == nil && l.wasAcked(name) && found.Total != int64(l.size) {
					t.Errorf("%s was acknowledged, but %d of it are found", name, found.Total)
				}
				if err != nil {
					l.shed.Add(1)
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
	return l
}

func (l *load) wasAcked(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acked[name]
}

func (l *load) count(err error) {
	if err != nil {
		l.shed.Add(1)
	} else {
		l.done.Add(1)
	}
}

// progress waits until some more batches have been acknowledged.
func (l *load) progress(what string) {
	l.t.Helper()
	before := l.done.Load()
	eventually(l.t, "writes "+what, func() bool { return l.t.Failed() || l.done.Load() > before+10 })
}

// stop ends the load and checks that everything acknowledged is there, and everything else wholly or not at all.
func (l *load) stop(c *storetest.Cluster) {
	l.t.Helper()
	l.end()
	l.group.Wait()
	conn, err := pgx.Connect(l.t.Context(), c.URL())
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	rows, _ := conn.Query(l.t.Context(), "SELECT split_part(_id, '-', 1), count(*) FROM app_demo.films GROUP BY 1")
	stored := map[string]int{}
	var name string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&name, &n}, func() error { stored[name] = n; return nil }); err != nil {
		l.t.Fatal(err)
	}
	lost, unsure := 0, 0
	for name, acked := range l.acked {
		switch n := stored[name]; {
		case n != 0 && n != l.size:
			l.t.Errorf("%s is stored in part: %d of %d", name, n, l.size)
		case acked && n == 0:
			lost++
		case !acked && n > 0:
			unsure++
		}
	}
	if lost > 0 {
		l.t.Errorf("%d acknowledged batches are lost", lost)
	}
	l.t.Logf("%d batches acknowledged and stored, %d requests answered 503, %d batches stored though not acknowledged", l.done.Load(), l.shed.Load(), unsure)
}

func TestPostgreSQLGoesAway(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(c *storetest.Cluster){
		"restarted": (*storetest.Cluster).Stop,
		"killed":    (*storetest.Cluster).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := storetest.NewCluster(t, nil)
			s := serverOn(t, store.Config{URL: c.URL(), MaxConns: 8})
			s.Start(t.Context())
			l := startLoad(t, s)
			for range 2 {
				l.progress("go on")
				away(c)
				// Sessions outlive a killed postmaster until they notice.
				eventually(t, "the service says that it is not well without a database", func() bool { return s.svc.Health(t.Context()) != nil })
				c.Start()
				l.progress("go on after the database is back")
			}
			l.stop(c)
		})
	}
}

// Wherever in a batch the connection breaks, the batch is stored wholly or not at all, and wholly if it was acknowledged.
func TestConnectionCutInABatch(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t, nil)
	proxy := storetest.NewProxy(t, c.Address())
	s := serverOn(t, store.Config{URL: c.URLAt(proxy.Address(), ""), MaxConns: 2})
	const size = 300
	stored := func(name string) (n int) {
		c.Query("SELECT count(*) FROM app_demo.films WHERE starts_with(_id, '"+name+"-')", &n)
		return n
	}
	open := func() { // ensures that there is one open connection that has not prepared a batch
		proxy.Cut()
		if _, err := s.svc.UpsertDocument(t.Context(), "demo", "films", "opened", []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	open()
	before := proxy.Sent()
	if _, err := s.svc.WriteBatch(t.Context(), "demo", "films", batchOf("whole", size)); err != nil {
		t.Fatal(err)
	}
	total := proxy.Sent() - before
	outcomes := map[string]int{}
	places := []int64{0, 1, 50, 200, total - 200, total - 60, total - 20, total - 10, total - 5, total - 1, total, total + 1}
	for at := int64(400); at < total; at += total / 25 {
		places = append(places, at)
	}
	for i, at := range places {
		name := fmt.Sprintf("cut%d", i)
		open()
		proxy.Refuse(i%2 == 1) // if refused, the batch cannot be repeated
		proxy.CutAfter(at)
		_, err := s.svc.WriteBatch(t.Context(), "demo", "films", batchOf(name, size))
		proxy.CutAfter(-1)
		proxy.Refuse(false)
		only(t, fmt.Sprintf("cut after %d bytes", at), err, service.CodeUnavailable)
		// The server may still be working: it notices the end of the connection when it is done.
		c.Query("SELECT count(*) FROM app_demo.films, pg_advisory_xact_lock(1919907694, (SELECT id::int FROM rowan.indices))", new(int))
		n := stored(name)
		switch {
		case n != 0 && n != size:
			t.Errorf("cut after %d bytes of %d: %d of %d documents are stored", at, total, n, size)
		case err == nil && n == 0:
			t.Errorf("cut after %d bytes of %d: acknowledged, but not stored", at, total)
		case n != 0 && mayBeSentAgain(err):
			t.Errorf("cut after %d bytes of %d: stored, though the error says that nothing was applied: %v", at, total, err)
		}
		outcomes[fmt.Sprintf("acknowledged %t, stored %t", err == nil, n > 0)]++
	}
	t.Logf("%d bytes a batch: %v", total, outcomes)
	if outcomes["acknowledged false, stored false"] == 0 {
		t.Error("no batch was cut")
	}
	if outcomes["acknowledged true, stored true"] == 0 {
		t.Error("no batch was repeated")
	}
}

// While all connections are taken by statements that do not end, other requests are refused, and the statements end at the search timeout.
func TestAllConnectionsAreTaken(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t, nil)
	s := serverOn(t, store.Config{URL: c.URL(), MaxConns: 2, SearchTimeout: 1500 * time.Millisecond, ConnectionWait: 300 * time.Millisecond})
	s.put(t, "films", "1", `{"title":"Alien"}`)
	if _, err := s.svc.Search(t.Context(), demo, "films", ask(forWords("alien"))); err != nil { // what the name refers to is known
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE app_demo.films"); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	codes := map[service.Code]int{}
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			var err error
			if i%4 == 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				_, err = s.svc.UpsertDocument(ctx, "demo", "films", fmt.Sprint(i), []byte(`{}`))
			} else {
				_, err = s.svc.Search(t.Context(), demo, "films", ask(forWords("alien")))
			}
			only(t, "while all connections are taken", err, service.CodeUnavailable, service.CodeSearchTimeout)
			mu.Lock()
			defer mu.Unlock()
			codes[service.ErrorCode(err)]++
		})
	}
	group.Wait()
	t.Logf("answers: %v", codes)
	if codes[service.CodeUnavailable] == 0 || codes[service.CodeSearchTimeout] == 0 || codes[""] != 0 {
		t.Errorf("answers: %v; want some unavailable, some timeouts, and nothing else", codes)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "searches go on", func() bool {
		found, err := s.svc.Search(t.Context(), demo, "films", ask(forWords("alien")))
		return err == nil && found.Total == 1
	})
}

// A full disk makes writes fail, and nothing else; with space again, they succeed. Root uses a real small disk.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t, nil)
	fill, free := fullDisk(t, c)
	s := serverOn(t, store.Config{URL: c.URL()})
	s.Start(t.Context())
	s.put(t, "films", "alien", `{"title":"Alien"}`)
	fill()
	refused := 0
	for i := range 400 {
		_, err := s.svc.WriteBatch(t.Context(), "demo", "films", batchOf(fmt.Sprintf("b%d", i), 200))
		only(t, "writing to a full disk", err, service.CodeUnavailable)
		if err != nil {
			if refused == 0 {
				t.Logf("after %d batches: %v", i, err)
			}
			if refused++; refused == 5 {
				break
			}
		}
		if found, err := s.svc.Search(t.Context(), demo, "films", ask(forWords("alien"))); err != nil || found.Total != 1 {
			t.Fatalf("reads do not go on: %+v, %v", found, err)
		}
	}
	if refused != 5 {
		t.Fatal("the disk did not get full")
	}
	if _, err := s.svc.GetDocument(t.Context(), "demo", "films", "alien"); err != nil {
		t.Errorf("reads do not go on: %v", err)
	}
	err := s.svc.CreateIndex(t.Context(), "demo", "other", nil)
	only(t, "creating an index on a full disk", err, service.CodeUnavailable)
	free()
	eventually(t, "writes to go on", func() bool {
		_, err := s.svc.WriteBatch(t.Context(), "demo", "films", batchOf("room", 200))
		only(t, "writing with room again", err, service.CodeUnavailable)
		return err == nil
	})
	if found, err := s.svc.Search(t.Context(), demo, "films", ask(forWords("room"))); err != nil || found.Total != 200 {
		t.Errorf("%+v, %v", found, err)
	}
}

// fullDisk puts the tables of a cluster on a small disk; fill and free use up and free its space. If that is impossible, a trigger raises
// PostgreSQL's error instead.
func fullDisk(t *testing.T, c *storetest.Cluster) (fill, free func()) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Logf("no disk of our own (%v: %s): the error is raised by a trigger", err, out)
		fill = func() {
			c.Exec(`CREATE FUNCTION public.full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$`)
			c.Exec(`CREATE TRIGGER full BEFORE INSERT OR UPDATE ON app_demo.films EXECUTE FUNCTION public.full()`)
		}
		return fill, func() { c.Exec("DROP TRIGGER full ON app_demo.films") }
	}
	t.Cleanup(func() {
		c.Kill()
		for range 50 { // its last process ends a moment later
			if exec.Command("umount", dir).Run() == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Error("the test's disk could not be unmounted")
	})
	for parent := dir; len(parent) > len(os.TempDir()); parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o755); err != nil { // the server's user must be able to get there
			t.Fatal(err)
		}
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	c.Own(data)
	c.Exec("CREATE TABLESPACE small LOCATION '" + data + "'")
	c.Exec("ALTER DATABASE rowan SET default_tablespace = small")
	ballast := filepath.Join(dir, "ballast")
	fill = func() {
		if err := os.WriteFile(ballast, make([]byte, 36<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return fill, func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
}

// If PostgreSQL is killed during a rebuild, a server that continues sweeps what the rebuild has left, without a restart.
func TestInterruptedRebuildIsSwept(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t, nil)
	s := serverOn(t, store.Config{URL: c.URL(), MaxConns: 4})
	s.Start(t.Context())
	if _, err := s.svc.WriteBatch(t.Context(), "demo", "films", batchOf("old", 10000)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "films", []mapping.Mapping{{Name: "title", Type: mapping.Text}}, false)
		done <- err
	}()
	var rebuilding bool
	left := func() bool {
		c.Query("SELECT rebuilding FROM rowan.indices", &rebuilding)
		return rebuilding
	}
	eventually(t, "the rebuild begins", left)
	c.Kill()
	only(t, "changing mappings", <-done, service.CodeUnavailable)
	c.Start()
	if !left() {
		t.Fatal("the rebuild was not interrupted")
	}
	time.Sleep(20 * time.Second)
	eventually(t, "the rebuild is swept", func() bool { return !left() })
}

// Wherever a change of mappings is interrupted, the index is complete before and after it is swept, and the change can be repeated.
func TestRebuildInterrupted(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t, nil)
	proxy := storetest.NewProxy(t, c.Address())
	s := serverOn(t, store.Config{URL: c.URLAt(proxy.Address(), ""), MaxConns: 4})
	safe := serverOn(t, store.Config{URL: c.URL(), MaxConns: 4})
	if _, err := safe.svc.WriteBatch(t.Context(), "demo", "films", batchOf("old", 1000)); err != nil {
		t.Fatal(err)
	}
	types := []mapping.Type{mapping.Text, mapping.Sentence}
	change := func(s *site, i int) error {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "films", []mapping.Mapping{{Name: "title", Type: types[i%2]}}, false)
		return err
	}
	before := proxy.Sent()
	if err := change(s, 0); err != nil {
		t.Fatal(err)
	}
	total := proxy.Sent() - before
	failed, done := 0, 0
	documents := int64(1000)
	const steps = 60
	for i := range steps {
		at := total * int64(i) / steps
		proxy.CutAfter(at)
		err := change(s, i+1)
		proxy.CutAfter(-1)
		only(t, fmt.Sprintf("interrupted after %d bytes", at), err, service.CodeUnavailable)
		if err == nil {
			done++
		} else {
			failed++
		}
		check := func(when string) {
			t.Helper()
			id := fmt.Sprintf("new-%d", documents)
			if _, err := safe.svc.UpsertDocument(t.Context(), "demo", "films", id, []byte(`{"title":"number of a new one"}`)); err != nil {
				t.Fatalf("interrupted after %d bytes, %s: writing: %v", at, when, err)
			}
			documents++
			found, err := safe.svc.Search(t.Context(), demo, "films", ask(forWords("number")))
			if err != nil || found.Total != documents {
				t.Fatalf("interrupted after %d bytes, %s: %d documents found, want %d: %v", at, when, found.Total, documents, err)
			}
		}
		check("before the sweep")
		// The lock of the rebuild ends with its session, which may be busy with its last statement.
		eventually(t, "what was left behind to be swept", func() bool {
			if err := safe.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			var left int
			c.Query(`SELECT (SELECT count(*) FROM rowan.indices WHERE rebuilding) + (SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname ~ '_(next|rebuild)$' AND relnamespace::regnamespace::text LIKE 'app_%')`, &left)
			return left == 0
		})
		check("after the sweep")
		if err != nil && i%6 == 0 { // whatever happened, the change can be made
			if err := change(safe, i+1); err != nil {
				t.Fatalf("interrupted after %d bytes: once more: %v", at, err)
			}
			check("once more")
		}
	}
	t.Logf("%d bytes a change: %d were interrupted, %d went through", total, failed, done)
	if failed == 0 {
		t.Error("nothing was interrupted")
	}
}

// While and after a newer version migrates the catalog, a server continues, and another of its version starts.
func TestMigrationUnderAnOlderServer(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t, nil)
	s := serverOn(t, store.Config{URL: c.URL(), MaxConns: 8})
	s.Start(t.Context())
	l := startLoad(t, s)
	l.progress("go on")

	newer := fstest.MapFS{"99999_newer.sql": {Data: []byte(`-- +goose Up
ALTER TABLE rowan.applications ADD COLUMN newer text NOT NULL DEFAULT 'x';
ALTER TABLE rowan.indices ADD COLUMN newer integer NOT NULL DEFAULT 1;
ALTER TABLE rowan.keys ADD COLUMN newer text;
CREATE TABLE rowan.newer (id bigint PRIMARY KEY);
-- +goose Down
SELECT 1;
`)}}
	entries, err := migrations.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := migrations.FS.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(newer, fstest.MapFS{e.Name(): {Data: text}})
	}
	config, err := pgx.ParseConfig(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, newer, goose.WithTableName("rowan.migrations"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if results, err := provider.Up(t.Context()); err != nil || len(results) != 1 {
		t.Fatalf("%v, %v", results, err)
	}
	l.progress("go on after the migration")
	again := serverOn(t, store.Config{URL: c.URL(), MaxConns: 8})
	again.put(t, "films", "again-0", `{"title":"Solaris"}`)
	if _, err := again.svc.UpdateIndex(t.Context(), "demo", "films", []mapping.Mapping{{Name: "title", Type: mapping.Text}}, false); err != nil {
		t.Error(err)
	}
	l.progress("go on after a change of mappings")
	l.stop(c)
	if n := l.shed.Load(); n > 0 {
		t.Errorf("%d requests were refused", n)
	}
}
