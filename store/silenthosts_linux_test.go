package store_test

import (
	"context"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// silentAddress returns an address at which nobody answers, like a machine without power: a socket whose queue of connections is full.
func silentAddress(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}).String()
	for range 10 {
		conn, err := net.DialTimeout("tcp", address, 500*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Fatal("the address answers")
	return ""
}

// While one of several hosts is dead, not every new connection waits for it before trying the next.
func TestSilentHostsAreLeftOut(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	address, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.Host = silentAddress(t) + "," + address.Host
	s, err := store.Open(t.Context(), store.Config{URL: address.String(), MaxConns: 4, SearchTimeout: 7 * time.Second, LockTimeout: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // each would wait 5 s
	defer cancel()
	var open []*pgxpool.Conn
	for range 3 {
		conn, err := s.Reads().Acquire(ctx)
		if err != nil {
			t.Fatal("a connection has waited for the host that does not answer:", err)
		}
		open = append(open, conn)
	}
	for _, conn := range open {
		if addr := conn.Conn().PgConn().Conn().RemoteAddr().String(); !strings.HasSuffix(db.URL[:strings.LastIndex(db.URL, "/")], addr) {
			t.Errorf("connected to %s", addr)
		}
		conn.Release()
	}
}
