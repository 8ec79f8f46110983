package store

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// A statement that needs a table for itself waits behind the searches that read it, and all later ones wait
// behind it. So it gives up soon, lets them pass, and tries again.
const (
	lockTimeout  = "200ms"
	lockPatience = 60 * time.Second
)

func setLockTimeout(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '"+lockTimeout+"'")
	return err
}

// withTable runs f, a transaction under setLockTimeout, until it gets its locks.
func (s *Store) withTable(ctx context.Context, f func() error) error {
	for end := time.Now().Add(lockPatience); ; {
		err := f()
		if state(err) != stateLockNotAvailable {
			return err
		}
		if time.Now().After(end) {
			e := service.Errorf(service.CodeUnavailable, "The index is in use by searches that do not end; nothing was changed. Try again.").Because(err)
			e.RetryAfter = 10 * time.Second
			return e
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(20+rand.IntN(80)) * time.Millisecond):
		}
	}
}
