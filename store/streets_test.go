package store_test

import "testing"

// Streets are found by their names with and without the abbreviation, in addresses of any language.
func TestStreetsAreFoundAbbreviated(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "people", "address address", "note sentence")
	s.put(t, "people", "long", `{"address":"Hauptstraße 5, Köln"}`, "short", `{"address":"Hauptstr. 5, Bonn"}`, "swiss", `{"address":"Hauptstrasse 7, Bern"}`,
		"apart", `{"address":"Lange Str. 9"}`, "hyphens", `{"note":"Carl-Schurz-Straße 1"}`, "other", `{"address":"Hauptplatz 5"}`, "tram", `{"note":"Straßenbahn"}`, "straw", `{"note":"Stroh"}`)
	for query, want := range map[string]string{
		"hauptstr. 5 ":       "short long",
		"Hauptstraße 5 ":     "long short",
		"hauptstr 7 ":        "swiss",
		"hauptstr. ":         "short long swiss",
		"hauptstr":           "short long swiss",
		"Lange Straße 9 ":    "",
		`"Lange Straße 9" `:  "apart",
		"Straße":             "tram hyphens", // no words that begin with str
		"carl-schurz-str. 1": "hyphens",
		`"hauptstr. 5" `:     "short long",
		"hauptplatz -haupts": "other",
		"strassenbahn ":      "tram",
		"str. ":              "apart hyphens",
		"str ":               "apart",
	} {
		if got := s.found(t, "people", forWords(query), matching("all")); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
