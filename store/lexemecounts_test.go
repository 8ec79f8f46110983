package store_test

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/storetest"
)

// Lexemes without postings are counted along with them, block by block, and counted again after blocks have changed.
func TestRarerLexemesAreCounted(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title name")
	s.many(t, "things", 200, func(i int) string { return fmt.Sprintf(`{"title":"common rare%d"}`, i%100) })
	if err := buildPostings(ctx, s.Store, 100); err != nil {
		t.Fatal(err)
	}
	before := countedLexemes(t, s.db)
	if before["rare7"] != 2 || len(before) != 100 {
		t.Fatalf("%v are counted", before)
	}
	ix, err := s.CurrentIndex(ctx, "demo", "things")
	if err != nil {
		t.Fatal(err)
	}
	s.many(t, "things", 50, func(i int) string { return `{"title":"common rare7"}` })
	for again := true; again; {
		if again, err = s.Accelerate(ctx, ix); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(before, countedLexemes(t, s.db)); diff != "" {
		t.Errorf("counted within a minute: (-before +after)\n%s", diff)
	}
	if err := s.AgeCounts(ctx, ix, "2 min"); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Accelerate(ctx, ix); err != nil {
		t.Fatal(err)
	}
	if n := countedLexemes(t, s.db)["rare7"]; n != 51 {
		t.Errorf("two minutes after a block was built again %d documents are counted, not 51", n)
	}
}

// A word that may be a misspelling of a common one has its own rarity, even if the common one has postings; a word that no document has takes the
// rarity of the common one.
func TestRareWordsAreAsRareAsTheyAre(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title name")
	body := func(word string) func(int) string { return func(int) string { return `{"title":"` + word + `"}` } }
	s.many(t, "things", 200, body("common"))
	s.buildPostings(t)
	s.many(t, "things", 2, body("commn")) // the builder's counts do not include it yet
	rarity := func(n float64) float64 { return math.Log(1 + (200-n+0.5)/(n+0.5)) }
	for _, test := range []struct {
		query     string
		documents float64
	}{{"commn ", 2}, {`"commn"`, 2}, {"commonn ", 198}, {"common OR commn ", 200}} {
		resp := s.search(t, "things", forWords(test.query), explained)
		if len(resp.Hits) == 0 {
			t.Fatalf("%s finds nothing", test.query)
		}
		if got := resp.Hits[0].Explanation.Words[0].Rarity; math.Abs(got-rarity(test.documents)) > 1e-3 {
			t.Errorf("%s has rarity %g, want %g", test.query, got, rarity(test.documents))
		}
	}
}

// countedLexemes returns the counts of an index's accelerator after comparing them with those of the table, except for what was written since.
func countedLexemes(t *testing.T, db *storetest.DB) map[string]int64 {
	t.Helper()
	counted := counts(t, db, "SELECT l, n FROM rowan.accelerators, unnest(counted, counts) AS u(l, n)")
	var lexemes, late string
	err := db.Pool.QueryRow(t.Context(), "SELECT pg_get_expr(i.indexprs, i.indrelid), EXISTS (SELECT FROM rowan.accelerators WHERE rebuilt_at > counted_at)::text FROM pg_index i WHERE i.indexrelid = 'app_demo.\"things._search\"'::regclass").Scan(&lexemes, &late)
	if err != nil {
		t.Fatal(err)
	}
	if late == "true" {
		return counted
	}
	all := counts(t, db, "SELECT l, count(*) FROM app_demo.things, unnest(tsvector_to_array("+lexemes+")) AS l GROUP BY l")
	maps.DeleteFunc(all, func(l string, _ int64) bool { _, ok := counted[l]; return !ok })
	maps.DeleteFunc(counted, func(_ string, n int64) bool { return n == 0 })
	if diff := cmp.Diff(all, counted); diff != "" {
		t.Errorf("(-table +counted)\n%s", diff)
	}
	return counted
}

func counts(t *testing.T, db *storetest.DB, sql string) map[string]int64 {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	var l string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&l, &n}, func() error { out[l] = n; return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}
