package store_test

import (
	"testing"
)

// A version finds itself written with and without its v, in texts and identifiers, also while it is typed. What is written as in the query comes first.
func TestVersionsWithAndWithoutV(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "notes", "title sentence", "version identifier")
	s.many(t, "notes", 90, func(int) string { return `{"title":"another note"}` })
	s.put(t, "notes", "bare", `{"title":"Fixed in 1.17.4"}`, "tag", `{"title":"Fixed in v1.17.4"}`, "id", `{"version":"2.0.5"}`, "id-tag", `{"version":"v2.0.5"}`,
		"beta", `{"version":"v3.0.1-beta.2"}`, "size", `{"title":"12.5 inches"}`, "twelve", `{"title":"v12.5"}`)
	for _, way := range []string{"from the table", "from postings"} {
		for query, want := range map[string]string{
			"1.17.4 ":       "bare tag",
			"v1.17.4 ":      "tag bare",
			"V1.17.4":       "tag bare",
			"v1.17":         "tag bare",
			`"v1.17.4"`:     "tag",
			"2.0.5 ":        "id id-tag",
			"v2.0.5":        "id-tag id",
			"v2.0":          "id-tag id",
			"3.0.1-beta.2 ": "beta",
			"3.0.1":         "beta",
			"12.5 ":         "size", // rather a number than a version
			"v12.5 ":        "twelve size",
		} {
			if got := s.found(t, "notes", forWords(query)); got != want {
				t.Errorf("%s %q finds %q, want %q", way, query, got, want)
			}
		}
		if err := buildPostingsOf(t.Context(), s.Store, "notes", 100); err != nil {
			t.Fatal(err)
		}
	}
}
