package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/sqltext"
)

func (r relations) words() string {
	return sqltext.Quote(r.derived) + "." + sqltext.Quote(fit(r.name, "_words"))
}
func (r relations) recount() string {
	return sqltext.Quote(r.derived) + "." + sqltext.Quote(fit(r.name, "_recount"))
}
func (r relations) contributions() string {
	return sqltext.Quote(r.derived) + "." + sqltext.Quote(fit(r.name, "_suggested"))
}
func (r relations) suggestions() string {
	return sqltext.Quote(r.derived) + "." + sqltext.Quote(fit(r.name, "_suggestions"))
}
func (r relations) progress() string {
	return sqltext.Quote(r.derived) + "." + sqltext.Quote(fit(r.name, "_progress"))
}

// following are the tables of what follows the documents.
func (r relations) following() []string {
	return []string{r.words(), r.suggestions(), r.contributions(), r.progress()}
}

// beside is all that has to be there besides: writes number documents by the sequence and log them.
func (r relations) beside() []string { return append(r.following(), r.sequence, r.changes) }

// createFollowing is the DDL of what follows the documents. counted says that there is no document yet which
// the log will not name.
func (s shape) createFollowing(counted bool) []string {
	to := "0"
	if counted {
		to = "NULL"
	}
	statements := append(s.createWords(s.words()),
		"CREATE TABLE "+s.suggestions()+` (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  documents integer NOT NULL CHECK (documents > 0),
  spellings jsonb
)`,
		"CREATE INDEX ON "+s.suggestions()+" (documents DESC, key)",
		suggestionIndex(s.suggestions()),
		"COMMENT ON TABLE "+s.suggestions()+" IS "+sqltext.Literal("Suggestions of "+s.name+" with the number of documents that give them; spellings where these differ."),
		"CREATE TABLE "+s.contributions()+" (_seq bigint PRIMARY KEY, suggestions text[] NOT NULL)",
		"COMMENT ON TABLE "+s.contributions()+" IS "+sqltext.Literal("What each document of "+s.name+" has added to the suggestions."),
		"CREATE TABLE "+s.progress()+" (documents bigint NOT NULL, drift bigint NOT NULL, counted_to bigint, beside boolean NOT NULL, dealt_with bigint NOT NULL)",
		publishable(s.progress()),
		"COMMENT ON TABLE "+s.progress()+" IS "+sqltext.Literal("How far the vocabulary of "+s.name+" has got: documents counted, of these changed or gone since, and, while all are being counted, the last number that was (beside: into a table of its own). dealt_with grows with all that was done, from where no table of that name was before."),
		"INSERT INTO "+s.progress()+" VALUES (0, 0, "+to+", false, "+momentSQL+")")
	return statements
}

// dropFollowing is the DDL that removes it.
func (s shape) dropFollowing() []string {
	var out []string
	for _, table := range append(s.following(), s.recount()) {
		out = append(out, "DROP TABLE IF EXISTS "+table)
	}
	return out
}

// restore makes anew what follows the documents, and what writes need of what somebody has dropped. They have failed without it:
// the log of changes lacks none but those that it had, and all documents are counted again.
func restore(ctx context.Context, tx pgx.Tx, sh shape) error {
	if err := setLockTimeout(ctx, tx); err != nil {
		return err
	}
	var statements []string
	numbered, err := areThere(ctx, tx, []string{sh.sequence})
	if err != nil {
		return err
	}
	if !numbered {
		statements = append(statements, "CREATE SCHEMA IF NOT EXISTS "+sqltext.Quote(sh.derived), "CREATE SEQUENCE "+sh.sequence,
			"ALTER TABLE "+sh.table+" ALTER _seq SET DEFAULT nextval("+sqltext.Literal(sh.sequence)+")")
	}
	// None where there is no document, nor where the sequence has got as far.
	statements = append(statements, "SELECT setval("+sqltext.Literal(sh.sequence)+", max(_seq)) FROM "+sh.table+" HAVING max(_seq) > (SELECT last_value FROM "+sh.sequence+")")
	statements = append(statements, sh.dropFollowing()...)
	statements = append(statements, sh.createChanges()...)
	return execAll(ctx, tx, append(statements, sh.createFollowing(false)...))
}

// areThereSQL tells whether tables and sequences exist.
const areThereSQL = "SELECT bool_and(to_regclass(t) IS NOT NULL) FROM unnest($1::text[]) AS t"

func areThere(ctx context.Context, tx pgx.Tx, tables []string) (there bool, err error) {
	err = tx.QueryRow(ctx, areThereSQL, tables).Scan(&there)
	return there, err
}

// recountWords is the DDL of a vocabulary beside that in use.
func (s shape) recountWords() []string {
	return append([]string{"DROP TABLE IF EXISTS " + s.recount()}, s.createWords(s.recount())...)
}

// followAnew is the DDL by which what follows the documents is made anew from a table that was rebuilt. Searches use the
// old words and suggestions until then: the documents are the same.
func followAnew(ctx context.Context, tx pgx.Tx, sh shape) ([]string, error) {
	there, err := areThere(ctx, tx, sh.following())
	if err != nil || !there {
		return append(sh.dropFollowing(), sh.createFollowing(false)...), err
	}
	statements := append(sh.recountWords(), "UPDATE "+sh.progress()+" SET counted_to = 0, beside = true, drift = 0")
	if len(sh.suggested) == 0 {
		// Nobody follows what documents give now.
		statements = append(statements, "TRUNCATE "+sh.suggestions()+", "+sh.contributions())
	}
	return statements, nil
}
