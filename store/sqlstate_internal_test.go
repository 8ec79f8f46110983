package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"github.com/rowansearch/rowan/service"
)

// closedConn is what pgconn says of a connection that broke earlier, after a commit was sent, too.
type closedConn struct{}

func (closedConn) Error() string     { return "conn closed" }
func (closedConn) SafeToRetry() bool { return true }

// What goes wrong between us and PostgreSQL is never an internal error for the client.
func TestClientErrors(t *testing.T) {
	t.Parallel()
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	for name, c := range map[string]struct {
		err  error
		want service.Code
	}{
		"disk full":            {&pgconn.PgError{Code: "53100"}, service.CodeUnavailable},
		"out of memory":        {&pgconn.PgError{Code: "53200"}, service.CodeUnavailable},
		"too many connections": {&pgconn.PgError{Code: "53300"}, service.CodeUnavailable},
		"configured limit":     {&pgconn.PgError{Code: "53400"}, service.CodeUnavailable},
		"file error":           {&pgconn.PgError{Code: "58030"}, service.CodeUnavailable},
		"file missing":         {&pgconn.PgError{Code: "58P01"}, service.CodeUnavailable},
		"read only":            {&pgconn.PgError{Code: "25006"}, service.CodeUnavailable},
		"idle in transaction":  {&pgconn.PgError{Code: "25P03"}, service.CodeUnavailable},
		"transaction timeout":  {&pgconn.PgError{Code: "25P04"}, service.CodeUnavailable},
		"serialization":        {&pgconn.PgError{Code: "40001"}, service.CodeUnavailable},
		"deadlock":             {&pgconn.PgError{Code: "40P01"}, service.CodeUnavailable},
		"lock not available":   {&pgconn.PgError{Code: "55P03"}, service.CodeUnavailable},
		"canceled":             {&pgconn.PgError{Code: "57014"}, service.CodeUnavailable},
		"admin shutdown":       {&pgconn.PgError{Code: "57P01"}, service.CodeUnavailable},
		"crash shutdown":       {&pgconn.PgError{Code: "57P02"}, service.CodeUnavailable},
		"starting up":          {&pgconn.PgError{Code: "57P03"}, service.CodeUnavailable},
		"database dropped":     {&pgconn.PgError{Code: "57P04"}, service.CodeUnavailable},
		"connection failure":   {&pgconn.PgError{Code: "08006"}, service.CodeUnavailable},
		"a view on a table":    {&pgconn.PgError{Code: "2BP01"}, service.CodeIndexInUse},
		"row too large":        {&pgconn.PgError{Code: "54000"}, service.CodeInvalidDocument},
		"end of file":          {fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), service.CodeUnavailable},
		"connection reset":     {fmt.Errorf("writing: %w", reset), service.CodeUnavailable},
		"closed socket":        {net.ErrClosed, service.CodeUnavailable},
		"pool closed":          {puddle.ErrClosedPool, service.CodeUnavailable},
		"no connection free":   {context.DeadlineExceeded, service.CodeUnavailable},
		"after repetitions":    {fmt.Errorf("%w: %w", errRepeat, io.ErrUnexpectedEOF), service.CodeUnavailable},
		"others in between":    {errRepeat, service.CodeUnavailable},
		"plan changed":         {&pgconn.PgError{Code: "0A000", Routine: "RevalidateCachedQuery"}, service.CodeUnavailable},
		"the client left":      {context.Canceled, service.CodeInternal}, // nobody hears it
		"a fault of ours":      {&pgconn.PgError{Code: "42601"}, service.CodeInternal},
		"known already":        {service.Errorf(service.CodeIndexExists, "There is one."), service.CodeIndexExists},
		"nothing":              {nil, ""},
		"in a commit":          {uncertain(reset), service.CodeUnavailable},
		"closed in a commit":   {uncertain(closedConn{}), service.CodeUnavailable},
		"closed":               {closedConn{}, service.CodeUnavailable},
	} {
		got := clientError(c.err)
		if service.ErrorCode(got) != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
		if e, ok := errors.AsType[*service.Error](got); ok && e.Code == service.CodeUnavailable && (e.RetryAfter > 0) == errors.Is(c.err, errUncertain) {
			// Clients take a time to mean that nothing was applied.
			t.Errorf("%s: to be tried again after %s", name, e.RetryAfter)
		}
	}
}

// A full table of locks is not a full disk: the setting is named.
func TestLocksUsedUp(t *testing.T) {
	t.Parallel()
	err := clientError(&pgconn.PgError{Code: "53200", Message: "out of shared memory", Hint: `You might need to increase "max_locks_per_transaction".`})
	if service.ErrorCode(err) != service.CodeUnavailable || !strings.Contains(err.Error(), "max_locks_per_transaction") {
		t.Error(err)
	}
}

// What a repetition cannot mend in the end is no internal error either.
func TestRetryGivesUp(t *testing.T) {
	t.Parallel()
	tries := 0
	err := retry(t.Context(), func() error {
		tries++
		return fmt.Errorf("%w: %w", errRepeat, io.ErrUnexpectedEOF)
	})
	if tries != maxAttempts || service.ErrorCode(err) != service.CodeUnavailable {
		t.Errorf("%d attempts, %v", tries, err)
	}
}

// A connection that the pool gave up while it was made is none to be had, not a client that has left.
func TestAbandonedConnections(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := pgconn.Connect(ctx, "postgres://rowan@127.0.0.1:1/rowan")
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if e, ok := errors.AsType[*service.Error](clientError(err)); !ok || e.Code != service.CodeUnavailable {
		t.Errorf("%v is %v", err, clientError(err))
	}
	if err := clientError(context.Canceled); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
