package blockvalues

import (
	"slices"

	"github.com/rowansearch/rowan/store/posting"
)

// SortKey is what a set of values is ordered by.
type SortKey struct {
	Key  string
	Null bool
}

// SortKey is the key of a set: the smallest of its values, or the largest.
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

// SetsFrom are the sets in the order of their keys, from the place of the cursor on. They are not to be changed.
func (v *Values) SetsFrom(by *Order) []uint16 {
	sets := v.sortedSets(by.Desc)
	if by.After == nil {
		return sets
	}
	from, _ := slices.BinarySearchFunc(sets, *by.After, func(set uint16, after SortKey) int { return by.Compare(v.SortKey(int(set), by.Desc), after) })
	return sets[from:]
}

// sortedSets are the sets in the order of their keys.
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

// Beginning is that of the text of a place, as posting.TextKeys.Of has it.
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
