package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// restore recreates what follows the documents, and what writes need, if somebody has dropped it. Writes have failed without it, so the log of
// changes lacks only the rows that it had, and all documents are counted again.
func restore(ctx context.Context, tx pgx.Tx, sh table.Shape) error {
	if err := setLockTimeout(ctx, tx); err != nil {
		return err
	}
	var statements []string
	numbered, err := areThere(ctx, tx, []string{sh.Sequence})
	if err != nil {
		return err
	}
	if !numbered {
		statements = append(statements, "CREATE SCHEMA IF NOT EXISTS "+sqltext.Quote(sh.Derived), "CREATE SEQUENCE "+sh.Sequence,
			"ALTER TABLE "+sh.Table+" ALTER _seq SET DEFAULT nextval("+sqltext.Literal(sh.Sequence)+")")
	}
	// Nothing to set if there is no document, or if the sequence is already as far. last_value is 1 before the first number is drawn, too.
	statements = append(statements, "SELECT setval("+sqltext.Literal(sh.Sequence)+", max(_seq)) FROM "+sh.Table+
		" HAVING max(_seq) > (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM "+sh.Sequence+")")
	statements = append(statements, sh.DropFollowing()...)
	statements = append(statements, sh.CreateChanges()...)
	return execAll(ctx, tx, append(statements, sh.CreateFollowing(false)...))
}

// areThereSQL selects whether all tables and sequences exist.
const areThereSQL = "SELECT bool_and(to_regclass(t) IS NOT NULL) FROM unnest($1::text[]) AS t"

func areThere(ctx context.Context, tx pgx.Tx, tables []string) (there bool, err error) {
	err = tx.QueryRow(ctx, areThereSQL, tables).Scan(&there)
	return there, err
}

// followAnew returns the DDL that recomputes what follows the documents from a rebuilt table. Until that is done, searches use the old words and
// suggestions: the documents are the same.
func followAnew(ctx context.Context, tx pgx.Tx, sh table.Shape) ([]string, error) {
	there, err := areThere(ctx, tx, sh.Following())
	if err != nil || !there {
		return append(sh.DropFollowing(), sh.CreateFollowing(false)...), err
	}
	statements := append(sh.RecountWords(), "UPDATE "+sh.Progress()+" SET counted_to = 0, beside = true, drift = 0")
	if len(sh.Suggested) == 0 {
		// Nothing follows the documents' suggestions any more.
		statements = append(statements, "TRUNCATE "+sh.Suggestions()+", "+sh.Contributions())
	}
	return statements, nil
}
