package service

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// silentKeys is a store that answers no question for keys before its wait is over.
type silentKeys struct{ Store }

func (silentKeys) KeyHashes(ctx context.Context, _ string) ([]KeyHash, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(10 * time.Second):
		return nil, Errorf(CodeUnavailable, "There is no connection.")
	}
}

// While the database does not answer, nobody waits for all others who ask for keys that are not remembered.
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
