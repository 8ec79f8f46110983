package store

import (
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/posting"
)

// A page in the order of a field whose values are kept by block needs only the documents up to the last value on it.
// PostgreSQL knows how those of one value are ordered, and their vectors or, where they are many, the plain statement what their scores are.

// sortedBy is the first key of such an order.
type sortedBy struct {
	field string
	desc  bool
	text  bool     // by what orders the documents of each block, posting.TextKeys, rather than by their values
	after *sortKey // of the place of a cursor, nil without one
}

// fewOfSets tells where the keys of a block's documents are looked at one by one: where it has so many more sets of values.
const fewOfSets = 4

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
	if !mapped || !f.hasValue() {
		return false
	}
	by := &sortedBy{field: p.Sort[0].Field, desc: p.Sort[0].Desc, text: !a.kept[f.Name] || f.info.Kind == mapping.KindLevels}
	if p.After != nil {
		after, ok := f.keyOfPlace(p.After.Place[0])
		if !ok && !by.text {
			return false
		}
		by.after = &after
	}
	if a.sorted = by; !by.text {
		a.value(by.field)
	}
	return true
}

// keyOfPlace is the key of a value in the place of a cursor, as PostgreSQL has written it; ok is false where it does not say all of it.
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
		if k.key, ok = numberKey(*value); !ok {
			k.key = roundedKey(*value)
		}
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

// before tells whether a key comes before the place of the cursor.
func (by *sortedBy) before(key sortKey) bool {
	return by.after != nil && by.compare(key, *by.after) < 0
}

// sortedCandidates returns the found documents that a page in the order of values may show: those from the place of the cursor up to
// the last value of the page. ok is false where they are too many.
func (t *blockTally) sortedCandidates(ctx context.Context, conn *pgx.Conn) (list []int64, ok bool, err error) {
	by := t.search.sorted
	place := t.search.value(by.field)
	page := &keysOfPage{by: by, wanted: t.search.plan.Offset + t.search.plan.Limit}
	keys := make([]blockKeys, len(t.blocks))
	for i, b := range t.blocks {
		if !b.found.Empty() {
			keys[i].values = b.values[place]
			keys[i].find(page, b.found, t.space)
		}
	}
	page.cut()
	if taken := page.taken(); taken > t.fewTied() {
		if list, ok, err = t.tiedByValue(ctx, conn, page, keys); ok || err != nil || taken > t.mostTied() {
			return list, ok, err
		}
	}
	for i, b := range t.blocks {
		v := keys[i]
		if !v.seen || page.past(v.first) {
			continue
		}
		shown := make([]bool, v.sets())
		for _, set := range v.setsUpTo(page, v.setsFrom(by)) {
			shown[set] = true
		}
		number := b.number * int64(b.size)
		for offset, set := range v.setsOf(b.found) {
			if shown[set] {
				list = append(list, number+int64(offset))
			}
		}
	}
	return list, true, nil
}

// setsUpTo are those of some sets, in the order of their keys, whose keys are not past the page.
func (k *blockKeys) setsUpTo(page *keysOfPage, sets []uint16) []uint16 {
	return sets[:sort.Search(len(sets), func(i int) bool { return page.past(k.sortKey(int(sets[i]), page.by.desc)) })]
}

// blockKeys are the values of a block, and the first key of its documents that may be on the page, if there are some.
type blockKeys struct {
	*values
	first sortKey
	seen  bool
}

// find has the page take the keys of the documents of a block that are found, up to the last one of the page as far as it is known.
func (k *blockKeys) find(page *keysOfPage, found posting.Bitmap, space *tallySpace) {
	if found.Count() < k.sets()/fewOfSets {
		for _, set := range k.setsOf(found) {
			k.take(page, set, 1)
		}
		return
	}
	var counts []int32
	for _, set := range k.setsFrom(page.by) {
		if counts == nil {
			if page.past(k.sortKey(int(set), page.by.desc)) { // most blocks have none before the last value
				return
			}
			counts = k.tally(found, space)
		}
		if n := counts[set]; n > 0 && k.take(page, int(set), n) {
			return
		}
	}
}

// take has the page take the key of so many documents, unless it is past the last one.
func (k *blockKeys) take(page *keysOfPage, set int, documents int32) (past bool) {
	key := k.sortKey(set, page.by.desc)
	if page.past(key) {
		return true
	}
	if page.by.before(key) {
		return false
	}
	page.add(key, int(documents))
	if !k.seen || page.by.compare(key, k.first) < 0 {
		k.first, k.seen = key, true
	}
	return false
}

// keysOfPage finds the last sort key of a page. Keys from the cursor's on come in any order, each with how many documents have it, some
// of them again.
type keysOfPage struct {
	by     *sortedBy
	wanted int        // documents after those with the key of the cursor: which of these come after it, the statement knows
	equal  int        // documents with the key of the cursor
	keys   []keyCount // all up to last, in any order
	last   *sortKey   // nil while fewer documents than are wanted were seen
}

type keyCount struct {
	key       sortKey
	documents int
}

// pageKeys is how many keys more than documents are wanted may wait for the last one to be found anew.
const pageKeys = 256

// past tells whether a key, and with it each that comes after it, is none of the page.
func (k *keysOfPage) past(key sortKey) bool { return k.last != nil && k.by.compare(key, *k.last) > 0 }

// add takes a key that is not past the last one.
func (k *keysOfPage) add(key sortKey, documents int) {
	if k.by.after != nil && k.by.compare(key, *k.by.after) == 0 {
		k.equal += documents
	} else if k.keys = append(k.keys, keyCount{key, documents}); len(k.keys) > k.wanted+pageKeys {
		k.cut()
	}
}

// cut leaves the keys up to the last one of the page.
func (k *keysOfPage) cut() {
	slices.SortFunc(k.keys, func(a, b keyCount) int { return k.by.compare(a.key, b.key) })
	taken := 0
	for i, c := range k.keys {
		if k.past(c.key) {
			k.keys = k.keys[:i]
			return
		}
		if taken += c.documents; taken >= k.wanted {
			k.last = &c.key
		}
	}
}

// taken is the number of documents that have the keys.
func (k *keysOfPage) taken() int {
	n := k.equal
	for _, c := range k.keys {
		n += c.documents
	}
	return n
}

// all returns every found document.
func (t *blockTally) all() (list []int64) {
	for _, b := range t.blocks {
		first := b.number * int64(b.size)
		b.found.Each(func(offset int) { list = append(list, first+int64(offset)) })
	}
	return list
}

// sortKey is what a set of values is ordered by.
type sortKey struct {
	key  string
	null bool
}

// sortKey is the key of a set: the smallest of its values, or the largest.
func (v *values) sortKey(set int, desc bool) (k sortKey) {
	places := v.set(set)
	k.null = len(places) == 0
	for i, place := range places {
		if key := v.value(int(place)).key; i == 0 || (key > k.key) == desc {
			k.key = key
		}
	}
	return k
}

// setsFrom are the sets in the order of their keys, from the place of the cursor on.
func (v *values) setsFrom(by *sortedBy) []uint16 {
	sets := v.sortedSets(by.desc)
	if by.after == nil {
		return sets
	}
	from, _ := slices.BinarySearchFunc(sets, *by.after, func(set uint16, after sortKey) int { return by.compare(v.sortKey(int(set), by.desc), after) })
	return sets[from:]
}

// sortedSets are the sets in the order of their keys.
func (v *values) sortedSets(desc bool) []uint16 {
	to := &v.sorted[0]
	if desc {
		to = &v.sorted[1]
	}
	if known := to.Load(); known != nil {
		return *known
	}
	by, sets, keys := &sortedBy{desc: desc}, make([]uint16, v.sets()), make([]sortKey, v.sets())
	for i := range sets {
		sets[i], keys[i] = uint16(i), v.sortKey(i, desc)
	}
	slices.SortFunc(sets, func(a, b uint16) int { return by.compare(keys[a], keys[b]) })
	to.Store(&sets)
	return sets
}
