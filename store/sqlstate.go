package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/puddle/v2"

	"github.com/rowansearch/rowan/service"
)

// SQLSTATEs that the store acts on.
const (
	stateUniqueViolation     = "23505"
	stateRaised              = "P0001" // by RAISE without another
	stateUndefinedTable      = "42P01"
	stateUndefinedColumn     = "42703"
	stateUndefinedSchema     = "3F000"
	stateUndefinedObject     = "42704" // of what we name, a text-search configuration
	stateNoKey               = "42P10" // for ON CONFLICT
	stateDenied              = "42501"
	stateDuplicateTable      = "42P07" // also of views, sequences and indexes
	stateDependents          = "2BP01"
	stateSerializationFailed = "40001"
	stateDeadlock            = "40P01"
	stateLockNotAvailable    = "55P03"
	stateQueryCanceled       = "57014"
	stateUnsupported         = "0A000"
	stateTooManyConnections  = "53300"
	stateProgramLimit        = "54000"
	stateTooManyColumns      = "54011"
	stateReadOnly            = "25006"
	stateIdleInTransaction   = "25P03"
	stateTransactionTimeout  = "25P04" // PostgreSQL 17
	stateProtocolViolation   = "08P01" // what PgBouncer has for most errors of its own
	stateLeftUndone          = "01R01" // a warning of Rowan's own migrations
)

// Classes of SQLSTATEs, their first two or three characters.
const (
	classConnection = "08"
	classData       = "22" // values that are not what they are taken for
	classConstraint = "23"
	classRollback   = "40"
	classAccess     = "42" // what there is not, or may not be used
	classResources  = "53" // disk full, out of memory, too many connections
	classSystem     = "58" // errors of files
	classShutdown   = "57P"
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
	case stateSerializationFailed, stateDeadlock:
		return true
	}
	return errors.Is(err, errRepeat) || planChanged(err) || schemaMade(err)
}

// planChanged tells that a prepared statement returns other columns since a table has changed. The same SQLSTATE has whatever PostgreSQL does not
// do, as our statements on a table with rules of somebody else.
func planChanged(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == stateUnsupported && e.Routine == "RevalidateCachedQuery"
}

// schemaMade tells that another transaction has made the schema meanwhile, which CREATE SCHEMA IF NOT EXISTS cannot see before.
func schemaMade(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.ConstraintName == "pg_namespace_nspname_index"
}

// errRepeat asks for a transaction to be run again; nothing of it was applied.
var errRepeat = errors.New("something came between")

// errUncertain tells that nobody knows whether a write was committed.
var errUncertain = errors.New("the connection was lost during a commit")

// uncertain marks the error of a statement that commits itself, or of a commit, as errUncertain if it is. What pgconn calls
// safe to retry is not: the last error of a connection that broke in a commit is that it is closed.
func uncertain(err error) error {
	if broken(err) {
		return fmt.Errorf("%w: %w", errUncertain, err)
	}
	return err
}

// unpublishable tells that a table is in a publication that has no key by which subscribers could find its rows, as logs of changes: it takes no
// changes then but new rows.
func unpublishable(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Routine == "CheckCmdReplicaIdentity"
}

// locksUsedUp tells that PostgreSQL's table of locks is full. The name of the setting is the same in all languages of the hint.
func locksUsedUp(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && strings.HasPrefix(e.Code, classResources) && strings.Contains(e.Hint, "max_locks_per_transaction")
}

// gone tells whether a table or column that the statement names is not there (any more).
func gone(err error) bool {
	switch state(err) {
	case stateUndefinedTable, stateUndefinedColumn, stateUndefinedSchema:
		return true
	}
	return false
}

// stale is ErrStale with its cause: where it comes again and again, something other than the index has changed.
func stale(err error) error {
	switch {
	case errors.Is(err, service.ErrStale):
		return err
	case gone(err):
		return fmt.Errorf("%w: %w: %w", service.ErrStale, service.ErrMissing, err)
	}
	return fmt.Errorf("%w: %w", service.ErrStale, err)
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
	switch {
	case full(err):
		return unavailable("The database has no connection left.", err)
	case locksUsedUp(err):
		return unavailable("The database has no room for as many locks as this takes; nothing was applied. Operator: raise max_locks_per_transaction and restart PostgreSQL.", err)
	case strings.HasPrefix(code, classResources):
		return unavailable("The database is out of disk space or memory; nothing was applied. Reads still work.", err)
	case strings.HasPrefix(code, classSystem):
		return unavailable("The database cannot use its files at the moment; nothing was applied.", err)
	case code == stateReadOnly:
		return unavailable("The database accepts no writes at the moment; nothing was applied.", err)
	case code == stateDenied:
		return unavailable("The database does not grant the service a right that this request needs; nothing was applied. The operator must grant the right on what the server's log names.", err)
	case code == stateUndefinedObject:
		// Without Retry-After: somebody has to do something about it.
		return service.Errorf(service.CodeUnavailable, "The database lacks the text-search configuration that is the language of the index, or Rowan may not use it because everybody may create objects in the schema public. The server's log names it for the operator.").Because(err)
	case unpublishable(err):
		// Without Retry-After, for the same reason.
		return service.Errorf(service.CodeUnavailable, "PostgreSQL cannot publish changes of a Rowan table that is in a publication; nothing was applied. Operator: set REPLICA IDENTITY FULL on the table named in PostgreSQL's log, or publish TABLES IN SCHEMA app_<application> instead of ALL TABLES.").Because(err)
	case code == stateDependents:
		return dependedOn(dependents(err))
	case code == stateTooManyColumns:
		return service.Errorf(service.CodeInvalidMapping, "The mappings need more than the 1600 columns that a PostgreSQL table can have: a text, name or keyword takes 5, a number or date 2, a long text 1. Map fewer properties.").Because(err)
	case code == stateProgramLimit:
		return service.Errorf(service.CodeInvalidDocument, "A document is larger than PostgreSQL can store, or has values for more mapped properties than fit into a row. Make it smaller, or map fewer properties.").Because(err)
	case strings.HasPrefix(code, classRollback), code == stateLockNotAvailable, repeatable(err) && !connectionLost(err):
		return unavailable("Another request or session is changing the same data or holds a lock on it; nothing was applied. Try again.", err)
	case code == stateUnsupported:
		// Without Retry-After: somebody has to do something about it.
		return service.Errorf(service.CodeUnavailable, "The table of the index was changed in a way that PostgreSQL cannot handle here, for example by a rule (CREATE RULE); nothing was applied. The server's log has the details. Operator: replace the rule with a trigger.").Because(err)
	case code == stateNoKey:
		// Without Retry-After, for the same reason.
		return service.Errorf(service.CodeUnavailable, "The table of the index lacks its primary key, as after a restore that was interrupted; nothing was applied. Operator: restore the database anew, or ALTER TABLE … ADD PRIMARY KEY (_id).").Because(err)
	case code == stateQueryCanceled:
		return unavailable("The database took longer than allowed; nothing was applied.", err)
	case errors.Is(err, context.Canceled) && !connecting(err):
		return err
	case isWaiting(err):
		return unavailable("All connections to the database are in use; nothing was applied.", err)
	case errors.Is(err, errUncertain):
		// Without Retry-After: clients take that to mean that nothing was applied, and would do it twice.
		return service.Errorf(service.CodeUnavailable, "The connection to the database was lost while the write was being committed. It was applied completely or not at all: check before you retry.").Because(err)
	case connectionLost(err):
		return unavailable("The database cannot be reached; nothing was applied.", err)
	case failedInFunctionOfOthers(err):
		// Without Retry-After: somebody has to do something about it.
		return service.Errorf(service.CodeUnavailable, "Something that others created in the database, such as an event trigger, refuses what this request needs; nothing was applied. The server's log names the function for the operator.").Because(namingFunction(err))
	}
	return err
}

// dependents is what PostgreSQL says of the objects that keep a table from being dropped.
func dependents(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fmt.Errorf("%s: %s", e.Message, e.Detail)
	}
	return err
}

// isWaiting tells that there was no connection to be had in time.
func isWaiting(err error) bool {
	return err == context.DeadlineExceeded //nolint:errorlint // what the pool returns; a statement's is wrapped
}

// connectionLost tells that there is no connection to the server, or was none in the end. What the server said
// last counts as well: that it is shut down, started up or has none left.
func connectionLost(err error) bool {
	if err == nil {
		return false
	}
	if code := state(err); code != "" {
		return connecting(err) || strings.HasPrefix(code, classConnection) || strings.HasPrefix(code, classShutdown) ||
			code == stateIdleInTransaction || code == stateTransactionTimeout
	}
	if connecting(err) {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, lost := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, context.DeadlineExceeded, puddle.ErrClosedPool} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return pgconn.Timeout(err) || pgconn.SafeToRetry(err)
}

// connecting tells that a connection could not be made. The pool gives that up, as if somebody had canceled it, when its
// other connections break; a client that leaves is not told of it.
func connecting(err error) bool {
	_, ok := errors.AsType[*pgconn.ConnectError](err)
	return ok
}

// broken tells that a connection broke that was there, so that another one may serve.
func broken(err error) bool {
	if connecting(err) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	return connectionLost(err)
}

// transact runs f in a transaction. When the connection breaks before the commit, nothing is applied, and the error
// asks for a repetition; when it breaks in the commit, nobody knows.
func (s *Store) transact(ctx context.Context, f func(tx pgx.Tx) error) error {
	committing := false
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		err := f(tx)
		committing = err == nil
		return err
	})
	return s.writeFailed(ctx, err, committing)
}

// inBatches is transact for what begins its transaction with its first batch: a round trip fewer. The commit is one of its
// own all the same, because of a connection that breaks together with the last batch nobody could tell.
func (s *Store) inBatches(ctx context.Context, f func(conn *pgx.Conn) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return s.writeFailed(ctx, err, false)
	}
	defer conn.Release() // ends a connection that is still in a transaction
	if err = f(conn.Conn()); err == nil {
		_, err = conn.Exec(ctx, "commit")
		return s.writeFailed(ctx, err, true)
	}
	if !conn.Conn().IsClosed() && conn.Conn().PgConn().TxStatus() != 'I' { // or PostgreSQL logs a warning
		_, _ = conn.Exec(ctx, "rollback") // a connection that cannot is thrown away
	}
	return s.writeFailed(ctx, err, false)
}

// writeFailed is the error of a transaction that has ended with err, if any.
func (s *Store) writeFailed(ctx context.Context, err error, committing bool) error {
	if !broken(err) || ctx.Err() != nil {
		return err
	}
	s.pool.Reset() // the others are likely to be broken as well
	if committing {
		return uncertain(err)
	}
	return fmt.Errorf("%w: %w", errRepeat, err)
}

// onPool runs f, which only reads, and once more when the connection broke: after a restart of PostgreSQL those of
// the pool all are, which is not for the client to find out. Nor is that PostgreSQL has ended it for a deadlock.
func onPool[T any](ctx context.Context, pool *pgxpool.Pool, f func() (T, error)) (T, error) {
	began := time.Now()
	out, err := f()
	for crowded(ctx, err, began) || deadlocked(ctx, err, began) {
		out, err = f()
	}
	if broken(err) && ctx.Err() == nil {
		pool.Reset()
		return f()
	}
	return out, err
}

// deadlockedWait is how long after its beginning a read is run again that deadlocks have ended. Each has taken PostgreSQL's
// deadlock_timeout, a second.
const deadlockedWait = 10 * time.Second

// deadlocked tells that a read was ended for a deadlock and may be run again. It locks a table and its indexes one after the
// other, and so does REINDEX, in another order.
func deadlocked(ctx context.Context, err error, began time.Time) bool {
	return state(err) == stateDeadlock && time.Since(began) < deadlockedWait && ctx.Err() == nil
}

// listOn collects the rows of a statement that only reads, as onPool runs it.
func listOn[T any](ctx context.Context, pool *pgxpool.Pool, to pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	return onPool(ctx, pool, func() ([]T, error) {
		rows, _ := pool.Query(ctx, sql, args...)
		return pgx.CollectRows(rows, to)
	})
}

// oneOn is listOn for what selects one row.
func oneOn[T any](ctx context.Context, pool *pgxpool.Pool, to pgx.RowToFunc[T], sql string, args ...any) (T, error) {
	return onPool(ctx, pool, func() (T, error) {
		rows, _ := pool.Query(ctx, sql, args...)
		return pgx.CollectExactlyOneRow(rows, to)
	})
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
	began := time.Now()
	for attempt := 1; ; attempt++ {
		err := f()
		for crowded(ctx, err, began) {
			err = f()
		}
		if err == nil || attempt == maxAttempts || !repeatable(err) {
			return clientError(err)
		}
		if err := pause(ctx, time.Duration(1+rand.IntN(10*attempt))*time.Millisecond); err != nil {
			return err
		}
	}
}
