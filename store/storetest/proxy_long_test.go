//go:build long

package storetest

import (
	"io"
	"net"
	"testing"
	"time"
)

// Connections that the proxy is just making are cut, too: a test that refuses and cuts relies on nobody reaching the server any more.
func TestProxyCutsConnectionsUnderWay(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	for range 300 {
		p := NewProxy(t, server.Addr().String())
		conn, err := net.Dial("tcp", p.Address())
		if err != nil {
			t.Fatal(err)
		}
		p.Refuse(true)
		p.Cut()
		_, _ = conn.Write([]byte("x"))
		_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		if n, err := conn.Read(make([]byte, 1)); n > 0 {
			t.Fatal("a connection has survived the cut")
		} else if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Fatal("a connection is neither cut nor served")
		}
		_ = conn.Close()
	}
}
