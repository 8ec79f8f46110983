package store_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// limitedRole creates a role that may log in, and returns the address of db for it, and a function that limits its connections.
func limitedRole(t *testing.T, db *storetest.DB) (address string, limit func(n int)) {
	t.Helper()
	u, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	role := fmt.Sprintf("limited_%d", time.Now().UnixNano())
	exec := func(sql string) {
		if _, err := db.Pool.Exec(context.Background(), sql); err != nil {
			t.Error(err)
		}
	}
	exec("CREATE ROLE " + role + " LOGIN PASSWORD 'secret'")
	t.Cleanup(func() { exec("DROP OWNED BY " + role + "; DROP ROLE " + role) })
	u.User = url.UserPassword(role, "secret")
	return u.String(), func(n int) { exec(fmt.Sprintf("ALTER ROLE %s CONNECTION LIMIT %d", role, n)) }
}

// roleOf returns the role in an address.
func roleOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.User.Username()
}

// A server that cannot open another connection, because other servers have them, is healthy as long as it works with those that it has; the log says
// what to do.
func TestHealthWhereConnectionsAreScarce(t *testing.T) {
	t.Parallel()
	address, limit := limitedRole(t, storetest.New(t))
	var log bytes.Buffer
	st, err := store.Open(t.Context(), store.Config{URL: address, MaxConns: 3, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	closing := sync.OnceFunc(st.Close)
	defer closing()
	ping := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return st.Ping(ctx)
	}
	take := func(take func(context.Context) (func(), error)) (release func()) {
		release, err := take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	limit(2) // those that Open has made: one in each pool
	write, read := take(st.TakeWrite), take(st.TakeRead)
	if err := ping(); err == nil {
		t.Error("well, though nobody gets a connection")
	}
	read()
	if err := ping(); err != nil {
		t.Errorf("a connection for searches is free: %v", err)
	}
	read = take(st.TakeReadAmongOthers)
	answered, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			read()
			release, err := st.TakeReadAmongOthers(t.Context()) // the check may have taken the one that was returned
			if err != nil {
				t.Error(err)
				return
			}
			read = release
			select {
			case <-answered:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	if err := ping(); err != nil {
		t.Errorf("others get connections: %v", err)
	}
	close(answered)
	<-done
	read()
	write()
	closing()
	if n := strings.Count(log.String(), "has no connection left"); n != 2 || !strings.Contains(log.String(), "ROWAN_POOL_SIZE") {
		t.Errorf("%d warnings; want one of each pool: %s", n, log.String())
	}
}

// A server that finds no connection at its start waits for one for a while.
func TestStartWhereConnectionsAreScarce(t *testing.T) {
	t.Parallel()
	address, limit := limitedRole(t, storetest.New(t))
	limit(0)
	go func() {
		time.Sleep(500 * time.Millisecond)
		limit(4)
	}()
	st, err := store.Open(t.Context(), store.Config{URL: address, MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	st.Close()
}

// If it still finds none, it says what is wrong, and does not blame the address.
func TestStartWithoutAConnection(t *testing.T) {
	t.Parallel()
	address, limit := limitedRole(t, storetest.New(t))
	limit(0)
	st, err := store.Open(t.Context(), store.Config{URL: address, MaxConns: 2})
	if err == nil {
		st.Close()
		t.Fatal("there was a connection")
	}
	if got := err.Error(); !strings.HasPrefix(got, "PostgreSQL has no connection left: ") || strings.Contains(got, "cannot be reached") {
		t.Error(got)
	}
}

// Connections that writes no longer need become available to searches at once if PostgreSQL has no others.
func TestIdleConnectionsAreGivenBackWhereTheyAreScarce(t *testing.T) {
	t.Parallel()
	address, limit := limitedRole(t, storetest.New(t))
	st, err := store.Open(t.Context(), store.Config{URL: address, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var ends []func()
	take := func(take func(context.Context) (func(), error)) error {
		end, err := take(t.Context())
		if err == nil {
			ends = append(ends, end)
		}
		return err
	}
	release := func() {
		for _, end := range ends {
			end()
		}
		ends = nil
	}
	defer release()
	for range 4 {
		if err := take(st.TakeWrite); err != nil {
			t.Fatal(err)
		}
	}
	release()
	limit(5) // four for writes, and one for searches
	for n := range 4 {
		if err := take(st.TakeReadAmongOthers); err != nil {
			t.Fatalf("search %d has no connection: %v", n+1, err)
		}
	}
	if err := take(st.TakeWrite); err != nil {
		t.Errorf("none is kept for writes: %v", err)
	}
}
