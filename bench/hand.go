package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// hand is what a developer would write without a search service: a table with a tsvector, a GIN index on it, and
// B-tree or GIN indexes on the columns to filter by.
type hand struct {
	db       *pgxpool.Pool
	table    string
	language string
	keys     []handKey
	// fill selects the row of a document u(id, b).
	fill    string
	hasDate bool
	suggest bool
}

// handKey is a column for filters and facets.
type handKey struct {
	column string
	array  bool
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// newHand creates the table for documents of a corpus.
func newHand(ctx context.Context, db *pgxpool.Pool, table string, c *corpus) (*hand, error) {
	h := &hand{db: db, table: table, language: literal(c.language), hasDate: c.date() != "", suggest: c.suggested() != ""}
	text := func(fields []string) string {
		parts := []string{"''"}
		for _, f := range fields {
			parts = append(parts, "b ->> "+literal(f))
		}
		return "to_tsvector(" + h.language + ", concat_ws(' ', " + strings.Join(parts, ", ") + "))"
	}
	columns := []string{"id text PRIMARY KEY", "body jsonb NOT NULL", "tsv tsvector NOT NULL"}
	values := []string{"id", "b", "setweight(" + text(c.titles()) + ", 'A') || setweight(" + text(c.texts()) + ", 'D')"}
	indexes := []string{"CREATE INDEX ON " + table + " USING gin (tsv)"}
	sample, err := c.read(200)
	if err != nil {
		return nil, err
	}
	for i, field := range c.keywords() {
		if i == 2 {
			break
		}
		k := handKey{column: fmt.Sprintf("key%d", i+1), array: severalValues(sample, field)}
		h.keys = append(h.keys, k)
		if k.array {
			columns = append(columns, k.column+" text[]")
			values = append(values, "CASE jsonb_typeof(b -> "+literal(field)+") WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(b -> "+literal(field)+")) END")
			indexes = append(indexes, "CREATE INDEX ON "+table+" USING gin ("+k.column+")")
		} else {
			columns = append(columns, k.column+" text")
			values = append(values, "b ->> "+literal(field))
			indexes = append(indexes, "CREATE INDEX ON "+table+" ("+k.column+")")
		}
	}
	if h.hasDate {
		columns = append(columns, "day timestamptz")
		values = append(values, "(b ->> "+literal(c.date())+")::timestamptz")
		indexes = append(indexes, "CREATE INDEX ON "+table+" (day)")
	}
	if h.suggest {
		columns = append(columns, "title text")
		values = append(values, "b ->> "+literal(c.suggested()))
		indexes = append(indexes, "CREATE INDEX ON "+table+" (lower(left(title, 200)) text_pattern_ops)")
	}
	h.fill = strings.Join(values, ", ")
	statements := append([]string{"CREATE TABLE " + table + " (" + strings.Join(columns, ", ") + ")"}, indexes...)
	for _, s := range statements {
		if _, err := db.Exec(ctx, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s, err)
		}
	}
	return h, nil
}

// severalValues tells whether a field is an array in one of the documents.
func severalValues(docs []document, field string) bool {
	for _, d := range docs {
		if bytes.Contains(d.body, []byte(`"`+field+`":[`)) || bytes.Contains(d.body, []byte(`"`+field+`": [`)) {
			return true
		}
	}
	return false
}

func (h *hand) drop(ctx context.Context) error {
	_, err := h.db.Exec(ctx, "DROP TABLE "+h.table)
	return err
}

// insert stores documents in one statement, the fastest of several ways tried.
func (h *hand) insert(ctx context.Context, docs []document) error {
	ids, bodies := make([]string, len(docs)), make([]string, len(docs))
	for i, d := range docs {
		ids[i], bodies[i] = d.id, string(d.body)
	}
	_, err := h.db.Exec(ctx, "INSERT INTO "+h.table+" SELECT "+h.fill+" FROM unnest($1::text[], $2::jsonb[]) AS u(id, b)", ids, bodies)
	return err
}

// handQuery is a hand-written search: a tsquery and an optional filter, with their parameters.
type handQuery struct {
	where string // with the tsquery
	query string // the tsquery alone
	args  []any
	order string // "" is by rank
}

// newest has the latest documents first.
func (q handQuery) newest() handQuery {
	q.order = "day DESC NULLS LAST, id"
	return q
}

// words is a query that requires all words; prefix tells that the last one is only the beginning of a word.
func (h *hand) words(text string, prefix bool) handQuery {
	q := handQuery{query: "plainto_tsquery(" + h.language + ", $1)", args: []any{text}}
	if prefix {
		i := strings.LastIndexByte(text, ' ')
		q.query = "(plainto_tsquery(" + h.language + ", $1) && to_tsquery(" + h.language + ", $2 || ':*'))"
		q.args = []any{text[:max(i, 0)], text[i+1:]}
	}
	q.where = "tsv @@ " + q.query
	return q
}

// anyOf is a query for which one word is enough.
func (h *hand) anyOf(text string) handQuery {
	query := "replace(plainto_tsquery(" + h.language + ", $1)::text, '&', '|')::tsquery"
	return handQuery{where: "tsv @@ " + query, query: query, args: []any{text}}
}

// narrow adds the filter.
func (h *hand) narrow(q handQuery, f filter) handQuery {
	add := func(value string) string {
		q.args = append(q.args, value)
		return fmt.Sprintf("$%d", len(q.args))
	}
	if f.field != "" {
		if k := h.keys[0]; k.array {
			q.where += " AND " + k.column + " @> ARRAY[" + add(f.value) + "]"
		} else {
			q.where += " AND " + k.column + " = " + add(f.value)
		}
	}
	if f.date != "" {
		q.where += " AND day >= " + add(f.from) + "::timestamptz AND day < " + add(f.to) + "::timestamptz + interval '1 day'"
	}
	return q
}

// search finds the first ten and the total, and counts the values of the keys if facets are requested.
func (h *hand) search(ctx context.Context, q handQuery, facets bool) ([]string, error) {
	columns, order := "id, body", q.order
	if order == "" {
		columns, order = columns+", ts_rank(tsv, "+q.query+") AS score", "score DESC, id"
	}
	rows, err := h.db.Query(ctx, "SELECT "+columns+" FROM "+h.table+" WHERE "+q.where+" ORDER BY "+order+" LIMIT 10", q.args...)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) { return string(row.RawValues()[0]), nil })
	if err != nil {
		return nil, err
	}
	statements := []string{"SELECT count(*) FROM " + h.table + " WHERE " + q.where}
	if facets {
		for _, k := range h.keys {
			from, column := h.table, k.column
			if k.array {
				from, column = from+", unnest("+column+") AS one", "one"
			}
			statements = append(statements, "SELECT "+column+", count(*) AS n FROM "+from+" WHERE "+q.where+" GROUP BY 1 ORDER BY n DESC LIMIT 100")
		}
	}
	for _, s := range statements {
		if err := h.discard(ctx, s, q.args...); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// complete finds titles that begin with a text.
func (h *hand) complete(ctx context.Context, text string) error {
	pattern := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(text)) + "%"
	return h.discard(ctx, "SELECT title, count(*) AS n FROM "+h.table+" WHERE lower(left(title, 200)) LIKE "+literal(pattern)+" GROUP BY 1 ORDER BY n DESC LIMIT 10")
}

// discard runs a query and reads its rows.
func (h *hand) discard(ctx context.Context, sql string, args ...any) error {
	rows, err := h.db.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	for rows.Next() {
		_ = rows.RawValues()
	}
	return rows.Err()
}
