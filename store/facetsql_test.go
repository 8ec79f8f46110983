package store_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Facets of properties without a mapping count what rowan.facet_values says that documents have.
func TestFacetsWithoutMappingCountWhatDocumentsHave(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name")
	random := rand.New(rand.NewPCG(3, 9))
	var value func(depth int) string
	value = func(depth int) string {
		scalars := []string{`"Red"`, `"red"`, `"RÉD"`, `"red house"`, `""`, `"2.5"`, "2.5", "2.50", "-0", "0", "1e3", "1000", "12345678901234567890", "true", "false", `"true"`, "null"}
		if depth == 0 || random.IntN(3) > 0 {
			return scalars[random.IntN(len(scalars))]
		}
		parts := make([]string, random.IntN(5))
		for i := range parts {
			parts[i] = value(depth - 1)
		}
		if random.IntN(3) > 0 {
			return "[" + strings.Join(parts, ",") + "]"
		}
		for i := range parts {
			parts[i] = fmt.Sprintf(`"p%d":%s`, i, parts[i])
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	for i := range 300 {
		s.put(t, "things", fmt.Sprint(i), `{"free":`+value(3)+`}`)
	}
	rows, _ := s.db.Pool.Query(t.Context(), `WITH spellings AS (SELECT key COLLATE "C" AS key, value, count(*) AS n FROM app_demo.things, rowan.facet_values(_body -> 'free') GROUP BY 1, 2)
		SELECT (array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]::text || '=' || sum(n) FROM spellings GROUP BY key
		ORDER BY sum(n) DESC, min(CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric END) NULLS LAST, key`)
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	resp := s.search(t, "things", withFacets("free"))
	if got := facet(t, resp, "free"); got != strings.Join(want, " ") || len(want) < 10 {
		t.Errorf("got  %s\nwant %s", got, strings.Join(want, " "))
	}
	var stats string
	err = s.db.Pool.QueryRow(t.Context(), `SELECT concat_ws(' ', min(v), max(v), trim_scale(avg(v)), count(*))
		FROM (SELECT value::numeric AS v FROM app_demo.things, rowan.facet_values(_body -> 'free') WHERE jsonb_typeof(value) = 'number') numbers`).Scan(&stats)
	if err != nil {
		t.Fatal(err)
	}
	of := resp.FacetStats["free"]
	if got := fmt.Sprintf("%s %s %s %d", of.Min, of.Max, of.Avg, of.Count); got != stats {
		t.Errorf("statistics %s, want %s", got, stats)
	}
}
