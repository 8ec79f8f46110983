//go:build long

package storetest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy forwards TCP connections, and cuts them on request.
type Proxy struct {
	listener net.Listener

	mu     sync.Mutex
	target string
	conns  map[net.Conn]struct{}
	cuts   int // so far: a connection that is being made during one is cut, too
	refuse bool
	budget atomic.Int64 // bytes to the server until the next cut; negative: no cut
	sent   atomic.Int64
}

// NewProxy starts a proxy to an address.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, target: target, conns: map[net.Conn]struct{}{}}
	p.budget.Store(-1)
	go p.serve()
	t.Cleanup(func() {
		_ = l.Close()
		p.Cut()
	})
	return p
}

// Address returns the address that the proxy listens on.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Refuse makes the proxy close every new connection at once, or stop doing so.
func (p *Proxy) Refuse(refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = refuse
}

// Turn redirects new connections to another address.
func (p *Proxy) Turn(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// Cut closes all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
	p.cuts++
}

// CutAfter closes all connections as soon as that many more bytes have been sent to the server; these bytes still reach it.
func (p *Proxy) CutAfter(bytes int64) { p.budget.Store(bytes) }

// Sent returns the number of bytes received from clients.
func (p *Proxy) Sent() int64 { return p.sent.Load() }

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		refuse, target, cuts := p.refuse, p.target, p.cuts
		p.mu.Unlock()
		if refuse {
			_ = client.Close()
			continue
		}
		server, err := net.Dial("tcp", target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		cut := p.cuts != cuts
		if !cut {
			p.conns[client], p.conns[server] = struct{}{}, struct{}{}
		}
		p.mu.Unlock()
		if cut {
			_, _ = client.Close(), server.Close()
			continue
		}
		go p.pass(server, client, true)
		go p.pass(client, server, false)
	}
}

func (p *Proxy) pass(to, from net.Conn, counted bool) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		_, _ = to.Close(), from.Close()
		delete(p.conns, to)
		delete(p.conns, from)
	}()
	if !counted {
		_, _ = io.Copy(to, from)
		return
	}
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			p.sent.Add(int64(n))
			left := p.budget.Load()
			if left >= 0 {
				left = p.budget.Add(-int64(n))
				if left < 0 {
					_, _ = to.Write(buffer[:max(0, int64(n)+left)])
					p.budget.Store(-1)
					p.Cut()
					return
				}
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
