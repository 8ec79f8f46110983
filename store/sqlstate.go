package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowansearch/rowan/service"
)

// SQLSTATEs that the store acts on.
const (
	stateUniqueViolation     = "23505"
	stateUndefinedTable      = "42P01"
	stateUndefinedColumn     = "42703"
	stateUndefinedSchema     = "3F000"
	stateDuplicateTable      = "42P07"
	stateSerializationFailed = "40001"
	stateDeadlock            = "40P01"
	stateLockNotAvailable    = "55P03"
	stateQueryCanceled       = "57014"
	statePlanChanged         = "0A000"
	stateDiskFull            = "53100"
	stateTooManyConnections  = "53300"
	stateOutOfMemory         = "53200"
	stateProgramLimit        = "54000"
	stateReadOnly            = "25006"
)

// state returns the SQLSTATE of err, or "".
func state(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// repeatable tells whether a transaction that failed with err may simply be run again: PostgreSQL has undone it.
func repeatable(err error) bool {
	switch state(err) {
	case stateSerializationFailed, stateDeadlock, statePlanChanged:
		return true
	}
	return errors.Is(err, errRepeat)
}

// errRepeat asks for a transaction to be rolled back and run again.
var errRepeat = errors.New("another transaction came between")

// gone tells whether a table or column that the statement names is not there (any more).
func gone(err error) bool {
	switch state(err) {
	case stateUndefinedTable, stateUndefinedColumn, stateUndefinedSchema:
		return true
	}
	return false
}

// clientError turns what PostgreSQL or the connection says into what a client may hear. Errors that say
// nothing to it are returned as they are.
func clientError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*service.Error](err); ok {
		return err
	}
	code := state(err)
	switch code {
	case stateDiskFull, stateOutOfMemory:
		return unavailable("The database has no room left; nothing was applied. Reads go on.", err)
	case stateTooManyConnections, stateReadOnly:
		return unavailable("The database takes no writes just now; nothing was applied.", err)
	case stateProgramLimit:
		return service.Errorf(service.CodeInvalidDocument, "A document is larger than PostgreSQL can store.").Because(err)
	}
	if len(code) == 5 && (code[:2] == "08" || code[:3] == "57P") {
		return unavailable("The database is not reachable just now.", err)
	}
	if code == "" && !errors.Is(err, context.Canceled) && (pgconn.Timeout(err) || isConnectError(err)) {
		return unavailable("The database is not reachable just now.", err)
	}
	return err
}

func isConnectError(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, context.DeadlineExceeded)
}

func unavailable(detail string, cause error) error {
	e := service.Errorf(service.CodeUnavailable, "%s", detail).Because(cause)
	e.RetryAfter = time.Second
	return e
}

// maxAttempts bounds how often a transaction is run. Batches that lock documents in the same order rarely
// meet twice.
const maxAttempts = 6

// retry runs f again while it fails in a way that a repetition may mend.
func retry(ctx context.Context, f func() error) error {
	for attempt := 1; ; attempt++ {
		err := f()
		if err == nil || attempt == maxAttempts || !repeatable(err) {
			return clientError(err)
		}
		pause := time.Duration(1+rand.IntN(10*attempt)) * time.Millisecond
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
