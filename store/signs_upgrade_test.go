package store_test

import "testing"

// What was stored before C++ was a word is then found like what is written afterwards, and no other document is written.
func TestSignsOfWhatIsStored(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 16)
	s.create(t, "jobs", "title completion", "text html", "code identifier")
	s.put(t, "jobs", "plain", `{"title":"C++ developer"}`, "line", `{"text":"first\nC#"}`, "entity", `{"text":"C&#43;&#x2b;"}`, "tag", `{"text":"<b>C</b><i>++</i> c<i>+</i>+"}`, "wide", `{"rest":"Ｃ＋＋, C⁺⁺"}`,
		"hidden", `{"rest":"c\u00ad++ c+\u00ad+"}`, "c", `{"title":"C developer at page#c, 1+1, AT&#39;T, a + +"}`)
	s.exec(t, `INSERT INTO app_demo_derived.jobs_suggestions VALUES ('effective c++', 'Effective C++', 1), ('the c book', 'The C Book', 1)`)
	version := func(id string) (xmin string) {
		t.Helper()
		if err := s.db.Pool.QueryRow(t.Context(), "SELECT xmin::text FROM app_demo.jobs WHERE _id = $1", id).Scan(&xmin); err != nil {
			t.Fatal(err)
		}
		return xmin
	}
	before := version("c")
	s.migrateAround(t, "jobs")
	if version("c") != before {
		t.Error("a document without such words was written")
	}
	for query, want := range map[string]string{"c++ ": "entity hidden plain tag wide", "cpluspl": "entity hidden plain tag wide", "c# ": "line", "c ": "c"} {
		if got := s.found(t, "jobs", forWords(query), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	// The index on the words of suggestions has them as they are now.
	tx, err := s.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), "SET LOCAL enable_seqscan = off"); err != nil {
		t.Fatal(err)
	}
	var key string
	err = tx.QueryRow(t.Context(), "SELECT key FROM app_demo_derived.jobs_suggestions WHERE to_tsvector('simple'::regconfig, rowan.words(key)) @@ 'cplusplus' AND value = 'Effective C++'").Scan(&key)
	if err != nil {
		t.Errorf("suggested by a word inside: %v", err)
	}
}
