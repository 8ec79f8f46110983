package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Folding turns characters that are no separators into separators, and one character into several: each level still has its own spelling, with and
// without postings, and in rows that an earlier version has stored.
func TestLevelsThatFoldingMakes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "c category", "p path", "kind keyword")
	s.many(t, "things", 200, func(i int) string { return `{"c":"Home > Tools","kind":"common"}` })
	s.buildPostings(t)
	for _, test := range []struct{ body, category, path string }{
		{`{"c":"Garden\u00a0> Rakes"}`, `"Garden"=1 "Garden > Rakes"=1`, ""},
		{`{"c":"Garden ＞ Rakes"}`, `"Garden"=1 "Garden > Rakes"=1`, ""},
		{`{"c":"Top > \u00a0"}`, `"Top"=1`, ""},
		{`{"c":["Café > Eins","Bar\u00a0> Zwei"]}`, `"Bar"=1 "Bar > Zwei"=1 "Café"=1 "Café > Eins"=1`, ""},
		{`{"p":"/a／b"}`, "", `"/a"=1 "/a/b"=1`},
		{`{"p":"/a／b/c"}`, "", `"/a"=1 "/a/b"=1 "/a/b/c"=1`},
		{`{"p":"/Über/Ort"}`, "", `"/Über"=1 "/Über/Ort"=1`},
	} {
		s.put(t, "things", "odd", test.body)
		resp := s.search(t, "things", withFacets("c p"), filtered("_id = odd"))
		if got := facet(t, resp, "c"); got != test.category {
			t.Errorf("%s: categories %s, want %s", test.body, got, test.category)
		}
		if got := facet(t, resp, "p"); got != test.path {
			t.Errorf("%s: paths %s, want %s", test.body, got, test.path)
		}
		s.search(t, "things", withFacets("c p")) // including those that have postings
	}
	for _, long := range []string{strings.Repeat("ß", 260) + " > ß > x", strings.Repeat("ß", 200) + strings.Repeat(" > ß", 100)} {
		body, err := json.Marshal(map[string]string{"c": long, "p": "/" + strings.ReplaceAll(long, " > ", "/")})
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, "things", "odd", string(body))
		s.search(t, "things", withFacets("c p"))
	}
	if n := counts(t, s.db, "SELECT 'x', count(*) FROM app_demo.things WHERE cardinality(c_all) <> cardinality(c_keys) OR cardinality(p_all) <> cardinality(p_keys)")["x"]; n != 0 {
		t.Errorf("%d rows have other spellings than keys", n)
	}
}

// Of levels with the same first 512 characters only the first is put together: the levels of 24 MB would be more than an array can have, and those of a
// document of 16 MB took gigabytes.
func TestLongLevels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	conn := s.forSeconds(t)
	const many = "(SELECT string_agg(repeat('a', 240000), ' > ') FROM generate_series(1, 100))"
	for value, want := range map[string]string{
		"repeat('a', 300) || ' > ' || repeat('B', 300) || ' > c > d'": "300 603 300 512 512",
		"repeat('a', 500) || ' > ' || repeat('B', 12) || ' > c'":      "500 515 500 512 512",
		"repeat('a', 300) || ' ＞ ' || repeat('B', 300) || ' > c'":     "300 603 300 512 512",
		many: "240000 512 512",
	} {
		var lengths string
		err := conn.QueryRow(t.Context(), `SELECT concat_ws(' ', (SELECT string_agg(length(x)::text, ' ') FROM unnest(rowan.levels_all(v, ' > ')) x),
			(SELECT string_agg(length(x)::text, ' ') FROM unnest(rowan.levels_keys(v, ' > ')) x), length(rowan.levels_key(v, ' > '))) FROM to_jsonb(`+value+`) v`).Scan(&lengths)
		if err != nil || lengths != want {
			t.Errorf("%s: lengths %s, want %s; %v", value, lengths, want, err)
		}
	}
	for value, want := range map[string]string{"'Top > ' || repeat('a', 2100) || ' > End'": "=end =top end top", many: ""} {
		var lexemes string
		err := conn.QueryRow(t.Context(), `SELECT coalesce(string_agg(l, ' ' ORDER BY l COLLATE "C"), '') FROM unnest(tsvector_to_array(rowan.tsv_levels('english', to_jsonb(`+value+`), ' > '))) l
			WHERE length(l) < 20`).Scan(&lexemes)
		if err != nil || lexemes != want {
			t.Errorf("%s: lexemes %q, want %q; %v", value, lexemes, want, err)
		}
	}
}

// In an array, the levels of each value are found whole, however many values there are before it.
func TestLevelsOfManyValues(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "bands", "genre category")
	var before []string
	for i := range 100 {
		before = append(before, fmt.Sprintf(`"Rock > %d > B%d"`, i, i))
	}
	s.put(t, "bands", "many", `{"genre":[`+strings.Join(before, ",")+`,"Pop > T > The The"]}`, "one", `{"genre":"Pop > T > The The"}`)
	s.finds(t, "bands", map[string]string{`"the the"`: "many one"})
}
