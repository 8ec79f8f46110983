package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/store"
)

// An index that is being loaded gets no postings yet, since they would have to be built again; one that is written to now and then does. Its blocks
// are rebuilt while searches can still examine what has changed, and as soon as writing stops.
func TestPostingsWhileDocumentsAreWritten(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30)
	s.SizeBlocks(1024)
	s.create(t, "things", "title name")
	round := 0
	write := func(documents int) {
		t.Helper()
		round++ // an unchanged document would not be written
		s.many(t, "things", documents, func(i int) string { return fmt.Sprintf(`{"title":"often every%d","round":%d}`, i%9, round) })
	}
	write(100)
	step := func(when string, wantAgain, wantPostings bool) {
		t.Helper()
		again, err := s.AccelerateWritten(t.Context(), s.current(t, "things"))
		ready, _, failed := s.Accelerated(t.Context(), s.current(t, "things"))
		if err = errors.Join(err, failed); err != nil || again != wantAgain || ready != wantPostings {
			t.Errorf("%s: there is more to do: %t, there are postings: %t, want %t and %t; %v", when, again, ready, wantAgain, wantPostings, err)
		}
	}
	loaded := holding(t, s.db, "SELECT pg_advisory_xact_lock(7, 7)")
	ended := make(chan error, 1)
	go func() {
		_, err := s.db.Pool.Exec(t.Context(), "DO $$ BEGIN WHILE NOT pg_try_advisory_xact_lock(7, 7) LOOP PERFORM setval('app_demo_derived.things_seq', nextval('app_demo_derived.things_seq') + 1000); PERFORM pg_sleep(0.01); END LOOP; END $$")
		ended <- err
	}()
	eventually(t, "numbers", func() bool {
		return s.text(t, "SELECT (last_value > 1000)::text FROM app_demo_derived.things_seq") == "true"
	})
	step("while it is loaded", true, false)
	loaded()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	step("written to", true, true)
	step("with nothing to do", false, true)

	logged := func(when string, want int) {
		t.Helper()
		if n, err := s.Touched(t.Context(), s.current(t, "things")); err != nil || n != want {
			t.Errorf("%s: %d rows are in the log, want %d; %v", when, n, want, err)
		}
	}
	write(50)
	step("with some changed", true, true)
	logged("with some changed", 0)
	for range 5 {
		write(90)
	}
	s.LookAt(400, 1<<20)
	step("with more than searches look at", true, true)
	logged("with more than searches look at", 450)
	s.buildPostings(t)
	logged("at rest", 0)
}

// If the words of documents occur in more sets of fields than blocks can distinguish, there are no postings, and the builder does not try again.
func TestIndexThatCannotHavePostings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30)
	s.SizeBlocks(1024)
	const words, some = 200, 17
	fields := make([]string, 4*some)
	for i := range fields {
		fields[i] = fmt.Sprintf("f%d long_text", i)
	}
	s.create(t, "things", fields...)
	s.many(t, "things", 330, func(i int) string {
		texts := make([]strings.Builder, len(fields))
		for w := range words {
			for f, set := 0, i*words+w; f < len(fields); f, set = f+some, set/some {
				fmt.Fprintf(&texts[f+set%some], "w%d ", w) // one of some fields, one of the next ones, ...
			}
		}
		properties := make([]string, len(fields))
		for f := range texts {
			properties[f] = fmt.Sprintf(`"f%d":%q`, f, texts[f].String())
		}
		return "{" + strings.Join(properties, ",") + "}"
	})
	withoutPostings := func(when string) {
		t.Helper()
		if ready, logged, err := s.Accelerated(t.Context(), s.current(t, "things")); ready || logged || err != nil {
			t.Errorf("%s: there are postings %t, a log of them %t; %v", when, ready, logged, err)
		}
		if list := s.text(t, "SELECT coalesce(string_agg(relname, ' '), '') FROM pg_class WHERE relname ~ '^things_.*(touched|postings|counts|values)$'"); list != "" {
			t.Errorf("%s: left are %s", when, list)
		}
	}
	if again, err := s.Accelerate(t.Context(), s.current(t, "things")); again || !errors.Is(err, store.ErrPatterns) {
		t.Fatalf("there is more to do: %t, %v", again, err)
	}
	withoutPostings("at first")
	if again, err := s.Accelerate(t.Context(), s.current(t, "things")); again || err != nil {
		t.Errorf("there is still more to do: %t, %v", again, err)
	}
	s.update(t, "things", true, "size int")
	withoutPostings("with another mapping")
}
