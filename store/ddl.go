package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// A statement that needs a table for itself waits for the searches that read it, and all later ones wait behind it. So it gives up soon, lets them
// pass, and tries again.
// With each attempt it waits longer: the searches of a busy index never all end at the same time, and an autovacuum only yields after
// deadlock_timeout, which is one second.
const (
	firstLockTimeout = 200 * time.Millisecond
	mostLockTimeout  = 3 * time.Second
	lockPatience     = 60 * time.Second
)

// setLockTimeout is for a transaction that will be tried again later anyway.
func setLockTimeout(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, lockTimeoutSQL(firstLockTimeout))
	return err
}

func lockTimeoutSQL(d time.Duration) string {
	return fmt.Sprintf("SET LOCAL lock_timeout = %d", d.Milliseconds())
}

// withTable runs f, a transaction that begins with the given statement, until it gets its locks.
func (s *Store) withTable(ctx context.Context, f func(lockTimeout string) error) error {
	timeout := firstLockTimeout
	for end := time.Now().Add(lockPatience); ; timeout = min(timeout*5/4, mostLockTimeout) {
		err := f(lockTimeoutSQL(timeout))
		if state(err) != stateLockNotAvailable {
			return err
		}
		if time.Now().After(end) {
			return inUse("long-running searches or transactions", err)
		}
		if err := pause(ctx, time.Duration(20+rand.IntN(80))*time.Millisecond); err != nil {
			return err
		}
	}
}

// inUse returns the error of a change that has waited for others in vain.
func inUse(by string, cause error) error {
	e := service.Errorf(service.CodeUnavailable, "The index is in use by %s; nothing was changed. Try again.", by).Because(cause)
	e.RetryAfter = 10 * time.Second
	return e
}
