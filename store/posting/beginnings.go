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

// A prefix stands for all lexemes that begin with it. Most of these are in too few documents for postings of their own, but together they determine
// which documents have the prefix, and how often. So the occurrences of lexemes without postings are kept, too, in rows of each block by the first
// two letters of the lexemes. For each lexeme, in order, a row has its length, its bytes, the number of its occurrences, and for each of these the
// offset of the document and the field, in two bytes each, and the count in that field, in one byte.

const (
	// firstLetters and secondLetters are how many rows each of the two letters distinguishes.
	firstLetters, secondLetters = 64, 17
	// maxBeginning is how many bytes of a lexeme are kept.
	maxBeginning = 32
	// MaxOccurrences is how many occurrences a block keeps, about sixty for each document. While the block is built, each takes twelve bytes and those
	// of its lexeme.
	MaxOccurrences = 2 << 20
	// occurrenceSize is the size of an occurrence in bytes.
	occurrenceSize = 5
)

// beginningRow returns the row number of a lexeme, or of a prefix of two or more letters.
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

// beginningName returns the row's name in place of a lexeme.
func beginningName(row int) string { return BeginningsOf + strconv.Itoa(row) }

// AllBeginnings are the names of all rows that a block may have.
var AllBeginnings = func() []string {
	names := []string{BeginningsOf}
	for row := range firstLetters * secondLetters {
		names = append(names, beginningName(row))
	}
	return names
}()

// BeginningNames returns the rows that have the lexemes with a prefix; ok is false if rows do not cover these.
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

// keptByBeginning reports whether lexemes of this kind are kept: nobody searches for a prefix of a whole value.
func keptByBeginning[T string | []byte](lexeme T) bool {
	mark, _ := analysis.Marked(string(lexeme[:min(len(lexeme), utf8.UTFMax)]))
	return mark == "" || mark == analysis.PartMark || mark == analysis.StopMark
}

// BeginningsBuilder collects the occurrences of a block's lexemes without postings. It reuses its memory for the next block.
type BeginningsBuilder struct {
	texts []byte // of the lexemes, concatenated
	list  []occurrence
	row   []byte // the current row
	Most  int
	full  bool // there were more than Most
}

// occurrence is a lexeme in a field of a document, with the count there.
type occurrence struct {
	text          uint32 // where it begins in texts
	offset, field uint16
	row           uint16
	size, times   byte
}

// Reset empties the builder for the next block.
func (b *BeginningsBuilder) Reset() {
	b.texts, b.list, b.full = b.texts[:0], b.list[:0], false
}

// Add adds a lexeme that occurs the given number of times in a field of a document.
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

// sort sorts the occurrences into the order in which next encodes them.
func (b *BeginningsBuilder) sort() {
	slices.SortFunc(b.list, func(x, y occurrence) int {
		return cmp.Or(cmp.Compare(x.row, y.row), bytes.Compare(b.textOf(x), b.textOf(y)), cmp.Compare(x.offset, y.offset), cmp.Compare(x.field, y.field))
	})
}

// next returns the row that begins at an occurrence, and where the next row begins; data is valid until the next call.
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

// Rows calls f with each row, whose data is only valid until f returns.
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

// Beginnings is a row of beginnings as stored.
type Beginnings []byte

// next returns the first lexeme, its occurrences and what follows them; ok is false if the form is unknown.
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

// Fits reports whether the row is valid for a block of the given size with the given number of fields.
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

// Begun calls f with each occurrence of the row's lexemes that begin with prefix, in the order of the lexemes.
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
