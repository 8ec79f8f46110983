package store_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// Connections to a dead machine are given up long before the kernel would: those for searches a little after the search timeout, others a little
// after the lock timeout.
func TestSilentConnectionsAreGivenUp(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s, err := store.Open(t.Context(), store.Config{URL: db.URL, MaxConns: 2, SearchTimeout: 7 * time.Second, LockTimeout: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, test := range []struct {
		name string
		pool *pgxpool.Pool
		want time.Duration
	}{{"searches", s.Reads(), 12 * time.Second}, {"writes", s.Writes(), 33 * time.Second}} {
		conn, err := test.pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := conn.Conn().PgConn().Conn().(syscall.Conn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		var ms int // TCP_USER_TIMEOUT
		if err := raw.Control(func(fd uintptr) { ms, _ = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, 0x12) }); err != nil {
			t.Fatal(err)
		}
		conn.Release()
		if got := time.Duration(ms) * time.Millisecond; got != test.want {
			t.Errorf("connections for %s are given up after %s, want %s", test.name, got, test.want)
		}
	}
}
