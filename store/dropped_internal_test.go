package store

import (
	"testing"

	"github.com/rowansearch/rowan/service"
)

// A server keeps nothing of indices that are gone.
func TestNothingIsKeptOfDroppedIndices(t *testing.T) {
	t.Parallel()
	s := &Store{acceleratorCache: newAcceleratorCache(), worker: newWorker()}
	ix := &service.Index{ID: 7, Version: 1}
	s.logs.resting(ix.ID, 100, standardLimits)
	s.setUnfit(ix)
	s.seenByWrites.logging.note(ix.ID, true)
	s.seenByWrites.changing.note(ix.ID, true)
	s.pending.add(ix.ID, 3)
	s.analyzes.add(ix, analyzeDelay)
	s.comparisons.Put(ix.ID, comparison{})
	s.keptLately.Put(ix.ID, struct{}{})
	s.dropped(ix.ID)
	_, compared := s.comparisons.Get(ix.ID)
	_, kept := s.keptLately.Get(ix.ID)
	if n := len(s.logs.known) + len(s.pending.count) + len(s.analyzes.jobs); n > 0 || s.unfit(ix) || s.seenByWrites.logging.has(ix.ID) || s.seenByWrites.changing.has(ix.ID) || compared || kept {
		t.Errorf("%d things are kept: %v %v %v %v %v %v %v %v", n, compared, kept, s.logs.known, s.unfit(ix), s.pending.count, s.analyzes.jobs, s.seenByWrites.logging.has(ix.ID), s.seenByWrites.changing.has(ix.ID))
	}
}
