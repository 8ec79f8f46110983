package store_test

import (
	"fmt"
	"testing"
)

// While the postings of an index are renewed and it is written to all the time, those in use keep up with the writes, so that searches continue to
// use them, and in the end the new ones have caught up.
func TestPostingsInUseKeepUpWhileTheyAreRenewed(t *testing.T) {
	t.Parallel()
	const blockSize, blocks, looked = 64, 12, 40
	ctx := t.Context()
	s := newSite(t)
	s.AccelerateSmall(6)
	s.create(t, "things", "title sentence")
	writes := 0
	river := func(numbers ...int) {
		t.Helper()
		writes++ // an unchanged document would not be written
		var documents []string
		for _, n := range numbers {
			documents = append(documents, fmt.Sprint(n), fmt.Sprintf(`{"title":"a river","write":%d}`, writes))
		}
		s.put(t, "things", documents...)
	}
	for i := range blocks {
		var numbers []int
		for n := range blockSize {
			numbers = append(numbers, i*blockSize+n)
		}
		river(numbers...)
	}
	s.buildPostings(t)
	s.LookAt(looked, 0)
	ix := things(t, s.Store)

	// In the blocks that are built first and last, and in one that did not exist at the beginning.
	builds, longest := 0, 0
	err := s.Renew(ctx, ix, func() error {
		builds++
		for _, first := range []int{0, blockSize, 2 * blockSize, 3 * blockSize, (blocks - 1) * blockSize, blocks * blockSize} {
			river(first + builds%blockSize)
		}
		logged, err := s.Touched(ctx, ix)
		longest = max(longest, logged)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d blocks were built; the log had up to %d rows", builds, longest)
	if longest > looked {
		t.Errorf("the log had %d rows, more than searches look at", longest)
	}
	if builds < blocks+1 || builds > 3*blocks {
		t.Errorf("%d blocks were built, want some of %d twice", builds, blocks)
	}
	logged, err := s.Touched(ctx, ix)
	if err != nil || logged == 0 || logged > looked {
		t.Errorf("%d rows are in the log when the new blocks come into use, %v", logged, err)
	}
	checked, err := s.CheckBlocks(ctx, ix)
	if err != nil || checked.Documents < blocks*blockSize-looked {
		t.Errorf("compared %d documents with their blocks, %v", checked.Documents, err)
	}
}
