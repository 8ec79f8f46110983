//go:build long

package store_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// serverOn returns a server on a cluster; the first one migrates it and creates the application and the index films.
func serverOn(t *testing.T, config store.Config) *site {
	t.Helper()
	config.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
	st, err := store.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &site{Store: st, svc: service.New(st, service.Config{})}
	if _, err := s.CreateApplication(t.Context(), "demo"); err == nil {
		s.create(t, "films", "title sentence")
	} else if service.ErrorCode(err) != service.CodeApplicationExists {
		t.Fatal(err)
	}
	return s
}

// A write that was acknowledged by any server is found by the next search on any other, while standbys lag, are killed, come back and are promoted;
// and standbys do answer.
func TestReadReplicas(t *testing.T) {
	t.Parallel()
	primary := storetest.NewCluster(t, nil)
	first, second := primary.Standby(), primary.Standby()
	config := store.Config{URL: primary.URL(), ReplicaURLs: []string{first.URL(), second.URL()}, MaxConns: 8}
	servers := []*site{serverOn(t, config), serverOn(t, config)}
	for _, s := range servers {
		for i := range 2 {
			eventually(t, "that the standbys take part", func() bool { return s.Replicas()[i].Ready })
		}
	}

	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	var written atomic.Int64
	for worker := range 4 {
		running.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				writer, reader := servers[(worker+i)%2], servers[(worker+i+i/2)%2]
				id := fmt.Sprintf("word%dx%d", worker, i)
				if _, err := writer.svc.UpsertDocument(t.Context(), "demo", "films", id, []byte(`{"title":"`+id+`"}`)); err != nil {
					t.Errorf("writing %s: %v", id, err)
					return
				}
				found, err := reader.svc.Search(t.Context(), demo, "films", ask(forWords(id)))
				if err != nil || found.Total != 1 {
					t.Errorf("%s was acknowledged, but a search finds %+v, %v", id, found, err)
					return
				}
				if _, err := reader.svc.GetDocument(t.Context(), "demo", "films", id); err != nil {
					t.Errorf("%s was acknowledged, but reading it: %v", id, err)
					return
				}
				written.Add(1)
			}
		})
	}
	progress := func(what string) {
		t.Helper()
		before := written.Load()
		eventually(t, "that writes and searches go on: "+what, func() bool { return t.Failed() || written.Load() > before+20 })
		t.Logf("%s: %d writes found", what, written.Load())
	}
	answers := func(c *storetest.Cluster) (n int64) {
		c.Query("SELECT coalesce(sum(seq_scan + idx_scan), 0)::bigint FROM pg_stat_user_tables WHERE schemaname = 'app_demo'", &n)
		return n
	}

	progress("both standbys")
	for _, standby := range []*storetest.Cluster{first, second} {
		before := answers(standby)
		eventually(t, "that a standby answers searches", func() bool { return answers(standby) > before })
	}
	first.Exec("SELECT pg_wal_replay_pause()")
	progress("one standby does not replay")
	second.Exec("SELECT pg_wal_replay_pause()")
	progress("no standby replays")
	first.Exec("SELECT pg_wal_replay_resume()")
	second.Exec("SELECT pg_wal_replay_resume()")
	eventually(t, "that the standbys have caught up", func() bool { return servers[0].Replicas()[0].Ready && servers[0].Replicas()[1].Ready })
	before := answers(first)
	eventually(t, "that the standby that has caught up answers searches", func() bool { return answers(first) > before })

	first.Kill()
	progress("a standby was killed")
	if servers[0].Replicas()[0].Ready {
		t.Error("a dead standby counts as ready")
	}
	first.Start()
	eventually(t, "that the standby is back", func() bool { return servers[0].Replicas()[0].Ready && servers[1].Replicas()[0].Ready })
	progress("the standby is back")

	// Exchanging a table takes a lock on the standbys that cancels searches there.
	for _, typ := range []mapping.Type{mapping.Text, mapping.Sentence} {
		if _, err := servers[0].svc.UpdateIndex(t.Context(), "demo", "films", []mapping.Mapping{{Name: "title", Type: typ}}, false); err != nil {
			t.Error(err)
		}
		progress("the mappings have changed")
	}

	second.Exec("SELECT pg_promote()")
	eventually(t, "that the promoted standby is left out", func() bool { return !servers[0].Replicas()[1].Ready && !servers[1].Replicas()[1].Ready })
	progress("a standby was promoted")

	end()
	running.Wait()
}

// A server starts and works although one standby does not exist and another is an unrelated database.
func TestReadReplicasThatAreNone(t *testing.T) {
	t.Parallel()
	primary := storetest.NewCluster(t, nil)
	stranger := storetest.NewCluster(t, nil)
	s := serverOn(t, store.Config{URL: primary.URL(), ReplicaURLs: []string{
		primary.URLAt("127.0.0.1:1", ""), stranger.URL(), primary.URL(),
	}})
	s.put(t, "films", "1", `{"title":"Alien"}`)
	for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		found, err := s.svc.Search(t.Context(), demo, "films", ask(forWords("alien")))
		if err != nil || found.Total != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, r := range s.Replicas() {
			if r.Ready {
				t.Fatalf("%s counts as a standby", r.Name)
			}
		}
	}
}

// A standby takes part although transactions of its database are serializable by default, which no standby can do.
func TestReadReplicaOfASerializableDatabase(t *testing.T) {
	t.Parallel()
	primary := storetest.NewCluster(t, nil)
	primary.Exec("ALTER DATABASE rowan SET default_transaction_isolation = 'serializable'")
	s := serverOn(t, store.Config{URL: primary.URL(), ReplicaURLs: []string{primary.Standby().URL()}})
	eventually(t, "that the standby takes part", func() bool { return s.Replicas()[0].Ready })
}

// The primary dies and a synchronous standby replaces it: nothing acknowledged is lost, and a standby that follows the new primary serves searches
// again.
func TestFailover(t *testing.T) {
	t.Parallel()
	primary := storetest.NewCluster(t, map[string]string{"full_page_writes": "on"}) // copying a standby needs it
	second := primary.Standby()
	third := second.Standby()
	primary.Exec("ALTER SYSTEM SET synchronous_standby_names = '*'")
	primary.Exec("SELECT pg_reload_conf()")
	url := primary.URLAt(primary.Address()+","+second.Address(), "") + "&target_session_attrs=read-write"
	s := serverOn(t, store.Config{URL: url, ReplicaURLs: []string{third.URL()}, MaxConns: 8})
	ready := func() bool { return s.Replicas()[0].Ready }
	eventually(t, "the standby to take part", ready)
	l := startLoad(t, s)
	l.progress("go on")
	primary.Kill()
	second.Exec("SELECT pg_promote()")
	l.progress("go on with the new primary")
	// The history that it follows is known from its last checkpoint.
	eventually(t, "the standby to follow the new primary", func() bool {
		second.Exec("CHECKPOINT")
		third.Exec("CHECKPOINT")
		return ready()
	})
	l.progress("go on with the standby")
	l.stop(second)
}
