package store_test

import (
	"fmt"
	"testing"
)

// If more has changed than searches examine, blocks are rebuilt all the same: with rests between them while writes continue, without rests otherwise.
func TestBlocksAreBuiltWhileMuchIsWritten(t *testing.T) {
	t.Parallel()
	const blockSize, blocks, never = 64, 6, 1 << 20
	s := newSite(t)
	s.AccelerateSmall(6)
	s.create(t, "things", "title sentence")
	for i := range blocks * blockSize {
		s.put(t, "things", fmt.Sprint(i), `{"title":"a river"}`)
	}
	s.buildPostings(t)
	ix := things(t, s.Store)
	for i := 0; i < blocks*blockSize; i += blockSize / 2 {
		s.put(t, "things", fmt.Sprint(i), `{"title":"a mountain"}`)
	}
	steps := []struct {
		what             string
		rest             int
		written, shorter bool
	}{
		{"it is not known how long one takes", never, true, true},
		{"while it rests", never, true, false},
		{"after the rest", 0, true, true},
		{"nothing is written", never, false, true},
	}
	before, err := s.Touched(t.Context(), ix)
	if err != nil || before < 2*blocks {
		t.Fatalf("%d documents are logged, %v", before, err)
	}
	for _, step := range steps {
		s.LookAt(2, step.rest)
		take := s.Accelerate
		if step.written {
			take = s.AccelerateWritten
		}
		again, err := take(t.Context(), ix)
		if err != nil || !again {
			t.Errorf("%s: again is %t, %v", step.what, again, err)
		}
		after, err := s.Touched(t.Context(), ix)
		if err != nil || after < before != step.shorter {
			t.Errorf("%s: %d documents were logged, then %d, %v", step.what, before, after, err)
		}
		before = after
	}
}
