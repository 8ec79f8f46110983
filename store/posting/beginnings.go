package posting

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
)

// The beginning of a word stands for all lexemes that begin so. Most of these are in too few documents for postings of their own,
// but all of them together tell which documents have the beginning, and how often: so the occurrences of the lexemes without
// postings are kept, too, in rows of each block by the first two letters of the lexemes. In a row are, for each lexeme in
// their order, its length, its bytes, how many occurrences there are, and of each the offset of the document, the field, of two
// bytes each, and how often it is there, in one.

const (
	// firstLetters and secondLetters are how many rows are told apart by each of the two letters.
	firstLetters, secondLetters = 64, 17
	// maxBeginning is how many bytes of a lexeme are kept.
	maxBeginning = 32
	// MaxOccurrences is how many of a block are kept, about sixty for each document. While it is built each takes twelve bytes and
	// those of its lexeme.
	MaxOccurrences = 2 << 20
	// occurrenceSize is how many bytes one takes.
	occurrenceSize = 5
)

// beginningRow is the number of the row of a lexeme or of a beginning of two letters or more.
func beginningRow[T string | []byte](text T) int {
	first, size := utf8.DecodeRuneInString(string(text[:min(len(text), utf8.UTFMax)]))
	rest := text[min(size, len(text)):]
	second, size := utf8.DecodeRuneInString(string(rest[:min(len(rest), utf8.UTFMax)]))
	row := int(first%firstLetters) * secondLetters
	if size > 0 {
		row += 1 + int(second%(secondLetters-1))
	}
	return row
}

// beginningName is what stands for a lexeme in a row.
func beginningName(row int) string { return BeginningsOf + strconv.Itoa(row) }

// AllBeginnings are the names of all rows that a block may have.
var AllBeginnings = func() []string {
	names := []string{BeginningsOf}
	for row := range firstLetters * secondLetters {
		names = append(names, beginningName(row))
	}
	return names
}()

// BeginningNames are the rows that have the lexemes which begin with a prefix; ok is false where rows do not tell these.
func BeginningNames(prefix string) (names []string, ok bool) {
	if prefix == "" || len(prefix) > maxBeginning || !keptByBeginning(prefix) {
		return nil, false
	}
	row, rows := beginningRow(prefix), 1
	if utf8.RuneCountInString(prefix) == 1 {
		rows = secondLetters
	}
	for i := range rows {
		names = append(names, beginningName(row+i))
	}
	return names, true
}

// keptByBeginning tells whether lexemes of a kind are: nobody looks for the beginning of a whole value.
func keptByBeginning[T string | []byte](lexeme T) bool {
	mark, _ := analysis.Marked(string(lexeme[:min(len(lexeme), utf8.UTFMax)]))
	return mark == "" || mark == analysis.PartMark
}

// BeginningsBuilder collects the occurrences of the lexemes of a block without postings. It keeps its room for the next block.
type BeginningsBuilder struct {
	texts []byte // of the lexemes, one after the other
	list  []occurrence
	row   []byte // the one at hand
	Most  int
	full  bool // there were more
}

// occurrence is how often a lexeme is in a field of a document.
type occurrence struct {
	text          uint32 // where it begins
	offset, field uint16
	row           uint16
	size, times   byte
}

// Reset forgets the block before.
func (b *BeginningsBuilder) Reset() {
	b.texts, b.list, b.full = b.texts[:0], b.list[:0], false
}

// Add adds a lexeme that is so many times in a field of a document.
func (b *BeginningsBuilder) Add(lexeme []byte, offset, field, times int) {
	if b.full || !keptByBeginning(lexeme) {
		return
	}
	if len(b.list) == b.Most {
		b.Reset()
		b.full = true
		return
	}
	lexeme = lexeme[:min(len(lexeme), maxBeginning)]
	o := occurrence{uint32(len(b.texts)), uint16(offset), uint16(field), uint16(beginningRow(lexeme)), byte(len(lexeme)), ManyTimes}
	if times < AboutTimes {
		o.times = byte(times)
	}
	b.texts, b.list = append(b.texts, lexeme...), append(b.list, o)
}

func (b *BeginningsBuilder) textOf(o occurrence) []byte {
	return b.texts[o.text : o.text+uint32(o.size)]
}

// sort brings the occurrences into the order in which next writes them.
func (b *BeginningsBuilder) sort() {
	slices.SortFunc(b.list, func(x, y occurrence) int {
		return cmp.Or(cmp.Compare(x.row, y.row), bytes.Compare(b.textOf(x), b.textOf(y)), cmp.Compare(x.offset, y.offset), cmp.Compare(x.field, y.field))
	})
}

// next returns a row that begins at an occurrence, and where the next one does; data is good until then.
func (b *BeginningsBuilder) next(from int) (name string, data []byte, after int) {
	first := b.list[from]
	b.row = b.row[:0]
	for after = from; after < len(b.list) && b.list[after].row == first.row; {
		text, same := b.textOf(b.list[after]), after
		for same < len(b.list) && bytes.Equal(b.textOf(b.list[same]), text) {
			same++
		}
		b.row = append(append(b.row, byte(len(text))), text...)
		b.row = binary.AppendUvarint(b.row, uint64(same-after))
		for _, o := range b.list[after:same] {
			b.row = binary.LittleEndian.AppendUint16(b.row, o.offset)
			b.row = binary.LittleEndian.AppendUint16(b.row, o.field)
			b.row = append(b.row, o.times)
		}
		after = same
	}
	return beginningName(int(first.row)), b.row, after
}

// Rows calls f with each row, whose data is good until it returns.
func (b *BeginningsBuilder) Rows(f func(name string, data []byte) bool) {
	if b.full {
		f(BeginningsOf, []byte{})
		return
	}
	b.sort()
	for from := 0; from < len(b.list); {
		name, data, after := b.next(from)
		if !f(name, data) {
			return
		}
		from = after
	}
}

// Beginnings is such a row as it is read.
type Beginnings []byte

// next returns the first lexeme with its occurrences, and what is behind it; ok is false where it is in a form that is not known.
func (b Beginnings) next() (text, occurrences []byte, rest Beginnings, ok bool) {
	size := 1 + int(b[0])
	if len(b) < size {
		return nil, nil, nil, false
	}
	text, rest = b[1:size], b[size:]
	n, read := binary.Uvarint(rest)
	if read <= 0 || n > uint64(len(rest)) || len(rest) < read+int(n)*occurrenceSize {
		return nil, nil, nil, false
	}
	end := read + int(n)*occurrenceSize
	return text, rest[read:end], rest[end:], true
}

// Fits tells whether it is of a block of so many documents with so many fields.
func (b Beginnings) Fits(blockSize, fields int) bool {
	for len(b) > 0 {
		_, list, rest, ok := b.next()
		if !ok {
			return false
		}
		for ; len(list) > 0; list = list[occurrenceSize:] {
			if int(binary.LittleEndian.Uint16(list)) >= blockSize || int(binary.LittleEndian.Uint16(list[2:])) >= fields {
				return false
			}
		}
		b = rest
	}
	return true
}

// Begun calls f with each occurrence of the row's lexemes that begin with a prefix, the lexemes in their order.
func (b Beginnings) Begun(prefix string, f func(lexeme []byte, offset, field int, times byte)) {
	for row := b; len(row) > 0; {
		text, list, rest, _ := row.next()
		switch {
		case bytes.HasPrefix(text, []byte(prefix)):
			for ; len(list) > 0; list = list[occurrenceSize:] {
				f(text, int(binary.LittleEndian.Uint16(list)), int(binary.LittleEndian.Uint16(list[2:])), list[4])
			}
		case string(text) > prefix:
			return
		}
		row = rest
	}
}
