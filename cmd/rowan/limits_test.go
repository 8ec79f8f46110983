package main

import (
	"bufio"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestGuards(t *testing.T) {
	c, err := parsed(t, "serve")
	want := guardFlags{MaxInflight: 128 << 20, LockTimeout: 30 * time.Second}
	if diff := cmp.Diff(want, c.Serve.guardFlags); diff != "" || err != nil {
		t.Errorf("defaults: %v (-want +got):\n%s", err, diff)
	}
	t.Setenv("ROWAN_MAX_INFLIGHT", "256MiB")
	t.Setenv("ROWAN_LOCK_TIMEOUT", "5s")
	t.Setenv("ROWAN_CORS_ORIGINS", "https://shop.example.org,http://localhost:3000")
	c, err = parsed(t, "serve")
	want = guardFlags{MaxInflight: 256 << 20, LockTimeout: 5 * time.Second, CORSOrigins: []string{"https://shop.example.org", "http://localhost:3000"}}
	if diff := cmp.Diff(want, c.Serve.guardFlags); diff != "" || err != nil {
		t.Errorf("from the environment: %v (-want +got):\n%s", err, diff)
	}
	if _, err := parsed(t, "serve", "--cors-origins", "*"); err != nil {
		t.Errorf("all origins: %v", err)
	}
	for _, args := range [][]string{
		{"--max-inflight", "0"}, {"--max-inflight", "much"}, {"--lock-timeout", "0s"}, {"--lock-timeout", "-1s"}, {"--lock-timeout", "600h"},
		{"--cors-origins", "https://shop.example.org/"}, {"--cors-origins", "shop.example.org"}, {"--cors-origins", "https://*.example.org"},
		{"--cors-origins", "https://shop.example.org/page"}, {"--cors-origins", "null"}, {"--cors-origins", "https://a.example,*b"},
		{"--cors-origins", "https://a.example,*"},
	} {
		if _, err := parsed(t, append([]string{"serve"}, args...)...); err == nil || !strings.Contains(err.Error(), args[0]) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestHeadersOf64KiB checks the limit in docs/errors.md against what net/http makes of the setting.
func TestHeadersOf64KiB(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(nil)
	server.Config = newServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), slog.New(slog.DiscardHandler))
	server.Start()
	t.Cleanup(server.Close)
	for size, want := range map[int]int{64 << 10: http.StatusOK, 64<<10 + 1: http.StatusRequestHeaderFieldsTooLarge} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		head, end := "GET / HTTP/1.1\r\nHost: x\r\nA: ", "\r\n\r\n"
		if _, err := conn.Write([]byte(head + strings.Repeat("a", size-len(head)-len(end)) + end)); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		defer response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%d bytes: %d, want %d", size, response.StatusCode, want)
		}
	}
}
