package blockvalues

import (
	"slices"
	"sort"
	"strings"

	"github.com/rowansearch/rowan/store/posting"
)

// Order is the order of a page by the values of a field, or the first key of it.
type Order struct {
	Field string
	Desc  bool
	Text  bool     // by what orders the documents of each block, posting.TextKeys, rather than by their values
	After *SortKey // of the place of a cursor, nil without one
}

// fewOfSets tells where the keys of a block's documents are looked at one by one: where it has so many more sets of values.
const fewOfSets = 4

// Compare tells which of two keys comes first; nulls come last either way.
func (by *Order) Compare(a, b SortKey) int {
	switch {
	case a.Null && b.Null:
		return 0
	case a.Null:
		return 1
	case b.Null:
		return -1
	case by.Desc:
		a, b = b, a
	}
	return strings.Compare(a.Key, b.Key)
}

// before tells whether a key comes before the place of the cursor.
func (by *Order) before(key SortKey) bool {
	return by.After != nil && by.Compare(key, *by.After) < 0
}

// BlockKeys are the values of a block, and the first key of its documents that may be on the page.
type BlockKeys struct {
	*Values
	First SortKey
	Seen  bool // there are some
}

// SetsUpTo are those of some sets, in the order of their keys, whose keys are not past the page.
func (k *BlockKeys) SetsUpTo(page *Page, sets []uint16) []uint16 {
	return sets[:sort.Search(len(sets), func(i int) bool { return page.Past(k.SortKey(int(sets[i]), page.By.Desc)) })]
}

// Find has the page take the keys of the documents of a block that are found, up to the last one of the page as far as it is known.
func (k *BlockKeys) Find(page *Page, found posting.Bitmap, space *Space) {
	if found.Count() < k.Sets()/fewOfSets {
		for _, set := range k.SetsOf(found) {
			k.take(page, set, 1)
		}
		return
	}
	var counts []int32
	for _, set := range k.SetsFrom(page.By) {
		if counts == nil {
			if page.Past(k.SortKey(int(set), page.By.Desc)) { // most blocks have none before the last value
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
func (k *BlockKeys) take(page *Page, set int, documents int32) (past bool) {
	key := k.SortKey(set, page.By.Desc)
	if page.Past(key) {
		return true
	}
	if page.By.before(key) {
		return false
	}
	page.add(key, int(documents))
	if !k.Seen || page.By.Compare(key, k.First) < 0 {
		k.First, k.Seen = key, true
	}
	return false
}

// Page finds the last sort key of a page. Keys from the cursor's on come in any order, each with how many documents have it, some
// of them again.
type Page struct {
	By     *Order
	Wanted int        // documents after those with the key of the cursor: which of these come after it, the statement knows
	Last   *SortKey   // nil while fewer documents than are wanted were seen
	equal  int        // documents with the key of the cursor
	keys   []keyCount // all up to Last, in any order
}

type keyCount struct {
	key       SortKey
	documents int
}

// pageKeys is how many keys more than documents are wanted may wait for the last one to be found anew.
const pageKeys = 256

// Past tells whether a key, and with it each that comes after it, is none of the page.
func (k *Page) Past(key SortKey) bool { return k.Last != nil && k.By.Compare(key, *k.Last) > 0 }

// add takes a key that is not past the last one.
func (k *Page) add(key SortKey, documents int) {
	if k.By.After != nil && k.By.Compare(key, *k.By.After) == 0 {
		k.equal += documents
	} else if k.keys = append(k.keys, keyCount{key, documents}); len(k.keys) > k.Wanted+pageKeys {
		k.Cut()
	}
}

// Cut leaves the keys up to the last one of the page.
func (k *Page) Cut() {
	slices.SortFunc(k.keys, func(a, b keyCount) int { return k.By.Compare(a.key, b.key) })
	taken := 0
	for i, c := range k.keys {
		if k.Past(c.key) {
			k.keys = k.keys[:i]
			return
		}
		if taken += c.documents; taken >= k.Wanted {
			k.Last = &c.key
		}
	}
}

// Taken is the number of documents that have the keys.
func (k *Page) Taken() int {
	n := k.equal
	for _, c := range k.keys {
		n += c.documents
	}
	return n
}
