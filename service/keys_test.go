package service

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// silentKeys is a store that does not answer a request for keys before its timeout.
type silentKeys struct{ Store }

func (silentKeys) KeyHashes(ctx context.Context, _ string) ([]KeyHash, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(10 * time.Second):
		return nil, Errorf(CodeUnavailable, "There is no connection.")
	}
}

// countedKeys is a store that takes a while to read keys, and counts how often it does.
type countedKeys struct {
	Store
	reads atomic.Int64
}

func (c *countedKeys) KeyHashes(context.Context, string) ([]KeyHash, error) {
	c.reads.Add(1)
	time.Sleep(20 * time.Millisecond)
	return []KeyHash{{Key: Key{ID: "1", Type: SearchKey}, Hash: sha256.Sum256([]byte("rks_the-key-of-the-shop")), ReadAt: time.Now()}}, nil
}

// The keys of an application are read twice a second, however many requests use them.
func TestKeysAreReadOnceForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &countedKeys{}
		svc := New(store, Config{})
		var wait sync.WaitGroup
		for range 100 {
			wait.Go(func() {
				for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
					if _, err := svc.Authenticate(t.Context(), "shop", "rks_the-key-of-the-shop"); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wait.Wait()
		// At first none are cached, and a few requests look for them.
		if n := store.reads.Load(); n < 15 || n > 20+maxStrangers {
			t.Errorf("in ten seconds the keys were read %d times", n)
		}
	})
}

// While the database does not answer, no request waits for all others that ask for keys that are not cached.
func TestKeysThatCannotBeLookedUpAreToldSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		svc := New(silentKeys{}, Config{})
		for i := range 100 {
			go func() {
				began := time.Now()
				_, err := svc.Authenticate(t.Context(), fmt.Sprint("shop", i%2), "rks_whatever-it-is")
				if ErrorCode(err) != CodeUnavailable || time.Since(began) > 20*time.Second {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
			}()
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
	})
}

// silencedKeys is a store that reads the keys of an application once, and then no longer answers.
type silencedKeys struct {
	silentKeys
	answered atomic.Bool
}

func (s *silencedKeys) KeyHashes(ctx context.Context, application string) ([]KeyHash, error) {
	if s.answered.CompareAndSwap(false, true) {
		return []KeyHash{{Key: Key{ID: "1", Type: SearchKey}, Hash: sha256.Sum256([]byte("rks_the-key-of-the-shop")), ReadAt: time.Now()}}, nil
	}
	return s.silentKeys.KeyHashes(ctx, application)
}

// The same holds for keys that are not among the cached ones, although only one request at a time looks for these.
func TestUnknownKeysThatCannotBeLookedUpAreToldSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		svc := New(&silencedKeys{}, Config{})
		if _, err := svc.Authenticate(t.Context(), "shop", "rks_the-key-of-the-shop"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
		for i := range 100 {
			go func() {
				began := time.Now()
				_, err := svc.Authenticate(t.Context(), "shop", fmt.Sprint("rks_another-key-", i))
				if ErrorCode(err) != CodeUnavailable || time.Since(began) > 20*time.Second {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
	})
}
