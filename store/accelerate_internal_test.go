package store

import "testing"

// However many indices with postings are searched, what is remembered of their lexemes stays within bounds.
func TestAcceleratorsAreBounded(t *testing.T) {
	t.Parallel()
	c := newAcceleratorCache()
	const each, indices = 3 << 20, 1000
	for id := range int64(indices) {
		c.accelerators.Put(id, knownAccelerator{accelerator: &accelerator{bytes: each}})
	}
	known := 0
	for id := range int64(indices) {
		if _, ok := c.accelerators.Get(id); ok {
			known++
		}
	}
	if known == 0 || known*each > maxAccelerators {
		t.Errorf("%d accelerators of %d bytes are remembered", known, each)
	}
}
