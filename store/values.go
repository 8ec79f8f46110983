package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"iter"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/rowansearch/rowan/store/posting"
)

// The values of a field in one block of documents, for counting and filtering without the documents. What
// differs between documents is the set of values that one has: the block lists its distinct values, the
// distinct sets of these, and for each document which set it has. Whatever is asked of a document's values
// is then asked once a set.
type values struct {
	// text is all keys and spellings, one after the other; ends are where each ends.
	text string
	ends []uint32
	// places are the values of all sets, in the order that the documents have them; setEnds is where each set ends.
	places  []uint16
	setEnds []uint32
	// of is the set of each document, up to the last one and the end of its word of a bitmap: one byte each up to 256 sets, else two.
	of []byte
	// sorted are the sets in the order of their sort keys, ascending and descending, once they were asked for.
	sorted [2]atomic.Pointer[[]uint16]
}

// count is the number of distinct values.
func (v *values) count() int { return len(v.ends) / 2 }

// value is one of them.
func (v *values) value(place int) fieldValue {
	start := uint32(0)
	if place > 0 {
		start = v.ends[2*place-1]
	}
	return fieldValue{v.text[start:v.ends[2*place]], v.text[v.ends[2*place]:v.ends[2*place+1]]}
}

// sets is the number of distinct sets.
func (v *values) sets() int { return len(v.setEnds) }

// set is the places of the values of one of them.
func (v *values) set(i int) []uint16 {
	start := uint32(0)
	if i > 0 {
		start = v.setEnds[i-1]
	}
	return v.places[start:v.setEnds[i]]
}

// bytes is what they take in memory, about, once they were sorted.
func (v *values) bytes() int {
	return len(v.text) + 4*len(v.ends) + 2*len(v.places) + (4+2*len(v.sorted))*len(v.setEnds) + len(v.of)
}

// fieldValue is what a value compares by, and how it was written.
type fieldValue struct{ key, spelling string }

const (
	// maxBlockValues bounds the distinct values of a field in a block; of a field with more the order is kept
	// instead: nearly every document has a value of its own.
	maxBlockValues = 16384
	// maxBlockText bounds their bytes.
	maxBlockText = 512 << 10
)

// valuesBuilder collects the values of one field in one block.
type valuesBuilder struct {
	places map[fieldValue]uint32
	list   []fieldValue
	bytes  int
	setsBy map[string]uint16
	sets   [][]uint32
	of     []uint16
	span   int // of has the documents of so many offsets
	added  int // values of all documents
	most   int // distinct values
	full   bool
	one    []uint32
	key    []byte
}

// newValuesBuilder makes one for a block of so many documents, of up to so many distinct values.
func newValuesBuilder(blockSize, most int) *valuesBuilder {
	b := &valuesBuilder{places: map[fieldValue]uint32{}, setsBy: map[string]uint16{}, of: make([]uint16, blockSize), most: most}
	b.setsBy[""], b.sets = 0, [][]uint32{nil} // a document that is not there has none
	return b
}

// add gives the document that is being added one more value.
func (b *valuesBuilder) add(key, spelling []byte) {
	if b.full {
		return
	}
	v := fieldValue{string(key), string(spelling)}
	place, ok := b.places[v]
	if !ok {
		place = uint32(len(b.list))
		b.places[v] = place
		b.list = append(b.list, v)
		b.bytes += len(v.key) + len(v.spelling)
		b.full = len(b.list) > b.most || b.bytes > maxBlockText
	}
	b.one = append(b.one, place)
	b.added++
}

// end ends the document.
func (b *valuesBuilder) end(offset int) {
	if b.full {
		return
	}
	b.key = b.key[:0]
	for _, place := range b.one {
		b.key = binary.AppendUvarint(b.key, uint64(place))
	}
	set, ok := b.setsBy[string(b.key)]
	if !ok {
		if len(b.sets) > 1<<16-1 {
			b.full = true
			return
		}
		set = uint16(len(b.sets))
		b.setsBy[string(b.key)] = set
		b.sets = append(b.sets, slices.Clone(b.one))
	}
	b.of[offset], b.span = set, offset+1
	b.one = b.one[:0]
}

// encode returns the block's values, or nil if there are too many.
func (b *valuesBuilder) encode() []byte {
	if b.full {
		return nil
	}
	data := binary.AppendUvarint(nil, uint64(len(b.list)))
	for _, v := range b.list {
		data = binary.AppendUvarint(data, uint64(len(v.key)))
		data = append(data, v.key...)
		data = binary.AppendUvarint(data, uint64(len(v.spelling)))
		data = append(data, v.spelling...)
	}
	data = binary.AppendUvarint(data, uint64(len(b.sets)))
	for _, set := range b.sets {
		data = binary.AppendUvarint(data, uint64(len(set)))
		for _, place := range set {
			data = binary.AppendUvarint(data, uint64(place))
		}
	}
	for _, set := range b.of[:b.span] {
		if len(b.sets) <= 256 {
			data = append(data, byte(set))
		} else {
			data = binary.LittleEndian.AppendUint16(data, set)
		}
	}
	return data
}

var errValues = errors.New("store: values of a block in a form that is not known")

// decodeValues reads what encode wrote.
func decodeValues(data []byte, blockSize int) (*values, error) {
	d := valuesReader{data: data}
	n := d.number(maxBlockValues)
	v := &values{ends: make([]uint32, 0, 2*n)}
	var text []byte
	for range 2 * n {
		text = append(text, d.text()...)
		v.ends = append(v.ends, uint32(len(text)))
	}
	v.text = string(text)
	v.setEnds = make([]uint32, d.number(1<<16))
	for i := range v.setEnds {
		for range d.number(maxBlockValues) {
			place := d.number(maxBlockValues)
			if place >= n {
				return nil, errValues
			}
			v.places = append(v.places, uint16(place))
		}
		v.setEnds[i] = uint32(len(v.places))
	}
	v.places = slices.Clip(v.places)
	of, width := d.data[min(d.at, len(d.data)):], 2
	if v.sets() <= 256 {
		width = 1
	}
	if d.bad || len(of)%width != 0 || len(of) > width*blockSize {
		return nil, errValues
	}
	v.of = make([]byte, width*((len(of)/width+63)/64*64))
	copy(v.of, of)
	return v, nil
}

type valuesReader struct {
	data []byte
	at   int
	bad  bool
}

func (d *valuesReader) number(most int) int {
	n, size := binary.Uvarint(d.data[min(d.at, len(d.data)):])
	if size <= 0 || n > uint64(most) {
		d.bad = true
		return 0
	}
	d.at += size
	return int(n)
}

func (d *valuesReader) text() []byte {
	n := d.number(maxBlockText)
	if d.bad || d.at+n > len(d.data) {
		d.bad = true
		return nil
	}
	d.at += n
	return d.data[d.at-n : d.at]
}

// setsOf yields the set of each of some documents, in order.
func (v *values) setsOf(among posting.Bitmap) iter.Seq2[int, int] {
	narrow := v.sets() <= 256
	return func(yield func(offset, set int) bool) {
		for i, w := range among {
			for ; w != 0; w &= w - 1 {
				offset := 64*i + bits.TrailingZeros64(w)
				if narrow {
					if !yield(offset, int(v.of[offset])) {
						return
					}
				} else if !yield(offset, int(binary.LittleEndian.Uint16(v.of[2*offset:]))) {
					return
				}
			}
		}
	}
}

// setOf is the set of a document.
func (v *values) setOf(offset int) int {
	if v.sets() <= 256 {
		return int(v.of[offset])
	}
	return int(binary.LittleEndian.Uint16(v.of[2*offset:]))
}

// choose returns those of some documents that have a value that passes a test. Each set of values that one of them has
// is tested once.
func (v *values) choose(among posting.Bitmap, test func(v fieldValue) bool) posting.Bitmap {
	const passes, fails = 1, 2
	tested := make([]byte, v.sets())
	chosen := posting.NewBitmap(64 * len(among))
	for offset, set := range v.setsOf(among) {
		if tested[set] == 0 {
			tested[set] = fails
			if v.some(set, test) {
				tested[set] = passes
			}
		}
		if tested[set] == passes {
			chosen.Set(offset)
		}
	}
	return chosen
}

// some tells whether a value of a set passes a test.
func (v *values) some(set int, test func(v fieldValue) bool) bool {
	return slices.ContainsFunc(v.set(set), func(place uint16) bool { return test(v.value(int(place))) })
}

// within returns those of some documents that have a value in a range.
func (v *values) within(among posting.Bitmap, r keyRange) posting.Bitmap {
	// By their smallest values, these sets have one in it; of the sets before them, those may that have several.
	sets := v.sortedSets(false)
	from := sort.Search(len(sets), func(i int) bool { k := v.sortKey(int(sets[i]), false); return k.null || !r.below(k.key) })
	to := sort.Search(len(sets), func(i int) bool { k := v.sortKey(int(sets[i]), false); return k.null || r.above(k.key) })
	chosen := posting.NewBitmap(64 * len(among))
	several := len(v.places) >= v.sets() // one set is empty
	if from >= to && !several {
		return chosen
	}
	passes := make([]bool, v.sets())
	for _, set := range sets[min(from, to):to] {
		passes[set] = true
	}
	if several {
		for _, set := range sets[:min(from, to)] {
			passes[set] = len(v.set(int(set))) > 1 && v.some(int(set), func(v fieldValue) bool { return r.has(v.key) })
		}
	}
	for offset, set := range v.setsOf(among) {
		if passes[set] {
			chosen.Set(offset)
		}
	}
	return chosen
}

// tally counts the documents of each set, in space that the next tally takes. Without a function call for each it takes a third
// of the time.
func (v *values) tally(among posting.Bitmap, space *tallySpace) []int32 {
	counts := space.counts(countsOfSets, v.sets())
	narrow := v.sets() <= 256
	for i, w := range among {
		if w == 0 {
			continue
		}
		if narrow {
			of := v.of[64*i : 64*i+64]
			for ; w != 0; w &= w - 1 {
				counts[of[bits.TrailingZeros64(w)&63]]++
			}
			continue
		}
		of := v.of[128*i : 128*i+128]
		for ; w != 0; w &= w - 1 {
			counts[binary.LittleEndian.Uint16(of[2*bits.TrailingZeros64(w):])]++
		}
	}
	return counts
}

// facetCounts counts the documents of each value of a field, by spelling. keys are those of further documents, where they were
// counted from the order of a field.
type facetCounts struct {
	values map[fieldValue]int64
	keys   []uint64
}

func newFacetCount() facetCounts { return facetCounts{values: map[fieldValue]int64{}} }

// count adds the documents of b.
func (c *facetCounts) count(v *values, b posting.Bitmap, space *tallySpace) {
	byValue := space.counts(countsOfValues, v.count())
	for set, n := range v.tally(b, space) {
		if n > 0 {
			for _, place := range v.set(set) {
				byValue[place] += n
			}
		}
	}
	for place, n := range byValue {
		if n > 0 {
			c.values[v.value(place)] += int64(n)
		}
	}
}

// facetCount is one value of a facet.
type facetCount struct {
	key, spelling string
	documents     int64
	most          int64 // documents with this spelling
}

// top returns the values with the most documents, spellings taken together, as the facets of a statement are:
// most documents first, then by key; the most frequent spelling stands for all.
func (c facetCounts) top(limit int) []facetCount {
	byKey := map[string]*facetCount{}
	for v, n := range c.values {
		of, ok := byKey[v.key]
		if !ok {
			of = &facetCount{key: v.key, spelling: v.spelling, most: n}
			byKey[v.key] = of
		} else if n > of.most || n == of.most && v.spelling < of.spelling {
			of.spelling, of.most = v.spelling, n
		}
		of.documents += n
	}
	list := make([]facetCount, 0, len(byKey))
	for _, of := range byKey {
		list = append(list, *of)
	}
	slices.SortFunc(list, func(a, b facetCount) int {
		return cmp.Or(cmp.Compare(b.documents, a.documents), strings.Compare(a.key, b.key))
	})
	return list[:min(limit, len(list))]
}
