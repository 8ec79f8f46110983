package blockvalues

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// The last key of a page is the same as if all keys were sorted at once, in whatever order they are added.
func TestKeysOfPage(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		by := &Order{Desc: r.IntN(2) == 0}
		key := func() SortKey {
			if n := r.IntN(1 << (1 + r.IntN(11))); n > 0 {
				return SortKey{Key: fmt.Sprintf("%05d", n)}
			}
			return SortKey{Null: true}
		}
		if r.IntN(3) == 0 {
			after := key()
			by.After = &after
		}
		page, counts := &Page{By: by, Wanted: 1 + r.IntN(400)}, map[SortKey]int{}
		for range r.IntN(3000) {
			k, n := key(), 1+r.IntN(3)
			if by.After != nil && by.Compare(k, *by.After) < 0 {
				continue
			}
			counts[k] += n
			if !page.Past(k) {
				page.add(k, n)
			}
		}
		page.Cut()

		taken, wanted, has := 0, page.Wanted, map[SortKey]bool{}
		for _, k := range slices.SortedFunc(maps.Keys(counts), by.Compare) {
			if taken >= wanted {
				break
			}
			if by.After != nil && by.Compare(k, *by.After) == 0 {
				wanted += counts[k]
			}
			taken, has[k] = taken+counts[k], true
		}
		if got := page.Taken(); got != taken {
			t.Errorf("round %d: %d documents; want %d", round, got, taken)
		}
		for k := range counts {
			if page.Past(k) == has[k] {
				t.Errorf("round %d: %v is past the page: %t", round, k, has[k])
			}
		}
		if t.Failed() {
			return
		}
	}
}
