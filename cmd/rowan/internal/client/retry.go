package client

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// The pause before the first new attempt, and the longest between two.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// Temporary tells whether the same request may succeed later: the connection failed or broke, or the
// server, or a proxy before it, answered 429, 502, 503 or 504.
func Temporary(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if problem, ok := errors.AsType[*Error](err); ok {
		switch problem.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return false
	}
	// What is left came from the transport, or from an answer that broke off.
	return true
}

// Unreachable tells whether err means that nothing answers at the server's address.
func Unreachable(err error) bool {
	_, isTransport := errors.AsType[*url.Error](err)
	return isTransport && Temporary(err)
}

// Retry calls do until it succeeds, fails for good, or has been failing for patience. The pauses grow
// from a tenth of a second to five seconds, half of each at random so that clients do not come back
// together, and are never shorter than the server asked for. do must be safe to repeat. notify, which
// may be nil, is told of each failure that is tried again.
func Retry(ctx context.Context, patience time.Duration, notify func(err error, pause time.Duration), do func() error) error {
	start := time.Now()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := do()
		if err == nil || ctx.Err() != nil || !Temporary(err) {
			return err
		}
		wait := pause/2 + rand.N(pause/2+1)
		if problem, ok := errors.AsType[*Error](err); ok {
			wait = max(wait, problem.RetryAfter)
		}
		if time.Since(start)+wait > patience {
			return err
		}
		if notify != nil {
			notify(err, wait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}
