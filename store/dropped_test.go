package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Derived tables are recreated if somebody has dropped them: writes, which log for them, continue, and what follows the documents becomes what it
// was.
func TestDroppedTablesAreMadeAnew(t *testing.T) {
	t.Parallel()
	tables := []string{"things_changes", "things_words", "things_touched", "things_postings", "things_counts", "things_values"}
	const derived = "app_demo_derived.things"
	for name, lose := range map[string]string{
		"changes":        "DROP TABLE " + derived + "_changes",
		"touched":        "DROP TABLE " + derived + "_touched",
		"postings":       "DROP TABLE " + derived + "_postings, " + derived + "_values",
		"sequence":       "DROP SEQUENCE " + derived + "_seq CASCADE",
		"schema":         "DROP SCHEMA app_demo_derived CASCADE",
		"data of a dump": "TRUNCATE " + derived + "_words, " + derived + "_suggestions, " + derived + "_suggested, " + derived + "_progress, " + derived + "_touched, " + derived + "_postings, " + derived + "_counts, " + derived + "_values; SELECT setval('" + derived + "_seq', 1, false)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.AccelerateSmall(30, 150)
			s.create(t, "things", "title completion")
			s.many(t, "things", 100, func(int) string { return `{"title":"Espresso machine"}` })
			s.buildPostings(t)
			s.exec(t, lose)
			if resp := s.search(t, "things", forWords("espresso ")); resp.Total != 100 {
				t.Errorf("a word finds %d", resp.Total)
			}
			s.Start(t.Context())
			eventually(t, "writes to go on", func() bool {
				_, err := s.svc.UpsertDocument(t.Context(), "demo", "things", "new", []byte(`{"title":"Kettle"}`))
				return err == nil
			})
			eventually(t, "all tables", func() bool {
				return s.text(t, "SELECT bool_and(to_regclass('app_demo_derived.' || t) IS NOT NULL)::text FROM unnest('{"+strings.Join(tables, ",")+"}'::text[]) t") == "true"
			})
			eventually(t, "postings of all documents", func() (all bool) {
				err := s.db.Pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM rowan.accelerators WHERE ready) AND (SELECT sum(documents) FROM "+derived+"_postings WHERE lexeme = '') + (SELECT count(DISTINCT _seq) FROM "+derived+"_touched) >= 101").Scan(&all)
				return err == nil && all // they may just be in the course of being dropped
			})
			state := ""
			t.Cleanup(func() {
				if t.Failed() {
					t.Log("at last: " + state)
				}
			})
			eventually(t, "the vocabulary", func() bool {
				state = s.text(t, "SELECT coalesce(string_agg(word || documents, ' ' ORDER BY word), '') FROM app_demo_derived.things_words") + "; progress " +
					s.text(t, "SELECT coalesce(string_agg(p::text, ' '), '') FROM app_demo_derived.things_progress p") + "; log " + s.text(t, "SELECT coalesce(string_agg(c::text, ' '), '') FROM app_demo_derived.things_changes c")
				return strings.HasPrefix(state, "espresso100 kettle1 machine100;")
			})
			if n := s.text(t, "SELECT count(DISTINCT _seq)::text FROM app_demo.things"); n != "101" {
				t.Errorf("101 documents have %s numbers", n)
			}
			if list, err := s.svc.Suggest(t.Context(), demo, "things", "es"); err != nil || len(list.Autocomplete) != 1 {
				t.Errorf("suggested %q, %v", list.Autocomplete, err)
			}
			if resp := s.search(t, "things", forWords("expresso ")); resp.Total != 100 {
				t.Errorf("a typo finds %d", resp.Total)
			}
		})
	}
}

// The sequence of the numbers goes on behind the number of the only document.
func TestDroppedSequenceOfOneDocument(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title completion")
	s.put(t, "things", "1", `{"title":"Kettle"}`)
	s.exec(t, "DROP SEQUENCE app_demo_derived.things_seq CASCADE")
	if err := s.Settle(t.Context(), s.current(t, "things")); err != nil {
		t.Fatal(err)
	}
	s.put(t, "things", "2", `{"title":"Pot"}`)
	if numbers := s.text(t, "SELECT string_agg(_seq::text, ' ' ORDER BY _id) FROM app_demo.things"); numbers != "1 2" {
		t.Errorf("the documents have the numbers %s", numbers)
	}
}

// If somebody drops the vocabulary that is being counted beside the one in use, all documents are counted from the beginning.
func TestDroppedRecount(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 1200, `{"body":"apple banana"}`)
	l.settle(t)
	l.many(t, "a", 1200, `{"body":"apple cherry"}`)
	for l.one(t, "SELECT count(*) FROM app_demo_derived.books_progress WHERE counted_to > 0") == 0 {
		if err := l.StepOnce(t.Context(), l.ix, 500); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.db.Pool.Exec(t.Context(), "DROP TABLE app_demo_derived.books_recount"); err != nil {
		t.Fatal(err)
	}
	l.settle(t)
	if diff := cmp.Diff(map[string]int{"apple": 1200, "cherry": 1200}, l.vocabulary(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An index is created while another transaction recreates the dropped schema, as the background work of each server does.
func TestSchemaMadeMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.exec(t, "DROP SCHEMA app_demo_derived CASCADE")
	tx, err := s.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), "CREATE SCHEMA app_demo_derived"); err != nil {
		t.Fatal(err)
	}
	created := make(chan error, 1)
	go func() { created <- s.svc.CreateIndex(t.Context(), "demo", "things", nil) }()
	eventually(t, "the index to wait for the schema", func() bool {
		return s.text(t, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')::text") == "true"
	})
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-created; err != nil {
		t.Errorf("creating an index: %v", err)
	}
}

// Nothing is left of a deleted index, whatever existed beside its documents.
func TestDeletedIndexLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title completion", "price int")
	s.many(t, "things", 100, func(int) string { return `{"title":"Espresso machine","price":3}` })
	s.buildPostings(t)
	if _, err := s.svc.UpdateIndex(t.Context(), "demo", "things", mappings("title completion", "price float"), true); err != nil {
		t.Fatal(err)
	}
	s.buildPostings(t)
	const there = "SELECT coalesce(string_agg(c.relname, ' ' ORDER BY c.relname), '') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname LIKE 'app_demo%' AND c.relkind IN ('r', 'S')"
	if list := s.text(t, there); !strings.Contains(list, "things_postings") || !strings.Contains(list, "things_suggestions") {
		t.Fatalf("before, there are only %s", list)
	}
	if err := s.svc.DeleteIndex(t.Context(), "demo", "things"); err != nil {
		t.Fatal(err)
	}
	if list := s.text(t, there); list != "" {
		t.Errorf("left are %s", list)
	}
}
