package store

import "testing"

func TestPendingChanges(t *testing.T) {
	t.Parallel()
	p := newPendingChanges()
	p.add(1, 10)
	p.add(2, 5)
	before := p.of(1)
	p.add(1, 3) // written while the step runs
	p.settled(1, before, 4, false)
	if got := p.total(); got != 14 {
		t.Errorf("after a step of 4 of 10: %d, want 14", got)
	}
	// Another server has done part of it: the step finds less than there was.
	p.settled(1, p.of(1), 2, true)
	if got := p.of(1); got != 0 {
		t.Errorf("after the last step: %d", got)
	}
	// A step also handles changes of other servers.
	p.settled(2, p.of(2), 500, false)
	if got := p.total(); got != 0 {
		t.Errorf("%d are left", got)
	}
	p.add(3, 7)
	p.forget(3)
	if got := p.total(); got != 0 {
		t.Errorf("%d of an index that is gone", got)
	}
}
