package store_test

import "testing"

// A keyword that ends in a quote is found by the whole query, as others are: error lines often end in one.
func TestKeywordsWithQuotes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "logs", "line keyword", "exact case_sensitive_keyword")
	s.put(t, "logs", "folded", `{"line":"unknown user \"root\""}`, "exact", `{"exact":"Unknown user \"root\""}`, "plain", `{"line":"unknown user root"}`, "user", `{"line":"root user"}`)
	for query, want := range map[string]string{
		`Unknown user "root"`:  "exact folded",
		`unknown user "root" `: "folded",
		`"unknown user root"`:  "plain",
		`unknown user root"`:   "plain",
	} {
		if got := s.found(t, "logs", forWords(query)); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
