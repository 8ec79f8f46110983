package store_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// outdate makes an index look as after pg_upgrade, in a language whose stemmer the new version has changed: the words of its documents are still
// those of the old version.
func (s *site) outdate(t *testing.T) {
	t.Helper()
	s.exec(t, "ALTER TEXT SEARCH CONFIGURATION public.bent ALTER MAPPING FOR asciiword WITH german_stem")
	s.exec(t, "UPDATE rowan.indices SET computed_by = 14")
}

// createBent creates an index in a language of its own, in which one document is stemmed differently after outdate.
func (s *site) createBent(t *testing.T) {
	t.Helper()
	s.exec(t, "CREATE TEXT SEARCH CONFIGURATION public.bent (COPY = english)")
	s.create(t, "things", "title sentence")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "things", []byte(`{"language":"bent"}`), true); err != nil {
		t.Fatal(err)
	}
	s.many(t, "things", 230, func(i int) string {
		if i%100 == 7 {
			return `{"title":"running water"}`
		}
		return `{"title":"big boats"}`
	})
}

// After an upgrade of PostgreSQL, documents are found by words that it stems differently, and only documents with such words are written.
func TestDocumentsOfAnotherVersionAreComputedAnew(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.createBent(t)
	s.outdate(t)
	after := join(t, s.db)
	total := func() int64 { return after.search(t, "things", forWords("running ")).Total }
	if n := total(); n != 0 {
		t.Fatalf("%d documents are found by a word that they were stored without", n)
	}
	written := "SELECT count(*)::text FROM app_demo.things WHERE _updated_at > _created_at"
	release := holding(t, s.db, "SELECT FROM app_demo.things WHERE _id = (SELECT max(_id) FROM app_demo.things WHERE _body->>'title' = 'running water') FOR UPDATE")
	if again, err := after.Recompute(t.Context(), after.current(t, "things")); err != nil || !again {
		t.Errorf("beside somebody's lock: again %v, %v", again, err)
	}
	if n := s.text(t, written); n != "2" {
		t.Errorf("beside somebody's lock %s documents were written, want 2", n)
	}
	release()
	after.Start(t.Context())
	eventually(t, "the documents", func() bool { return total() == 3 })
	eventually(t, "the end", func() bool {
		return s.text(t, "SELECT (computed_by = current_setting('server_version_num')::int / 10000)::text FROM rowan.indices") == "true"
	})
	if n := s.text(t, written); n != "3" {
		t.Errorf("%s documents were written, want 3", n)
	}
	if n := after.search(t, "things", forWords("boat ")).Total; n != 227 {
		t.Errorf("%d of the others are found, want 227", n)
	}
}

// Once documents have other lexemes, those with postings are chosen anew.
func TestLexemesOfDocumentsComputedAnew(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.createBent(t)
	s.exec(t, "INSERT INTO app_demo.things (_id, _body) SELECT 'more-' || n, '{\"title\":\"stormy seas\"}' FROM generate_series(1, 1000) AS n")
	s.buildPostings(t)
	const generation = "SELECT max(generation)::text FROM rowan.accelerators WHERE ready"
	before := s.text(t, generation)
	if before == "" {
		t.Fatal("there are no postings")
	}
	recomputed := func() string {
		t.Helper()
		if again, err := s.Recompute(t.Context(), s.current(t, "things")); err != nil || again {
			t.Fatalf("again %v, %v", again, err)
		}
		s.buildPostings(t)
		return s.text(t, generation)
	}
	s.exec(t, "UPDATE rowan.indices SET computed_by = NULL")
	if after := recomputed(); after != before {
		t.Errorf("generation %s after documents that are as before, want %s", after, before)
	}
	s.outdate(t)
	if after := recomputed(); after == before {
		t.Error("the lexemes were not chosen anew")
	}
}

// If documents may not be written, the log says once what to do.
func TestDocumentsOfAnotherVersionThatMayNotBeWritten(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	address, _ := limitedRole(t, db)
	s := siteWith(t, db, storeConfig(db))
	s.createBent(t)
	s.outdate(t)
	role := roleOf(t, address)
	for _, sql := range []string{"GRANT USAGE ON SCHEMA rowan, app_demo, app_demo_derived TO ", "GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA rowan TO ", "GRANT SELECT ON ALL TABLES IN SCHEMA app_demo TO "} {
		s.exec(t, sql+role)
	}
	var log bytes.Buffer
	limited := openWith(t, store.Config{URL: address, MaxConns: 4, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	log.Reset()
	for range 2 {
		if again, err := limited.Recompute(t.Context(), s.current(t, "things")); err != nil || again {
			t.Errorf("again %v, %v", again, err)
		}
	}
	if told := log.String(); strings.Count(told, "level=WARN") != 1 || !strings.Contains(told, `"UPDATE \"app_demo\".\"things\" SET _body = _body"`) || strings.Contains(told, "are as this version") {
		t.Errorf("log: %s", told)
	}
}

// refuse makes a trigger refuse changes of documents of which a condition holds.
func (s *site) refuse(t *testing.T, when string) {
	t.Helper()
	s.exec(t, "CREATE FUNCTION public.no() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'not this one'; END$$")
	s.exec(t, "CREATE TRIGGER no BEFORE UPDATE ON app_demo.things FOR EACH ROW WHEN ("+when+") EXECUTE FUNCTION public.no()")
}

// A document that a trigger refuses does not keep those behind it from being computed anew, and is not tried forever.
func TestDocumentsOfAnotherVersionThatATriggerRefuses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.createBent(t)
	s.outdate(t)
	first := s.text(t, "SELECT min(_id) FROM app_demo.things WHERE _body->>'title' = 'running water'")
	s.refuse(t, "OLD._id = '"+first+"'")
	var log bytes.Buffer
	after := openWith(t, loggingConfig(s.db, &log))
	for range 2 {
		if again, err := after.Recompute(t.Context(), s.current(t, "things")); err != nil || again {
			t.Errorf("again %v, %v", again, err)
		}
	}
	if n := join(t, s.db).search(t, "things", forWords("running ")).Total; n != 2 {
		t.Errorf("%d documents are found by the new stem, want all but the refused one", n)
	}
	if told := log.String(); strings.Count(told, "cannot be computed anew") != 1 || !strings.Contains(told, "refused=1 computed_anew=2 all_compared=true") || !strings.Contains(told, "not this one") {
		t.Errorf("log: %s", told)
	}
}

// If a trigger refuses all documents, they are not all tried.
func TestDocumentsOfAnotherVersionThatAreAllRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.createBent(t)
	s.outdate(t)
	s.exec(t, "UPDATE app_demo.things SET _body = '{\"title\":\"running water\"}'") // and so computed as of now
	s.exec(t, "ALTER TEXT SEARCH CONFIGURATION public.bent ALTER MAPPING FOR asciiword WITH english_stem")
	s.refuse(t, "true")
	var log bytes.Buffer
	after := openWith(t, loggingConfig(s.db, &log))
	if again, err := after.Recompute(t.Context(), s.current(t, "things")); err != nil || again {
		t.Errorf("again %v, %v", again, err)
	}
	if told := log.String(); !strings.Contains(told, "refused=100 computed_anew=0 all_compared=false") {
		t.Errorf("log: %s", told)
	}
}

// While somebody has removed the table, each attempt fails; the log says only once that documents are being compared.
func TestDocumentsOfAnotherVersionWhoseTableIsAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.createBent(t)
	s.outdate(t)
	var log bytes.Buffer
	after := openWith(t, loggingConfig(s.db, &log))
	things := s.current(t, "things")
	s.exec(t, "ALTER TABLE app_demo.things RENAME TO away")
	for range 3 {
		if _, err := after.Recompute(t.Context(), things); err == nil {
			t.Error("no error")
		}
	}
	s.exec(t, "ALTER TABLE app_demo.away RENAME TO things")
	if _, err := after.Recompute(t.Context(), things); err != nil {
		t.Error(err)
	}
	if told := log.String(); strings.Count(told, "are compared") != 1 || !strings.Contains(told, "documents=230 computed_anew=3") {
		t.Errorf("log: %s", told)
	}
}

// Documents of all types equal what is computed for them: nothing is written.
func TestDocumentsAreAsTheyAreComputed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var all []string
	for _, m := range mapping.Types {
		all = append(all, fmt.Sprintf("%s %s", m, m), fmt.Sprintf("in.%s %s", m, m))
	}
	s.create(t, "things", all...)
	var wide []string
	for i := range 300 {
		wide = append(wide, fmt.Sprintf("k%d keyword", i))
	}
	s.create(t, "wide", wide...)
	values := []string{`"Straße 12, ÀB"`, `[" a ", "B > c", null]`, `12.50`, `[1, 2.5, -0]`, `true`, `"2024-05-06T07:08:09Z"`, `"a@example.org"`, `null`, `"/a/b"`}
	var documents []string
	for i, v := range values {
		var fields, inner []string
		for _, m := range mapping.Types {
			fields, inner = append(fields, fmt.Sprintf(`%q:%s`, m, v)), append(inner, fmt.Sprintf(`%q:%s`, m, v))
		}
		documents = append(documents, fmt.Sprint(i), `{"boost":1.5,"rest":`+v+`,`+strings.Join(fields, ",")+`,"in":[{`+strings.Join(inner, ",")+`}]}`)
	}
	for i := 0; i < len(documents); i += 2 { // not every type accepts each
		s.exec(t, "INSERT INTO app_demo.things (_id, _body) VALUES ($1, $2)", documents[i], documents[i+1])
	}
	s.put(t, "wide", "1", `{"k1":"a","k299":["b","c"]}`)
	s.exec(t, "UPDATE rowan.indices SET computed_by = NULL")
	for _, index := range []string{"things", "wide"} {
		if again, err := s.Recompute(t.Context(), s.current(t, index)); err != nil || again {
			t.Errorf("%s: again %v, %v", index, again, err)
		}
		if n := s.text(t, "SELECT count(*)::text FROM app_demo."+index+" WHERE _updated_at > _created_at"); n != "0" {
			t.Errorf("%s documents of %s were written", n, index)
		}
	}
	if n := s.text(t, "SELECT count(computed_by)::text FROM rowan.indices"); n != "2" {
		t.Errorf("%s indices are compared", n)
	}
}
