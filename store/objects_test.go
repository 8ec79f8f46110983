package store_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// forSeconds returns a connection whose statements end after 40 s: quadratic algorithms would take minutes or hours.
func (s *site) forSeconds(t *testing.T) *pgxpool.Conn {
	t.Helper()
	conn, err := s.db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SET statement_timeout = '40s'"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = conn.Exec(context.Background(), "RESET statement_timeout")
		conn.Release()
	})
	return conn
}

// What a dotted name finds in arrays of objects, in order.
func TestFieldsOfManyObjects(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for body, want := range map[string]string{
		`{"d":[{"x":null},{"x":[1,[2]]},{"y":1},3,[{"x":{"a":1}}],{"x":[]}]}`: `[null, 1, [2], {"a": 1}]`,
		`{"d":[{"x":[]}]}`:          `[]`,
		`{"d":[{"y":1}]}`:           ``,
		`{"d":[]}`:                  ``,
		`{"d":{"x":5}}`:             `5`,
		`{"d.x":7,"d":{"x":5}}`:     `7`,
		`{"d":[{"x":1}],"d.y":[2]}`: `[1]`,
		`{"d":[{"x":null},{"x":[1,[2],[]]},{"y":1},3,null,{"x":{"a":[1]}},{"x":[]},{"x":"s"}]}`: `[null, 1, [2], [], {"a": [1]}, "s"]`,
		`{"d":[1,{"x":2},{"x":2},{"x":2},{"x":2},{"x":2},{"x":2},{"x":[2]},{"x":[[2]]}]}`:       `[2, 2, 2, 2, 2, 2, 2, [2]]`,
		`{"d":[1,null]}`: ``,
	} {
		var got string
		if err := s.db.Pool.QueryRow(t.Context(), "SELECT coalesce(rowan.field($1::jsonb, 'd.x')::text, '')", body).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", body, got, err, want)
		}
	}
	// Copying what was found for each further object took minutes.
	conn := s.forSeconds(t)
	var found int
	if err := conn.QueryRow(t.Context(), `SELECT jsonb_array_length(rowan.field(jsonb_build_object('d', jsonb_agg(jsonb_build_object('x', 'text ' || n))), 'd.x'))
		FROM generate_series(1, 100000) n`).Scan(&found); err != nil || found != 100000 {
		t.Errorf("%d of 100,000 objects, %v", found, err)
	}
}

// A few objects are searched without a query, which connections that plan every execution anew would plan for each document.
func TestFieldsOfFewObjects(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	err := pgx.BeginFunc(t.Context(), s.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "SET LOCAL track_functions = 'all'"); err != nil {
			return err
		}
		for body, want := range map[string]int{`{"d":[{"x":1},{"y":2}]}`: 0, `{"d":[{"x":1},[{"x":2}]]}`: 1} {
			var before, after int
			const queries = "SELECT coalesce((SELECT calls FROM pg_stat_xact_user_functions WHERE schemaname = 'rowan' AND funcname = 'flat'), 0)"
			if err := tx.QueryRow(t.Context(), queries).Scan(&before); err != nil {
				return err
			}
			if _, err := tx.Exec(t.Context(), "SELECT rowan.field($1::jsonb, 'd.x')", body); err != nil {
				return err
			}
			if err := tx.QueryRow(t.Context(), queries).Scan(&after); err != nil {
				return err
			}
			if got := after - before; got != want {
				t.Errorf("%s takes %d queries, want %d", body, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Functions that read the values of a long array take the same time per value, however many there are.
func TestManyValues(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	conn := s.forSeconds(t)
	const many = 1000000
	var found int
	if err := conn.QueryRow(t.Context(), "SELECT cardinality(rowan.number_all(jsonb_agg(n))) FROM generate_series(1, $1::int) n", many).Scan(&found); err != nil || found != many {
		t.Errorf("%d of %d values, %v", found, many, err)
	}
}
