package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// The last key of a page is that of all keys sorted at once, however they come.
func TestKeysOfPage(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		by := &sortedBy{desc: r.IntN(2) == 0}
		key := func() sortKey {
			if n := r.IntN(1 << (1 + r.IntN(11))); n > 0 {
				return sortKey{key: fmt.Sprintf("%05d", n)}
			}
			return sortKey{null: true}
		}
		if r.IntN(3) == 0 {
			after := key()
			by.after = &after
		}
		page, counts := &keysOfPage{by: by, wanted: 1 + r.IntN(400)}, map[sortKey]int{}
		for range r.IntN(3000) {
			k, n := key(), 1+r.IntN(3)
			if by.after != nil && by.compare(k, *by.after) < 0 {
				continue
			}
			counts[k] += n
			if !page.past(k) {
				page.add(k, n)
			}
		}
		page.cut()

		taken, wanted, has := 0, page.wanted, map[sortKey]bool{}
		for _, k := range slices.SortedFunc(maps.Keys(counts), by.compare) {
			if taken >= wanted {
				break
			}
			if by.after != nil && by.compare(k, *by.after) == 0 {
				wanted += counts[k]
			}
			taken, has[k] = taken+counts[k], true
		}
		if got := page.taken(); got != taken {
			t.Errorf("round %d: %d documents; want %d", round, got, taken)
		}
		for k := range counts {
			if page.past(k) == has[k] {
				t.Errorf("round %d: %v is past the page: %t", round, k, has[k])
			}
		}
		if t.Failed() {
			return
		}
	}
}
