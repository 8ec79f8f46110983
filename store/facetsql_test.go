package store_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Facets of properties without a mapping count the values that rowan.facet_values returns for documents.
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

// Values in equally many documents are in their own order: numbers by size and, without a mapping, before everything else. Of equally frequent
// spellings, the first is shown. Numbers and statistics have no trailing zeros, whatever documents have, and there are no statistics of a field that
// no document has. At most a hundred values are returned.
func TestOrderOfFacetsAndTheirDigits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "brand keyword", "price price", "stock int", "code searchable_number", "on date", "tags tags")
	for i, body := range []string{
		`{"free":10,"brand":"acme","price":2.50,"stock":1.00,"code":1.00000000000000000000000000}`,
		`{"free":9,"brand":"ACME","price":[2.5,10.00],"stock":1,"code":1}`,
		`{"free":"b","brand":"Acme","stock":2,"code":2}`,
		`{"free":["a",-1],"brand":"beta"}`,
		`{"free":true,"brand":"alpha"}`,
	} {
		s.put(t, "things", fmt.Sprint(i), body)
	}
	resp := s.search(t, "things", withFacets("free, brand, price, stock, code, on, none"))
	for name, want := range map[string]string{"free": `-1=1 9=1 10=1 true=1 "a"=1 "b"=1`, "brand": `"ACME"=3 "alpha"=1 "beta"=1`, "price": "2.5=2 10=1", "stock": "1=2 2=1", "code": "1=2 2=1", "on": "", "none": ""} {
		if got := facet(t, resp, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"free": "-1 10 6 3", "price": "2.5 10 5 3", "stock": "1 2 1.3333333333333333 3", "code": "1 2 1.3333333333333333 3", "on": "", "none": ""} {
		of, ok := resp.FacetStats[name]
		if got := fmt.Sprintf("%s %s %s %d", of.Min, of.Max, of.Avg, of.Count); ok != (want != "") || ok && got != want {
			t.Errorf("statistics of %s: %s, want %s", name, got, want)
		}
	}
	// A document counts for the first of its spellings only: for all of them, "ZED" would be as frequent as "Zed".
	s.put(t, "things", "twice", `{"brand":["Zed","ZED"],"free":["Zed","ZED"]}`, "again", `{"brand":["Zed","zed"],"free":["Zed","zed"]}`, "once", `{"brand":"ZED","free":"ZED"}`)
	resp = s.search(t, "things", withFacets("free, brand"))
	for _, name := range []string{"free", "brand"} {
		if got := facet(t, resp, name); !strings.Contains(got, `"Zed"=3`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	tags := make([]string, 101)
	for i := range tags {
		tags[i] = fmt.Sprintf("t%03d", i)
	}
	s.put(t, "things", "many", `{"tags":["`+strings.Join(tags, `","`)+`"]}`, "last", `{"tags":"T100"}`)
	values := s.search(t, "things", withFacets("tags")).Facets["tags"]
	if n := len(values); n != 100 || values[0].Count != 2 || fmt.Sprintf("%s", values[1].Value) != `"t000"` || fmt.Sprintf("%s", values[99].Value) != `"t098"` {
		t.Errorf("%d values: %v", n, values)
	}
}
