package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/mapping"
)

// A page in the order of a field whose values are kept by block needs only the documents up to the last value on it:
// these are put to the plain statement, which knows how the others of that value are ordered.

// sortedBy is the first key of such an order.
type sortedBy struct {
	field string
	desc  bool
}

// maxTied bounds the documents that are put to the plain statement for a page in the order of a field.
const maxTied = 4000

// takeSort tells whether the hits are in the order of a field whose values are kept by block. A category's smallest
// value is not the smallest of its levels, which are what is kept.
func (a *accelerated) takeSort() bool {
	p := a.plan
	if len(p.Sort) == 0 || p.After != nil || p.Sort[0].Score || p.Sort[0].ID {
		return false
	}
	f, mapped := a.sh.field(p.Sort[0].Field)
	if !mapped || !f.valued() || f.info.Kind == mapping.KindLevels {
		return false
	}
	a.sorted = &sortedBy{field: p.Sort[0].Field, desc: p.Sort[0].Desc}
	a.value(a.sorted.field)
	return true
}

// sortedCandidates returns the found documents up to the last value of the page; ok is false where they are too many.
func (t *blockTally) sortedCandidates() (list []int64, ok bool) {
	by := t.search.sorted
	place := t.search.value(by.field)
	counts := map[string]int{}
	without := 0
	keys := make([][]sortKey, len(t.blocks))
	for i, b := range t.blocks {
		if b.found.empty() {
			continue
		}
		v := b.values[place]
		keys[i] = v.sortKeys(by.desc)
		for set, n := range v.tally(b.found, t.space) {
			switch k := keys[i][set]; {
			case n == 0:
			case k.null:
				without += int(n)
			default:
				counts[k.key] += int(n)
			}
		}
	}
	wanted := t.search.plan.Offset + t.search.plan.Limit
	taken, last, nulls := 0, "", true
	order := slices.Sorted(maps.Keys(counts))
	if by.desc {
		slices.Reverse(order)
	}
	for _, key := range order {
		taken += counts[key]
		if last = key; taken >= wanted {
			nulls = false
			break
		}
	}
	if nulls {
		taken += without
	}
	if taken > maxTied {
		return nil, false
	}
	for i, b := range t.blocks {
		if b.found.empty() {
			continue
		}
		first := b.number * int64(b.size)
		for offset, set := range b.values[place].setsOf(b.found) {
			k := keys[i][set]
			before := strings.Compare(k.key, last)
			if by.desc {
				before = -before
			}
			if nulls || !k.null && before <= 0 {
				list = append(list, first+int64(offset))
			}
		}
	}
	return list, true
}

// all returns every found document.
func (t *blockTally) all() (list []int64) {
	for _, b := range t.blocks {
		first := b.number * int64(b.size)
		b.found.each(func(offset int) { list = append(list, first+int64(offset)) })
	}
	return list
}

// sortKey is what a set of values is ordered by.
type sortKey struct {
	key  string
	null bool
}

// sortKeys are the keys of the sets: the smallest, or the largest.
func (v *values) sortKeys(desc bool) []sortKey {
	keys := make([]sortKey, v.sets())
	for i := range keys {
		set := v.set(i)
		keys[i].null = len(set) == 0
		for j, place := range set {
			key := v.value(int(place)).key
			if j == 0 || (key > keys[i].key) == desc {
				keys[i].key = key
			}
		}
	}
	return keys
}
