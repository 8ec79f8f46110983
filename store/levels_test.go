package store_test

import (
	"encoding/json"
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
