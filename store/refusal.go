package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowansearch/rowan/service"
)

// raising is the routine of PostgreSQL that RAISE of PL/pgSQL ends in, whatever SQLSTATE the statement gives the error.
const raising = "exec_stmt_raise"

// refusal returns what a client hears of a write that a constraint or trigger refuses which somebody has added to the table of an index; nil if err
// is none. A trigger need not mean to refuse: it may take a value for a number which is none.
func refusal(err error) error {
	if !refusedByOthers(err) {
		return nil
	}
	return service.Errorf(service.CodeInvalidDocument, "A constraint or trigger that others added to the table of this index refuses a document; nothing was applied. The server's log has its message.").Because(namingFunction(err))
}

// namingFunction adds to err the function that it happened in, if any.
func namingFunction(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		if f := function(e); f != "" {
			return fmt.Errorf("%w, in %s", err, f)
		}
	}
	return err
}

func refusedByOthers(err error) bool {
	if errors.Is(err, errLeftOut) {
		return true
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	if _, told := errors.AsType[*service.Error](err); !ok || told || repeatable(err) {
		return false
	}
	if e.Code == stateRaised || strings.HasPrefix(e.Code, classConstraint) {
		return true
	}
	return inFunctionOfOthers(e) && (e.Routine == raising || strings.HasPrefix(e.Code, classData))
}

// failedInFunctionOfOthers tells that a statement of ours has called a function that is not ours, such as that of an event trigger, and that this failed.
func failedInFunctionOfOthers(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && inFunctionOfOthers(e)
}

func inFunctionOfOthers(e *pgconn.PgError) bool {
	f := function(e)
	return f != "" && !strings.Contains(f, " rowan.")
}

// function is the line of an error's context that names the function which the statement has called, "" if it is not of a procedural language. Unlike
// other lines it has no values of documents.
func function(e *pgconn.PgError) string {
	lines := strings.Split(e.Where, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "PL/") {
			return lines[i]
		}
	}
	return ""
}
