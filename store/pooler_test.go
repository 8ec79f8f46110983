package store_test

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// pooler is a connection pooler such as PgBouncer in front of the database of a test.
type pooler struct {
	transactions bool                      // a client has a session for a single transaction only
	sessions     chan *pgconn.HijackedConn // the free ones
}

// startPooler returns the address of db through a pooler with n sessions.
func startPooler(t *testing.T, db *storetest.DB, n int, transactions bool) (address string) {
	t.Helper()
	p := &pooler{transactions: transactions, sessions: make(chan *pgconn.HijackedConn, n)}
	for range n {
		conn, err := pgconn.Connect(t.Context(), db.URL)
		if err != nil {
			t.Fatal(err)
		}
		session, err := conn.Hijack()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Conn.Close() })
		p.sessions <- session
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	u, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.Host, u.RawQuery = listener.Addr().String(), "sslmode=disable"
	return u.String()
}

// serve serves one client connection. As with PgBouncer, a client that waits for a session and goes away stays in the queue.
func (p *pooler) serve(conn net.Conn) {
	defer conn.Close()
	client := pgproto3.NewBackend(conn, conn)
	if start, err := client.ReceiveStartupMessage(); err != nil {
		return
	} else if _, ok := start.(*pgproto3.StartupMessage); !ok {
		return // a request to cancel a statement
	}
	client.Send(&pgproto3.AuthenticationOk{})
	for name, value := range map[string]string{"client_encoding": "UTF8", "standard_conforming_strings": "on"} {
		client.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	client.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 0}})
	client.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if client.Flush() != nil {
		return
	}
	var session *pgconn.HijackedConn
	defer func() {
		if session == nil {
			return
		}
		session.Frontend.Send(&pgproto3.Sync{})
		session.Frontend.Send(&pgproto3.Query{String: "ROLLBACK"})
		session.Frontend.Send(&pgproto3.Query{String: "DISCARD ALL"})
		if session.Frontend.Flush() != nil {
			return
		}
		for ready := 0; ready < 3; {
			m, err := session.Frontend.Receive()
			if err != nil {
				return
			}
			if _, ok := m.(*pgproto3.ReadyForQuery); ok {
				ready++
			}
		}
		p.sessions <- session
	}()
	for {
		m, err := client.Receive()
		if _, ends := m.(*pgproto3.Terminate); err != nil || ends {
			return
		}
		if session == nil {
			session = <-p.sessions
		}
		session.Frontend.Send(m)
		switch m.(type) {
		case *pgproto3.Query, *pgproto3.Sync:
		default:
			continue
		}
		if session.Frontend.Flush() != nil {
			return
		}
		for ready := false; !ready; {
			m, err := session.Frontend.Receive()
			if err != nil {
				return
			}
			client.Send(m)
			if r, ok := m.(*pgproto3.ReadyForQuery); ok {
				ready = true
				if p.transactions && r.TxStatus == 'I' {
					p.sessions <- session
					session = nil
				}
			}
		}
		if client.Flush() != nil {
			return
		}
	}
}

// A pooler that lends sessions for single transactions is rejected at the start, before anything is set in a session that others may use.
func TestSharedSessionsAreRefused(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 5} { // with more than two, the one that has rested longest is a different one each time
		db := storetest.New(t)
		st, err := store.Open(t.Context(), store.Config{URL: startPooler(t, db, n, true)})
		if err == nil {
			st.Close()
			t.Fatalf("%d sessions: started", n)
		}
		if !strings.Contains(err.Error(), "pool_mode = session") {
			t.Errorf("%d sessions: %v", n, err)
		}
		var set int
		if err := db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SET %' AND query NOT LIKE 'SET TRANSACTION %'").Scan(&set); err != nil || set > 0 {
			t.Errorf("%d sessions: something was set in %d, error %v", n, set, err)
		}
	}
}

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// So is such a pooler in front of a standby. The server starts, and the log says what to do.
func TestSharedSessionsOfAStandby(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var log lockedBuffer
	st, err := store.Open(t.Context(), store.Config{URL: db.URL, ReplicaURLs: []string{startPooler(t, db, 2, true)}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	eventually(t, "that the log names the setting of the pooler", func() bool { return strings.Contains(log.String(), "pool_mode = session") })
	if st.Replicas()[0].Ready {
		t.Error("the standby takes part")
	}
}

// Two servers whose pools are larger than a pooler's take turns with its sessions, and do not queue for them in vain.
func TestServersBehindASmallPooler(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	address := startPooler(t, db, 6, false)
	config := store.Config{URL: address, MaxConns: 8}
	one := siteWith(t, db, config)
	one.create(t, "films", "title name")
	other := openWith(t, config)
	servers := []*site{one, {Store: other, db: db, svc: service.New(other, service.Config{})}}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	var answered atomic.Int32
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			for server := servers[i%2]; ctx.Err() == nil; answered.Add(1) {
				if err := server.Ping(t.Context()); err != nil {
					t.Error(err)
				}
				if _, err := server.svc.Search(t.Context(), demo, "films", ask()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := answered.Load(); n < 100 {
		t.Errorf("%d answers in four seconds", n)
	}
}
