package blockvalues

import (
	"slices"

	"github.com/rowansearch/rowan/store/posting"
)

// SortKey is the key by which a set of values is ordered.
type SortKey struct {
	Key  string
	Null bool
}

// SortKey returns the key of a set: its smallest value, or its largest if desc is set.
func (v *Values) SortKey(set int, desc bool) (k SortKey) {
	places := v.Set(set)
	k.Null = len(places) == 0
	for i, place := range places {
		if key := v.value(int(place)).Key; i == 0 || (key > k.Key) == desc {
			k.Key = key
		}
	}
	return k
}

// SetsFrom returns the sets in the order of their keys, beginning at the cursor's place. The result must not be modified.
func (v *Values) SetsFrom(by *Order) []uint16 {
	sets := v.sortedSets(by.Desc)
	if by.After == nil {
		return sets
	}
	from, _ := slices.BinarySearchFunc(sets, *by.After, func(set uint16, after SortKey) int { return by.Compare(v.SortKey(int(set), by.Desc), after) })
	return sets[from:]
}

// sortedSets returns the sets in the order of their keys.
func (v *Values) sortedSets(desc bool) []uint16 {
	to := &v.sorted[0]
	if desc {
		to = &v.sorted[1]
	}
	if known := to.Load(); known != nil {
		return *known
	}
	by, sets, keys := &Order{Desc: desc}, make([]uint16, v.Sets()), make([]SortKey, v.Sets())
	for i := range sets {
		sets[i], keys[i] = uint16(i), v.SortKey(i, desc)
	}
	slices.SortFunc(sets, func(a, b uint16) int { return by.Compare(keys[a], keys[b]) })
	to.Store(&sets)
	return sets
}

// Beginning returns the first bytes of the key's text, as posting.TextKeys.Of returns them.
func (k SortKey) Beginning(desc bool) uint64 {
	n := posting.BeginningOf([]byte(k.Key))
	switch {
	case k.Null:
		return posting.NoKey
	case desc:
		return posting.NoKey - n
	}
	return n
}
