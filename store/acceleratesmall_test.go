package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// An index has postings from a thousand documents on. With a single block, lexemes in twenty documents have them, and a search for these is answered
// from them as by the plain statement.
func TestPostingsOfSmallIndices(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name")
	body := func(i int) string { return fmt.Sprintf(`{"title":"often every%d seldom%d"}`, i%50, i%53) }
	const lexemes = "SELECT l, n FROM rowan.accelerators, unnest(lexemes, frequencies) AS u(l, n) WHERE ready"
	s.many(t, "things", 999, body)
	s.buildPostings(t)
	if got := counts(t, s.db, lexemes); len(got) > 0 {
		t.Fatalf("999 documents have postings: %v", got)
	}
	s.put(t, "things", "one more", body(999))
	any := func(r *service.SearchRequest) { r.Match = service.MatchAny }
	plain := s.found(t, "things", forWords("often every7 seldom7 "), any)
	s.buildPostings(t)
	want := map[string]int64{"often": 1000}
	for i := range 50 {
		want[fmt.Sprintf("every%d", i)] = 20
	}
	if diff := cmp.Diff(want, counts(t, s.db, lexemes)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n, err := s.BytesOfLexemes(t.Context(), s.current(t, "things")); err != nil || n < 51*20 {
		t.Errorf("the lexemes take %d bytes, %v", n, err)
	}
	if got := s.found(t, "things", forWords("often every7  seldom7 "), any); got != plain {
		t.Errorf("postings find %q, the statement %q", got, plain)
	}
}

// The more blocks there are, the more documents a lexeme must be in to have postings, up to a bound.
func TestFrequencyOfPostings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for last, want := range map[int64]int64{1000: 20, 32767: 20, 32768: 40, 100_000: 80, 300_000: 200, 1_000_000: 250} {
		if got := s.FrequencyOfPostings(last); got != want {
			t.Errorf("of %d documents: %d, want %d", last, got, want)
		}
	}
}

// What blocks store for each document takes space for the documents that exist, not for those that fit into a block.
func TestSizeOfPostingsOfSmallIndices(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence", "kind category", "brand keyword", "price int")
	const documents = 1000
	s.many(t, "things", documents, func(i int) string {
		return fmt.Sprintf(`{"title":"title %d","kind":["k%d > a","k%d"],"brand":"b%d","price":%d}`, i, i%7, i%5, i%3, i%10)
	})
	page := func(sort string, size int) string {
		return s.found(t, "things", sortedBy(sort), func(r *service.SearchRequest) { r.PerPage = &size })
	}
	plain := map[string]string{}
	for _, sort := range []string{"title", "-title", "kind", "-kind", "brand", "price"} {
		plain[sort] = page(sort, 11)
	}
	s.buildPostings(t)
	sizes := counts(t, s.db, `SELECT 'order of '||substr(lexeme, 2), length(postings) FROM app_demo_derived.things_postings WHERE starts_with(lexeme, E'\x02')
		UNION ALL SELECT 'values of '||field, length(sets) FROM app_demo_derived.things_values`)
	if len(sizes) != 5 {
		t.Fatalf("there are %v", sizes)
	}
	for of, size := range sizes {
		if size > 17*documents {
			t.Errorf("the %s takes %d bytes", of, size)
		}
	}
	for sort, was := range plain {
		if got := page(sort, 12); !strings.HasPrefix(got, was+" ") {
			t.Errorf("in the order of %s postings find %q, the statement %q", sort, got, was)
		}
	}
}

// Where many documents have come and gone, there are more numbers than documents: the sample still covers all documents.
func TestLexemesOfFewDocumentsWithHighNumbers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name")
	s.exec(t, "SELECT setval('app_demo_derived.things_seq', 5000000)")
	s.many(t, "things", 1000, func(i int) string { return fmt.Sprintf(`{"title":"often seldom%d"}`, i) })
	s.buildPostings(t)
	if diff := cmp.Diff(map[string]int64{"often": 1000}, counts(t, s.db, "SELECT l, n FROM rowan.accelerators, unnest(lexemes, frequencies) AS u(l, n) WHERE ready")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// An index with too few documents does not hold up the builder while somebody writes, however many numbers it has assigned.
func TestFewDocumentsWithHighNumbersTakeNoTime(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name")
	s.exec(t, "SELECT setval('app_demo_derived.things_seq', 5000000)")
	s.put(t, "things", "one", `{"title":"one"}`)
	tx, err := s.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), "UPDATE app_demo.things SET _updated_at = now()"); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Accelerate(t.Context(), s.current(t, "things")); again || err != nil {
		t.Errorf("there is more to do: %t, %v", again, err)
	}
}

// Every server takes a step for every index twice a minute: if there is nothing to build, it does not read the lexemes.
func TestStepsWithNothingToBuildReadNoLexemes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name")
	s.many(t, "things", 1000, func(i int) string { return fmt.Sprintf(`{"title":"often seldom%d"}`, i) })
	s.buildPostings(t)
	// Reading them would fail, even long after they were counted.
	s.exec(t, "UPDATE rowan.accelerators SET counted = '{not,read}', counts = '{}', counted_at = counted_at - interval '1 h', rebuilt_at = rebuilt_at - interval '1 h'")
	if again, err := s.Accelerate(t.Context(), s.current(t, "things")); again || err != nil {
		t.Errorf("there is more to do: %t, %v", again, err)
	}
}

// A block may have a single document, the one with its first number.
func TestBlockOfTheFirstNumberAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30)
	s.create(t, "things", "title name")
	s.many(t, "things", 100, func(int) string { return `{"title":"often"}` })
	s.exec(t, "SELECT setval('app_demo_derived.things_seq', 127)") // two blocks of 64
	s.put(t, "things", "alone", `{"title":"often"}`)
	if n := s.text(t, "SELECT _seq::text FROM app_demo.things WHERE _id = 'alone'"); n != "128" {
		t.Fatalf("the document has the number %s", n)
	}
	s.buildPostings(t)
	if n := withAllWords(t, s.svc, "often "); n != 101 {
		t.Errorf("%d documents are found, want 101", n)
	}
}

// Blocks of numbers whose documents have come and gone cost nothing: they are not built, and nothing is stored for them.
func TestBlocksWithoutDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name", "kind keyword", "size int")
	const documents = 1000
	write := func(action, id string) {
		t.Helper()
		actions := make([]map[string]any, documents)
		for i := range actions {
			actions[i] = map[string]any{"action": action, "_id": fmt.Sprint(id, i)}
			if action == "upsert" {
				actions[i]["body"] = map[string]any{"title": fmt.Sprint("often seldom", i), "kind": fmt.Sprint(i % 5), "size": i % 7}
			}
		}
		s.batch(t, "things", actions)
	}
	var built int64
	// check checks how many blocks were built, and how many there are whose documents are found.
	check := func(when string, wantBuilt int64, want int) {
		t.Helper()
		of := fmt.Sprint(counts(t, s.db, `SELECT 'postings', count(DISTINCT block) FROM app_demo_derived.things_postings
			UNION ALL SELECT 'counts', count(*) FROM app_demo_derived.things_counts UNION ALL SELECT 'values', count(DISTINCT block) FROM app_demo_derived.things_values`))
		if want := fmt.Sprintf("map[counts:%[1]d postings:%[1]d values:%[1]d]", want); of != want {
			t.Errorf("%s: there are the blocks %s, want %s", when, of, want)
		}
		all := s.Stats().BlocksBuilt
		if all-built != wantBuilt {
			t.Errorf("%s: %d blocks were built, want %d", when, all-built, wantBuilt)
		}
		built = all
		resp := s.search(t, "things", forWords("often "), withFacets("size"))
		if got := facet(t, resp, "size"); resp.Total != int64(want*documents) || !strings.HasPrefix(got, fmt.Sprintf("0=%d ", want*(documents/7+1))) {
			t.Errorf("%s: %d are found, by size %s", when, resp.Total, got)
		}
	}
	write("upsert", "a")
	s.exec(t, "SELECT setval('app_demo_derived.things_seq', 5000000)")
	write("upsert", "b")
	s.buildPostings(t)
	check("with a gap", 2, 2)

	write("delete", "a")
	s.buildPostings(t)
	check("after deletions", 1, 1)

	s.exec(t, "SELECT setval('app_demo_derived.things_seq', 10000000)")
	write("upsert", "a")
	s.buildPostings(t)
	check("with lexemes chosen anew", 2, 2)

	s.update(t, "things", true, "title sentence")
	check("with other mappings", 2, 2)
}
