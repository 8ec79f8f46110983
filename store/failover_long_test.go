//go:build long

package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// An asynchronous standby that has not received the last transactions replaces the primary, and gives their numbers and versions to others: what a
// server remembers of the lost ones is not attributed to these.
func TestFailoverThatLosesTransactions(t *testing.T) {
	t.Parallel()
	primary := storetest.NewCluster(t, map[string]string{"autovacuum": "off", "full_page_writes": "on"}) // no transactions except those of the test
	standby := primary.Standby()
	replica := standby.Standby()
	proxy := storetest.NewProxy(t, primary.Address())
	s := serverOn(t, store.Config{URL: primary.URLAt(proxy.Address(), ""), ReplicaURLs: []string{replica.URL()}, MaxConns: 4})
	ready := func() bool { return s.Replicas()[0].Ready }
	eventually(t, "the replica to take part", ready)
	s.AccelerateSmall(6, 15, 40)
	s.createBridges(t)

	waitForStandby(t, primary, standby)
	standby.Exec("ALTER SYSTEM SET primary_conninfo = ''")
	standby.Exec("SELECT pg_reload_conf()")
	eventually(t, "the standby to be cut off", func() (off bool) {
		standby.Query("SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)", &off)
		return off
	})

	// What will be lost: two documents and the block with their words, another document in the log, and a stop word.
	s.put(t, "things", "lost", `{"title":"bridge"}`, "too", `{"title":"bridge"}`)
	s.buildPostings(t)
	var block, logged int64
	primary.Query("SELECT DISTINCT xmin::text::bigint FROM app_demo_derived.things_postings WHERE lexeme = ''", &block)
	s.put(t, "things", "changed", `{"title":"river river"}`)
	primary.Query("SELECT xmin::text::bigint FROM app_demo_derived.things_touched", &logged)
	stopWord(t, s.svc, "things")
	asked := 0
	total := func(query string) int64 {
		t.Helper()
		asked++
		// Answers are remembered, too, so no two requests are the same.
		return s.search(t, "things", forWords(fmt.Sprintf("%*s%s ", asked, "", query)), matching(service.MatchAll)).Total
	}
	eventually(t, "all to be remembered", func() bool {
		if n := total("bridge"); n != 52 {
			t.Fatalf("%d documents are found, want 52", n)
		}
		n, err := s.RememberedLogged(t.Context(), s.current(t, "things"))
		return err == nil && n == 1 && asked > 3
	})
	if n := total("river"); n != 51 {
		t.Fatalf("%d documents are found, want 51", n)
	}

	proxy.Refuse(true)
	proxy.Cut()
	primary.Kill()
	standby.Exec("SELECT pg_promote()")
	conn, err := pgx.Connect(t.Context(), standby.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	// in runs a statement in the transaction with the given number.
	in := func(number int64, sql string, xminOf string) {
		t.Helper()
		for {
			var next int64
			if err := conn.QueryRow(t.Context(), "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint").Scan(&next); err != nil {
				t.Fatal(err)
			}
			if next == number {
				break
			}
			if next > number {
				t.Fatalf("transaction %d is past, the next is %d", number, next)
			}
			if _, err := conn.Exec(t.Context(), "SELECT pg_current_xact_id()"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		var written int64
		if err := conn.QueryRow(t.Context(), xminOf).Scan(&written); err != nil || written != number {
			t.Fatalf("transaction %d wrote what %d should have, %v", written, number, err)
		}
	}
	in(block, "UPDATE app_demo_derived.things_postings SET postings = postings", "SELECT DISTINCT xmin::text::bigint FROM app_demo_derived.things_postings WHERE lexeme = ''")
	in(logged, `UPDATE app_demo.things SET _body = '{"title":"bridge bridge"}' WHERE _id = 'changed'`, "SELECT xmin::text::bigint FROM app_demo_derived.things_touched")

	// Another server changes what the lost transaction has changed.
	other := serverOn(t, store.Config{URL: standby.URL(), MaxConns: 4})
	if _, err := other.svc.UpdateIndexSettings(t.Context(), "demo", "things", json.RawMessage(`{"stop_words":["river"]}`), true); err != nil {
		t.Fatal(err)
	}
	proxy.Turn(standby.Address())
	proxy.Refuse(false)
	check := func(who string) {
		t.Helper()
		for range 3 {
			if n := total("bridge"); n != 51 {
				t.Errorf("%s finds %d documents, want the 50 of before and the one that was changed since", who, n)
			}
		}
		if ids := s.found(t, "things", forWords("bridge "), matching(service.MatchAll)); ids[:7] != "changed" {
			t.Errorf("%s finds %s, want the changed one first", who, ids)
		}
		if n := total("river"); n != 0 {
			t.Errorf("%s finds %d documents for what is a stop word now", who, n)
		}
	}
	check("the promoted standby")
	eventually(t, "the replica to follow", func() bool {
		standby.Exec("CHECKPOINT")
		replica.Exec("CHECKPOINT")
		return ready()
	})
	check("the replica")
}

// A former primary that still runs is no longer asked once a connection leads to another server.
func TestFormerPrimaryIsLeft(t *testing.T) {
	t.Parallel()
	primary := storetest.NewCluster(t, nil)
	standby := primary.Standby()
	proxy := storetest.NewProxy(t, primary.Address())
	s := serverOn(t, store.Config{URL: primary.URLAt(proxy.Address(), ""), MaxConns: 4})
	s.put(t, "films", "1", `{"title":"Alien"}`)
	waitForStandby(t, primary, standby)
	standby.Exec("SELECT pg_promote()")
	standby.Exec("UPDATE app_demo.films SET _body = '{\"title\":\"Aliens\"}'")
	proxy.Turn(standby.Address()) // existing connections still lead to the former primary
	release, err := s.TakeRead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	more, err := s.TakeRead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	more()
	release() // is acquired first
	for range 10 {
		if body, err := s.svc.GetDocument(t.Context(), "demo", "films", "1"); err != nil || string(body.Body) != `{"title": "Aliens"}` {
			t.Fatalf("%s, %v", body.Body, err)
		}
	}
}

// A former primary that comes back, accepts writes and is named first is left out: it lacks what was written since.
func TestFormerPrimaryComesBack(t *testing.T) {
	t.Parallel()
	primary := storetest.NewCluster(t, nil)
	standby := primary.Standby()
	s := serverOn(t, store.Config{URL: primary.URLAt(primary.Address()+","+standby.Address(), "") + "&target_session_attrs=read-write", MaxConns: 4})
	waitForStandby(t, primary, standby)
	primary.Kill()
	standby.Exec("SELECT pg_promote()")
	eventually(t, "a write on the promoted standby", func() bool {
		_, err := s.svc.UpsertDocument(t.Context(), "demo", "films", "1", []byte(`{"title":"Alien"}`))
		return err == nil
	})
	primary.Start()
	answers := 0
	for range 5 {
		standby.Exec("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'rowan'")
		for range 10 {
			switch _, err := s.svc.GetDocument(t.Context(), "demo", "films", "1"); service.ErrorCode(err) {
			case "":
				answers++
			case service.CodeUnavailable: // once, by the connection that finds the former primary
			default:
				t.Fatal(err)
			}
		}
	}
	if answers < 40 {
		t.Errorf("%d of 50 reads were answered", answers)
	}
}

// A former primary that still runs and is named first gets no connections, neither of servers that run already nor of those that start.
func TestFormerPrimaryStillRuns(t *testing.T) {
	t.Parallel()
	primary := storetest.NewCluster(t, nil)
	standby := primary.Standby()
	config := store.Config{URL: primary.URLAt(primary.Address()+","+standby.Address(), "") + "&target_session_attrs=read-write", MaxConns: 4}
	running := serverOn(t, config)
	running.put(t, "films", "1", `{"title":"Alien"}`)
	waitForStandby(t, primary, standby)
	standby.Exec("SELECT pg_promote()")
	standby.Exec("UPDATE app_demo.films SET _body = '{\"title\":\"Aliens\"}'")
	read := func(s *site) string {
		body, err := s.svc.GetDocument(t.Context(), "demo", "films", "1")
		if err != nil {
			t.Fatal(err)
		}
		return string(body.Body)
	}
	if got := read(serverOn(t, config)); got != `{"title": "Aliens"}` {
		t.Errorf("a server that starts reads %s", got)
	}
	eventually(t, "the running server to use the promoted standby", func() bool { return read(running) == `{"title": "Aliens"}` })
}

// A crash of one of its processes makes PostgreSQL lose what was not on disk yet, without a restart.
func TestCrashIsAnotherHistory(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t, nil)
	s := serverOn(t, store.Config{URL: c.URL(), MaxConns: 4})
	ix := s.current(t, "films")
	target, err := s.Target(t.Context(), "demo", "films")
	if err != nil {
		t.Fatal(err)
	}
	state := func() (state service.State) {
		t.Helper()
		eventually(t, "PostgreSQL to answer", func() bool {
			state, err = s.State(t.Context(), ix, target.Version)
			return err == nil
		})
		return state
	}
	var started, startedThen time.Time
	c.Query("SELECT pg_postmaster_start_time()", &started)
	before := state()
	if again := state(); again != before {
		t.Errorf("nothing has happened, but %+v is now %+v", before, again)
	}
	c.Crash()
	c.Query("SELECT pg_postmaster_start_time()", &startedThen)
	if after := state(); !startedThen.Equal(started) || after.Server == before.Server {
		t.Errorf("the history is %d before a crash and %d after it, PostgreSQL was started at %s, %s", before.Server, after.Server, started, startedThen)
	}
}

// waitForStandby waits until a standby has replayed everything that its primary has written so far.
func waitForStandby(t *testing.T, primary, standby *storetest.Cluster) {
	t.Helper()
	var end string
	primary.Query("SELECT pg_current_wal_flush_lsn()::text", &end)
	eventually(t, "the standby to follow", func() (has bool) {
		standby.Query("SELECT pg_last_wal_replay_lsn() >= '"+end+"'", &has)
		return has
	})
}
