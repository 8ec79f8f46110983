package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// Whoever writes rows through psql knows nothing about the logs that words, suggestions and postings follow. Triggers log these rows one by one; for
// rows that the API writes, they only check a setting. Rows that somebody's trigger or foreign key writes meanwhile are not the API's.

// loggedSetting is set in transactions that log what they write themselves. It is the number of the index being written, so that rows of other
// indices, which somebody's trigger may write, are still logged.
const loggedSetting = "rowan.logged"

// createTriggers returns the DDL of the triggers of an index's table.
func createTriggers(sh table.Shape, indexID int64) []string {
	id := sqltext.Literal(fmt.Sprint(indexID))
	of := "current_setting(" + sqltext.Literal(loggedSetting) + ", true) IS DISTINCT FROM " + id + " OR pg_trigger_depth() > 0"
	logs := sqltext.Literal(lockClass) + ", " + id + ", " + sqltext.Literal(sh.Changes) + ", " + sqltext.Literal(sh.Touched()) + ", " + sqltext.Literal(sh.RebuildLog)
	return []string{
		"CREATE TRIGGER rowan_log AFTER INSERT OR UPDATE OR DELETE ON " + sh.Table + " FOR EACH ROW WHEN (" + of + ") EXECUTE FUNCTION rowan.log_row(" + logs + ")",
		"CREATE TRIGGER rowan_row BEFORE INSERT OR UPDATE ON " + sh.Table + " FOR EACH ROW WHEN (" + of + ") EXECUTE FUNCTION rowan.number_row(" + sqltext.Literal(sh.Sequence) + ")",
		"CREATE TRIGGER rowan_truncate BEFORE TRUNCATE ON " + sh.Table + " EXECUTE FUNCTION rowan.refuse_truncate()",
		// Also for what logical replication applies.
		"ALTER TABLE " + sh.Table + " ENABLE ALWAYS TRIGGER rowan_log, ENABLE ALWAYS TRIGGER rowan_row, ENABLE ALWAYS TRIGGER rowan_truncate",
	}
}

// awaitWriters waits, for at most patience, until the transactions that are currently writing to a table have ended, and reports whether they have.
// The API's writers hold a lock of the index; this is for other writers, which may not know about a log that has just been created.
func awaitWriters(ctx context.Context, conn querier, table string, patience time.Duration) (ended bool, err error) {
	const writing = "SELECT l.virtualtransaction FROM pg_locks l WHERE l.relation = to_regclass($1) AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.mode = 'RowExclusiveLock' AND l.granted"
	writers := func(sql string, args ...any) ([]string, error) {
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[string])
	}
	left, err := writers(writing, table)
	for end := time.Now().Add(patience); err == nil && len(left) > 0; {
		if time.Now().After(end) {
			return false, nil
		}
		if err = pause(ctx, 20*time.Millisecond); err == nil {
			left, err = writers(writing+" AND l.virtualtransaction = ANY($2::text[])", table, left)
		}
	}
	return err == nil, err
}
