package store_test

import (
	"testing"

	"github.com/rowansearch/rowan/store/storetest"
)

// siteOf returns a server on a database as left by the migrations up to a version.
func siteOf(t *testing.T, version int64) *site {
	t.Helper()
	db := storetest.Empty(t)
	migratedTo(t, db.Pool, version)
	return siteWith(t, db, storeConfig(db))
}

// migrateAround makes a migration fail while somebody holds the documents of an index, and then succeed.
func (s *site) migrateAround(t *testing.T, index string) {
	t.Helper()
	tx, err := s.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM app_demo."+index+" FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	if err := s.Migrate(t.Context()); err == nil {
		t.Error("migrated with a document that is locked")
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// What was stored before words were spelled as stemmers expect is then found like what is written afterwards.
func TestSpellingOfWhatIsStored(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 15)
	for index, language := range map[string]string{"noticias": "spanish", "docs": "english"} {
		s.create(t, index, "title text", "place completion")
		if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", index, []byte(`{"language":"`+language+`"}`), true); err != nil {
			t.Fatal(err)
		}
	}
	s.put(t, "noticias", "1", `{"title":"la información"}`, "2", `{"title":"las informaciones"}`)
	s.put(t, "docs", "1", `{"title":"in ٢٠٢٤","place":"Αθήνα"}`, "2", `{"title":"plain","place":"ΑΘΗΝΑ"}`, "3", `{"place":"Αθήνα"}`)
	s.exec(t, `INSERT INTO app_demo_derived.docs_suggestions VALUES ('αθήνα', 'Αθήνα', 2), ('αθηνα', 'ΑΘΗΝΑ', 1)`)

	s.migrateAround(t, "noticias")
	var key, value, spellings string
	// Before a search processes the log of what was written here, which servers of that version have processed.
	err := s.db.Pool.QueryRow(t.Context(), "SELECT key, value, spellings::text FROM app_demo_derived.docs_suggestions").Scan(&key, &value, &spellings)
	if err != nil || key != "αθηνα" || value != "Αθήνα" || spellings != `{"ΑΘΗΝΑ": 1, "Αθήνα": 2}` {
		t.Errorf("suggestions: %s, %s, %s (%v)", key, value, spellings, err)
	}
	if got := s.found(t, "noticias", forWords("informaciones ")); got != "2 1" {
		t.Errorf("another form: got %q", got)
	}
	for query, want := range map[string]string{"2024 ": "1", "αθηνα ": "1 2 3"} {
		if got := s.found(t, "docs", forWords(query), sortedBy("_id")); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if got := s.found(t, "docs", filtered(`place = "Αθηνα"`), sortedBy("_id")); got != "1 2 3" {
		t.Errorf("a filter: got %q", got)
	}
}

// The same holds for what was stored before the spellings of Devanagari were unified, and other documents are not written again.
func TestDevanagariOfWhatIsStored(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 17)
	s.create(t, "docs", "title text", "place completion", "body html")
	s.put(t, "docs", "1", `{"title":"हिन्दी","place":"मुम्बई"}`, "2", `{"title":"सफ़र","place":"मुंबई"}`, "3", `{"title":"नदी जन्म"}`, "4", `{"body":"हिन्&#x926;ी चा&#2305;द"}`)
	s.exec(t, `INSERT INTO app_demo_derived.docs_suggestions VALUES ('मुम्बई', 'मुम्बई', 1), ('मुंबई', 'मुंबई', 1)`)
	s.exec(t, `CREATE TABLE before AS SELECT _id, xmin::text AS by FROM app_demo.docs`)

	s.migrateAround(t, "docs")
	var suggestions, written string
	err := s.db.Pool.QueryRow(t.Context(), `SELECT (SELECT string_agg(key || ' ' || documents, ',') FROM app_demo_derived.docs_suggestions),
		(SELECT string_agg(_id, ' ' ORDER BY _id) FROM app_demo.docs d JOIN before b USING (_id) WHERE d.xmin::text <> b.by)`).Scan(&suggestions, &written)
	if err != nil || suggestions != "मुंबई 2" || written != "1 2 4" {
		t.Errorf("suggestions: %s; written anew: %s (%v)", suggestions, written, err)
	}
	for query, want := range map[string]string{"हिंदी ": "1 4", "सफर ": "2", "मुम्बई ": "1 2", "चांद ": "4"} {
		if got := s.found(t, "docs", forWords(query), sortedBy("_id")); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if got := s.found(t, "docs", filtered(`place = "मुंबई"`), sortedBy("_id")); got != "1 2" {
		t.Errorf("a filter: got %q", got)
	}
}
