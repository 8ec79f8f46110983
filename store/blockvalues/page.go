package blockvalues

import (
	"slices"
	"sort"
	"strings"

	"github.com/rowansearch/rowan/store/posting"
)

// Order is the order of a page by the values of a field, as its only or its first key.
type Order struct {
	Field string
	Desc  bool
	Text  bool     // by the order of the documents in each block, posting.TextKeys, rather than by their values
	After *SortKey // of the cursor's place, nil without a cursor
}

// fewOfSets decides when the keys of a block's documents are read one by one: when it has more than this many times as many sets of values.
const fewOfSets = 4

// Compare compares two keys in this order; nulls come last in either direction.
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

// before reports whether a key comes before the cursor's place.
func (by *Order) before(key SortKey) bool {
	return by.After != nil && by.Compare(key, *by.After) < 0
}

// BlockKeys has the values of a block, and the first key of its documents that may be on the page.
type BlockKeys struct {
	*Values
	First SortKey
	Seen  bool // First is set
}

// SetsUpTo returns those of the given sets, which are in the order of their keys, whose keys are not past the page.
func (k *BlockKeys) SetsUpTo(page *Page, sets []uint16) []uint16 {
	return sets[:sort.Search(len(sets), func(i int) bool { return page.Past(k.SortKey(int(sets[i]), page.By.Desc)) })]
}

// Find adds the keys of a block's matching documents to the page, up to the last key of the page as far as it is known.
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

// take adds the key of a set for the given number of documents, unless it is past the page.
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

// Page finds the last sort key of a page. Keys from the cursor's on are added in any order, possibly more than once, each with the number of
// documents that have it.
type Page struct {
	By     *Order
	Wanted int        // number of documents after those with the cursor's key: only the statement knows which of these come after the cursor
	Last   *SortKey   // nil until the wanted number of documents has been seen
	equal  int        // number of documents with the cursor's key
	keys   []keyCount // all keys up to Last, in any order
}

type keyCount struct {
	key       SortKey
	documents int
}

// pageKeys is how many keys beyond the wanted number of documents may accumulate before the last key is determined again.
const pageKeys = 256

// Past reports whether a key, and thus every later one, is beyond the page.
func (k *Page) Past(key SortKey) bool { return k.Last != nil && k.By.Compare(key, *k.Last) > 0 }

// add adds a key that is not past the page.
func (k *Page) add(key SortKey, documents int) {
	if k.By.After != nil && k.By.Compare(key, *k.By.After) == 0 {
		k.equal += documents
	} else if k.keys = append(k.keys, keyCount{key, documents}); len(k.keys) > k.Wanted+pageKeys {
		k.Cut()
	}
}

// Cut removes the keys beyond the page.
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

// Taken returns the number of documents that have the remaining keys.
func (k *Page) Taken() int {
	n := k.equal
	for _, c := range k.keys {
		n += c.documents
	}
	return n
}
