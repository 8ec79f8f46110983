package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// guardFlags limit what clients and other users of the database can do to the service, and what browsers may do.
type guardFlags struct {
	MaxInflight byteSize      `env:"ROWAN_MAX_INFLIGHT" default:"128MiB" placeholder:"SIZE" help:"Memory for bodies over 64KiB and the documents of answers together; requests beyond it wait a second and are then refused with 429 or 503 (${default})."`
	LockTimeout time.Duration `env:"ROWAN_LOCK_TIMEOUT" default:"30s" help:"How long a write waits for a lock that another session holds in the database, 1ms to 24h (${default}). Deleting, clearing and changing an index tries for about a minute instead."`
	CORSOrigins []string      `name:"cors-origins" env:"ROWAN_CORS_ORIGINS" placeholder:"ORIGIN" help:"Origins whose pages may search, such as https://shop.example.org, or * for all. Default: none. Never put an admin key into a page."`
}

// longestTimeout is far below the longest timeout of PostgreSQL, 2^31 ms, beyond which no connection could be set up.
const longestTimeout = 24 * time.Hour

// Validate refuses settings that cannot work.
func (f guardFlags) Validate() error {
	if f.LockTimeout < time.Millisecond || f.LockTimeout > longestTimeout {
		return errors.New("--lock-timeout (ROWAN_LOCK_TIMEOUT) must be 1ms to 24h")
	}
	for _, origin := range f.CORSOrigins {
		if origin == "*" && len(f.CORSOrigins) == 1 {
			continue
		}
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin || strings.Contains(origin, "*") {
			return fmt.Errorf("--cors-origins (ROWAN_CORS_ORIGINS): %q is not an origin: write it like https://shop.example.org, without a path or a / at its end, or * alone", origin)
		}
	}
	return nil
}
