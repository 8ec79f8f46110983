package store

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rowansearch/rowan/service/mapping"
)

// A page in the order of a field whose values are kept by block needs only the documents up to the last value on it:
// these are put to the plain statement, which knows how the others of that value are ordered.

// sortedBy is the first key of such an order.
type sortedBy struct {
	field string
	desc  bool
	text  bool     // texts by their beginnings: textKeys
	after *sortKey // of the place of a cursor, nil without one
}

// maxTied bounds the documents that are put to the plain statement for a page in the order of a field.
const maxTied = 4000

// takeSort tells whether the hits are in the order of their ids, or of a field whose values are kept by block, or the order of its
// texts.
func (a *accelerated) takeSort() bool {
	p := a.plan
	if len(p.Sort) == 0 || p.Sort[0].Score || p.After != nil && len(p.After.Place) == 0 {
		return false
	}
	if p.Sort[0].ID {
		a.byID = true
		return true
	}
	f, mapped := a.sh.field(p.Sort[0].Field)
	if !mapped || !f.valued() && !f.keyed() {
		return false
	}
	by := &sortedBy{field: p.Sort[0].Field, desc: p.Sort[0].Desc, text: f.keyed()}
	if p.After != nil {
		after, ok := f.keyOfPlace(p.After.Place[0])
		if !ok {
			return false
		}
		by.after = &after
	}
	if a.sorted = by; !by.text {
		a.value(by.field)
	}
	return true
}

// keyOfPlace is the key of a value in the place of a cursor, as PostgreSQL has written it; ok is false where keys do not say all of it.
func (f field) keyOfPlace(value *string) (k sortKey, ok bool) {
	switch {
	case value == nil:
		return sortKey{null: true}, true
	case f.info.Kind == mapping.KindDate:
		t, err := time.Parse("2006-01-02 15:04:05.999999Z07", *value)
		return sortKey{key: timeKey(t)}, err == nil
	case f.Type == mapping.Float:
		n, err := strconv.ParseFloat(*value, 64)
		return sortKey{key: floatKey(n)}, err == nil
	case f.info.Kind == mapping.KindNumber:
		k.key, ok = numberKey(*value)
		return k, ok
	}
	return sortKey{key: *value}, true
}

// compare tells which of two keys comes first; nulls come last either way.
func (by *sortedBy) compare(a, b sortKey) int {
	switch {
	case a.null && b.null:
		return 0
	case a.null:
		return 1
	case b.null:
		return -1
	case by.desc:
		a, b = b, a
	}
	return strings.Compare(a.key, b.key)
}

// sortedCandidates returns the found documents from the place of the cursor up to the last value of the page; ok is false where they
// are too many.
func (t *blockTally) sortedCandidates() (list []int64, ok bool) {
	by := t.search.sorted
	place := t.search.value(by.field)
	counts := map[sortKey]int{}
	keys := make([][]sortKey, len(t.blocks))
	for i, b := range t.blocks {
		if b.found.empty() {
			continue
		}
		v := b.values[place]
		keys[i] = v.sortKeys(by.desc)
		for set, n := range v.tally(b.found, t.space) {
			if n > 0 {
				counts[keys[i][set]] += int(n)
			}
		}
	}
	wanted := t.search.plan.Offset + t.search.plan.Limit
	first, last, taken := sortKey{}, sortKey{null: true}, 0
	for _, key := range slices.SortedFunc(maps.Keys(counts), by.compare) {
		if by.after != nil {
			switch by.compare(key, *by.after) {
			case -1:
				continue
			case 0:
				wanted += counts[key] // which of them come after the cursor, the statement knows
			}
		}
		if taken == 0 {
			first = key
		}
		if taken += counts[key]; taken >= wanted {
			last = key
			break
		}
	}
	if taken > maxTied {
		return nil, false
	}
	if taken == 0 {
		return nil, true
	}
	for i, b := range t.blocks {
		if b.found.empty() {
			continue
		}
		number := b.number * int64(b.size)
		for offset, set := range b.values[place].setsOf(b.found) {
			if k := keys[i][set]; by.compare(k, first) >= 0 && by.compare(k, last) <= 0 {
				list = append(list, number+int64(offset))
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
