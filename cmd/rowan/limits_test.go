package main

import (
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
		{"--max-inflight", "0"}, {"--max-inflight", "much"}, {"--lock-timeout", "0s"}, {"--lock-timeout", "-1s"},
		{"--cors-origins", "https://shop.example.org/"}, {"--cors-origins", "shop.example.org"}, {"--cors-origins", "https://*.example.org"},
		{"--cors-origins", "https://shop.example.org/page"}, {"--cors-origins", "null"}, {"--cors-origins", "https://a.example,*b"},
	} {
		if _, err := parsed(t, append([]string{"serve"}, args...)...); err == nil || !strings.Contains(err.Error(), args[0]) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
