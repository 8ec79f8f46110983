package highlight

import (
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
)

// slack is how many characters without a word may be added to a fragment to reach the end of a text.
const slack = 20

// fragments returns the best fragments of a long value, best first. There is at least one mark; marks are
// sorted and none contains another.
func (v value) fragments(marks []mark) []extent {
	at := runeOffsets(v.text, marks)
	var chosen []extent
	for len(chosen) < maxFragments {
		first, last, found := bestWindow(marks, at, chosen)
		if !found {
			break
		}
		chosen = append(chosen, v.widen(extent{marks[first].start, marks[last].end}, chosen))
	}
	return chosen
}

// runeOffsets converts the marks' bytes to characters from the beginning of the text.
func runeOffsets(text string, marks []mark) []extent {
	offsets := make([]extent, len(marks))
	var bytes, runes int
	for i, m := range marks {
		runes += utf8.RuneCountInString(text[bytes:m.start])
		bytes = m.start
		offsets[i] = extent{runes, runes + utf8.RuneCountInString(text[m.start:m.end])}
	}
	return offsets
}

// bestWindow returns the first and last of the marks that have the most distinct terms, then are the most, then
// stand first, among those that are close enough to each other for one fragment and outside the chosen ones.
func bestWindow(marks []mark, at, chosen []extent) (first, last int, found bool) {
	var (
		counts   [64]int
		distinct int
		best     [2]int
	)
	count := func(terms termSet, by int) {
		for rest := uint64(terms); rest != 0; rest &= rest - 1 {
			n := &counts[bits.TrailingZeros64(rest)]
			if *n == 0 || *n+by == 0 {
				distinct += by
			}
			*n += by
		}
	}
	free := func(i int) bool {
		return !slices.ContainsFunc(chosen, func(c extent) bool { return marks[i].start < c.end && c.start < marks[i].end })
	}
	next := 0 // marks[i:next] are in the window
	for i := range marks {
		if next == i && !free(i) {
			next++
			continue
		}
		for next < len(marks) && (next == i || at[next].end-at[i].start <= fragmentLength) && free(next) {
			count(marks[next].terms, 1)
			next++
		}
		if score := [2]int{distinct, next - i}; slices.Compare(score[:], best[:]) > 0 {
			first, last, found, best = i, next-1, true, score
		}
		count(marks[i].terms, -1)
	}
	return first, last, found
}

// widen returns a fragment around core, as far as there is room between the fragments chosen before. Both sides get
// equally much, unless the text ends on one of them. A mark that is too long is cut.
func (v value) widen(core extent, chosen []extent) extent {
	low, high := 0, len(v.text)
	for _, c := range chosen {
		if c.end <= core.start {
			low = max(low, c.end)
		} else {
			high = min(high, c.start)
		}
	}
	room := fragmentLength - utf8.RuneCountInString(v.text[core.start:core.end])
	if room < 0 {
		core.end = v.cutWord(core)
		return core
	}
	before := back(v.text, core.start, low, room)
	after := forth(v.text, core.end, high, room-min(before.runes, room/2))
	before = back(v.text, core.start, low, room-after.runes)
	return extent{v.startAt(before.byte, low, core.start), v.endAt(after.byte, high, core.end)}
}

// place is a byte offset in a text, with its distance in characters from another place.
type place struct{ byte, runes int }

// back goes back from a place by at most n characters, not beyond low.
func back(text string, from, low, n int) place {
	p := place{byte: from}
	for p.byte > low && p.runes < n {
		_, size := utf8.DecodeLastRuneInString(text[low:p.byte])
		p.byte -= size
		p.runes++
	}
	return p
}

// forth goes on from a place by at most n characters, not beyond high.
func forth(text string, from, high, n int) place {
	p := place{byte: from}
	for p.byte < high && p.runes < n {
		_, size := utf8.DecodeRuneInString(text[p.byte:high])
		p.byte += size
		p.runes++
	}
	return p
}

// startAt moves the start of a fragment to the start of a word, or of the text if no word comes before.
func (v value) startAt(at, low, core int) int {
	i := firstFrom(v.words, at)
	if low == 0 && i == 0 && back(v.text, at, 0, slack).byte == 0 {
		return 0
	}
	if i == len(v.words) {
		return min(at, core)
	}
	return min(v.words[i].Start, core)
}

// endAt moves the end of a fragment to the end of a word, or of the text if no word comes after.
func (v value) endAt(at, high, core int) int {
	i := firstEndingAfter(v.words, at)
	ends := high == len(v.text) && !v.cut
	if ends && i == len(v.words) && forth(v.text, at, high, slack).byte == high {
		return high
	}
	if i == 0 {
		return max(at, core)
	}
	return max(v.words[i-1].End, core)
}

// cutWord returns where to end a stretch that is longer than a fragment: after a word in it, or otherwise between characters.
func (v value) cutWord(e extent) int {
	at := forth(v.text, e.start, e.end, fragmentLength).byte
	if i := firstEndingAfter(v.words, at); i > 0 && v.words[i-1].End > e.start {
		return v.words[i-1].End
	}
	for end := at; end > e.start; {
		// A mark, joiner or selector belongs to the character before it.
		r, _ := utf8.DecodeRuneInString(v.text[end:])
		if !unicode.In(r, unicode.M, unicode.Cf) {
			return end
		}
		_, size := utf8.DecodeLastRuneInString(v.text[:end])
		end -= size
	}
	return at
}

// firstFrom returns the index of the first word that starts at a place or later.
func firstFrom(words []analysis.Token, at int) int {
	i, _ := slices.BinarySearchFunc(words, at, func(w analysis.Token, at int) int { return w.Start - at })
	return i
}

// firstEndingAfter returns the index of the first word that ends after a place.
func firstEndingAfter(words []analysis.Token, at int) int {
	i, _ := slices.BinarySearchFunc(words, at+1, func(w analysis.Token, at int) int { return w.End - at })
	return i
}
