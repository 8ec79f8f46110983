// Package blockvalues holds the values of fields in blocks of documents, as postings store them: which documents of a block have which values, how
// they are counted, filtered and ordered, and the keys used for all that. It does no I/O.
package blockvalues

import (
	"encoding/binary"
	"errors"
	"iter"
	"math/bits"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/rowansearch/rowan/store/posting"
)

// Values holds the values of a field in one block of documents, for counting and filtering without reading the documents. What differs between
// documents is their set of values: the block lists its distinct values, the distinct sets of these, and for each document its set. So every question
// about a document's values is answered once per set.
type Values struct {
	// text is all keys and spellings concatenated; ends are their ends.
	text string
	ends []uint32
	// places are the values of all sets, each set in the order in which documents have them; setEnds are the ends of the sets.
	places  []uint16
	setEnds []uint32
	// of is the set of each document, padded to a whole word of a bitmap: one byte each for up to 256 sets, otherwise two.
	of []byte
	// sorted are the sets in the order of their sort keys, ascending and descending; nil until first needed.
	sorted [2]atomic.Pointer[[]uint16]
}

// count returns the number of distinct values.
func (v *Values) count() int { return len(v.ends) / 2 }

// value returns a distinct value by its index.
func (v *Values) value(place int) Value {
	start := uint32(0)
	if place > 0 {
		start = v.ends[2*place-1]
	}
	return Value{v.text[start:v.ends[2*place]], v.text[v.ends[2*place]:v.ends[2*place+1]]}
}

// Sets returns the number of distinct sets.
func (v *Values) Sets() int { return len(v.setEnds) }

// Set returns the indices of the values of the i-th set.
func (v *Values) Set(i int) []uint16 {
	start := uint32(0)
	if i > 0 {
		start = v.setEnds[i-1]
	}
	return v.places[start:v.setEnds[i]]
}

// Bytes returns the approximate size in memory, including both sorted orders.
func (v *Values) Bytes() int {
	return len(v.text) + 4*len(v.ends) + 2*len(v.places) + (4+2*len(v.sorted))*len(v.setEnds) + len(v.of)
}

// Value is the key by which a value compares, and its spelling.
type Value struct{ Key, Spelling string }

const (
	// MaxValues bounds the distinct values of a field in a block. For a field with more, the order is kept instead: nearly every document has a distinct
	// value.
	MaxValues = 16384
	// maxBlockText bounds the size of the distinct values in bytes.
	maxBlockText = 512 << 10
)

// Builder collects the values of one field in one block.
type Builder struct {
	places map[Value]uint32
	list   []Value
	bytes  int
	setsBy map[string]uint16
	sets   [][]uint32
	of     []uint16
	span   int  // number of offsets covered by of
	Added  int  // number of values in all documents, repetitions included
	most   int  // maximum number of distinct values
	Full   bool // there are too many values to keep, or a key does not represent its value completely
	one    []uint32
	key    []byte
}

// NewBuilder returns a builder for a block of the given size, with up to most distinct values.
func NewBuilder(blockSize, most int) *Builder {
	b := &Builder{places: map[Value]uint32{}, setsBy: map[string]uint16{}, of: make([]uint16, blockSize), most: most}
	b.setsBy[""], b.sets = 0, [][]uint32{nil} // a missing document has none
	return b
}

// Add adds a value to the current document.
func (b *Builder) Add(key, spelling []byte) {
	if b.Full {
		return
	}
	v := Value{string(key), string(spelling)}
	place, ok := b.places[v]
	if !ok {
		place = uint32(len(b.list))
		b.places[v] = place
		b.list = append(b.list, v)
		b.bytes += len(v.Key) + len(v.Spelling)
		b.Full = len(b.list) > b.most || b.bytes > maxBlockText
	}
	b.one = append(b.one, place)
	b.Added++
}

// Different returns the number of distinct values so far.
func (b *Builder) Different() int { return len(b.list) }

// End completes the current document.
func (b *Builder) End(offset int) {
	if b.Full {
		return
	}
	b.key = b.key[:0]
	for _, place := range b.one {
		b.key = binary.AppendUvarint(b.key, uint64(place))
	}
	set, ok := b.setsBy[string(b.key)]
	if !ok {
		if len(b.sets) > 1<<16-1 {
			b.Full = true
			return
		}
		set = uint16(len(b.sets))
		b.setsBy[string(b.key)] = set
		b.sets = append(b.sets, slices.Clone(b.one))
	}
	b.of[offset], b.span = set, offset+1
	b.one = b.one[:0]
}

// Encode returns the encoded values of the block, or nil if there are too many.
func (b *Builder) Encode() []byte {
	if b.Full {
		return nil
	}
	data := binary.AppendUvarint(nil, uint64(len(b.list)))
	for _, v := range b.list {
		data = binary.AppendUvarint(data, uint64(len(v.Key)))
		data = append(data, v.Key...)
		data = binary.AppendUvarint(data, uint64(len(v.Spelling)))
		data = append(data, v.Spelling...)
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

// ErrForm says that a row is damaged or was written by a build that stores something else.
var ErrForm = errors.New("blockvalues: values of a block in a form that is not known")

// Decode decodes the result of Encode.
func Decode(data []byte, blockSize int) (*Values, error) {
	d := valuesReader{data: data}
	n := d.number(MaxValues)
	v := &Values{ends: make([]uint32, 0, 2*n)}
	var text []byte
	for range 2 * n {
		text = append(text, d.text()...)
		v.ends = append(v.ends, uint32(len(text)))
	}
	v.text = string(text)
	v.setEnds = make([]uint32, d.number(1<<16))
	for i := range v.setEnds {
		for range d.number(MaxValues) {
			place := d.number(MaxValues)
			if place >= n {
				return nil, ErrForm
			}
			v.places = append(v.places, uint16(place))
		}
		v.setEnds[i] = uint32(len(v.places))
	}
	v.places = slices.Clip(v.places)
	of, width := d.data[min(d.at, len(d.data)):], 2
	if v.Sets() <= 256 {
		width = 1
	}
	if d.bad || len(of)%width != 0 || len(of) > width*blockSize {
		return nil, ErrForm
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

// SetsOf yields the offset and the set of each document in among, in order.
func (v *Values) SetsOf(among posting.Bitmap) iter.Seq2[int, int] {
	narrow := v.Sets() <= 256
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

// SetOf returns the set of a document.
func (v *Values) SetOf(offset int) int {
	if v.Sets() <= 256 {
		return int(v.of[offset])
	}
	return int(binary.LittleEndian.Uint16(v.of[2*offset:]))
}

// Choose returns the documents in among that have a value for which test returns true. It tests each set of values only once.
func (v *Values) Choose(among posting.Bitmap, test func(v Value) bool) posting.Bitmap {
	const passes, fails = 1, 2
	tested := make([]byte, v.Sets())
	chosen := posting.NewBitmap(64 * len(among))
	for offset, set := range v.SetsOf(among) {
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

// some reports whether a value of a set passes a test.
func (v *Values) some(set int, test func(v Value) bool) bool {
	return slices.ContainsFunc(v.Set(set), func(place uint16) bool { return test(v.value(int(place))) })
}

// Within returns the documents in among that have a value in a range.
func (v *Values) Within(among posting.Bitmap, r KeyRange) posting.Bitmap {
	// The smallest value of these sets is in the range; sets before them may have another value in it if they have several.
	sets := v.sortedSets(false)
	from := sort.Search(len(sets), func(i int) bool { k := v.SortKey(int(sets[i]), false); return k.Null || !r.below(k.Key) })
	to := sort.Search(len(sets), func(i int) bool { k := v.SortKey(int(sets[i]), false); return k.Null || r.above(k.Key) })
	chosen := posting.NewBitmap(64 * len(among))
	several := len(v.places) >= v.Sets() // one set is empty
	if from >= to && !several {
		return chosen
	}
	passes := make([]bool, v.Sets())
	for _, set := range sets[min(from, to):to] {
		passes[set] = true
	}
	if several {
		for _, set := range sets[:min(from, to)] {
			passes[set] = len(v.Set(int(set))) > 1 && v.some(int(set), func(v Value) bool { return r.Has(v.Key) })
		}
	}
	for offset, set := range v.SetsOf(among) {
		if passes[set] {
			chosen.Set(offset)
		}
	}
	return chosen
}

// tally counts the documents of each set, in memory that the next tally reuses. It does not call a function for each document, which would take three
// times as long.
func (v *Values) tally(among posting.Bitmap, space *Space) []int32 {
	counts := space.counts(countsOfSets, v.Sets())
	narrow := v.Sets() <= 256
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
