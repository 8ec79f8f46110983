// Package spelling determines which words may be misspellings of which, and the keys by which a vocabulary finds them.
package spelling

import (
	"hash/crc32"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
)

// Words that are close to each other share what is left of them when letters are deleted (the deletion neighbourhood of SymSpell, W. Garbe 2012,
// after Bocek, Hunt and Stiller 2007): two words at distance d have a common rest after at most d deletions from each. For each word, a vocabulary
// keeps the hashes of these rests of its first letters in an array with a GIN index; the words that it finds are then compared letter by letter. A
// change of the hashes requires raising wordsForm and describing them in keysComment (store/table/words.go).
const (
	// typoMin is the minimum length in letters of a word of a query that may be mistyped, meantMin and typoMax are the minimum and maximum of words that
	// may be meant.
	typoMin, meantMin, typoMax = 4, 3, 24
	// typoLong is the minimum length of a word of a query that may have a distance of two.
	typoLong = 8
	// typoPrefix is the number of a word's first letters from which the rests are made. A smaller number makes fewer hashes and more words to compare:
	// in a vocabulary of 200,000 words, 6 gives 13 hashes per word and some 80 comparisons, 7 gives 16 and 30. With 6 the index is half as large and
	// words are stored in three quarters of the time; a lookup takes 0.10 instead of 0.06 ms.
	typoPrefix = 6
)

// lettersOnly reports whether a word consists of letters (and marks) only.
func lettersOnly(word string) bool {
	for i := 0; i < len(word); {
		if c := word[i]; c < utf8.RuneSelf {
			if c|0x20 < 'a' || c|0x20 > 'z' {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(word[i:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
		i += size
	}
	return word != ""
}

// Limit returns the greatest distance of words to search for; 0 if only the word itself is.
func Limit(word string) int {
	n := utf8.RuneCountInString(word)
	switch {
	case n < typoMin || n > typoMax+2 || !lettersOnly(word):
		return 0
	case n < typoLong:
		return 1
	default:
		return 2
	}
}

// MayBeMeant reports whether a word with the given number of letters may be what a misspelling stands for.
func MayBeMeant(word string, letters int) bool {
	return letters >= meantMin && letters <= typoMax && lettersOnly(word)
}

// IndexKeys returns the hashes by which a word of the vocabulary is found, sorted; none for a word that is never meant by a misspelling, or so short
// that it is looked up directly. A pair of letters of a script without spaces has the EndKey of its last letter.
func IndexKeys(word string) []int32 {
	if pair := analysis.Letters(word); len(pair) == 2 {
		return []int32{EndKey(pair[1])}
	}
	letters := []rune(word)
	if len(letters) < typoMin || !MayBeMeant(word, len(letters)) {
		return nil
	}
	// A query word of eight letters reaches down to six.
	depth := 2
	if len(letters) < typoLong-2 {
		depth = 1
	}
	keys := restHashes(letters, depth)
	if len(letters) >= typoLong {
		keys = append(keys, tailHash(letters[1:]))
	}
	if analysis.IsHangul(word) {
		for i := 2; i < len(letters); i++ {
			keys = append(keys, withinHash(letters[i-1:i+1]))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// QueryKeys returns the hashes by which the words within limit of a word are found; others are words to look up directly, of which a wrong first
// letter, or a superfluous letter in a short word, may have made the word.
func QueryKeys(word string, limit int) (keys []int32, others []string) {
	letters := []rune(word)
	keys = restHashes(letters, limit)
	if limit == 1 && len(letters) == typoMin {
		for i := 1; i < len(letters); i++ {
			others = append(others, string(slices.Delete(slices.Clone(letters), i, i+1)))
		}
	}
	if limit == 2 {
		// The first letter is never deleted. An error in it counts as two, so the other letters must be right.
		keys = append(keys, tailHash(letters[1:]), tailHash(letters))
		swapped := slices.Clone(letters)
		swapped[0], swapped[1] = swapped[1], swapped[0]
		others = []string{string(letters[1:]), string(swapped)}
	}
	slices.Sort(keys)
	return slices.Compact(keys), others
}

// restHashes hashes what is left of the first letters of a word after up to depth deletions, none of them of the first letter.
func restHashes(letters []rune, depth int) []int32 {
	if len(letters) > typoPrefix {
		letters = letters[:typoPrefix]
	}
	var keys []int32
	var buf [typoPrefix * utf8.UTFMax]byte
	hash := func(skip1, skip2 int) {
		b := buf[:0]
		for i, r := range letters {
			if i != skip1 && i != skip2 {
				b = utf8.AppendRune(b, r)
			}
		}
		keys = append(keys, keyOf(b))
	}
	hash(-1, -1)
	for i := 1; i < len(letters); i++ {
		hash(i, -1)
		for j := i + 1; depth == 2 && j < len(letters); j++ {
			hash(i, j)
		}
	}
	return keys
}

// tailHash hashes a word without its first letter. The asterisk distinguishes it from the hashes of rests.
func tailHash(tail []rune) int32 {
	return keyOf([]byte("*" + string(tail)))
}

// withinHash hashes two adjacent syllables of a Korean word other than the first two. The bar distinguishes it from the hashes of rests.
func withinHash(pair []rune) int32 { return keyOf([]byte("|" + string(pair))) }

// WithinKey returns a hash that all Korean words have with a noun of two or more syllables within them (analysis.Within), and others may have.
func WithinKey(noun string) int32 { return withinHash([]rune(noun)[:2]) }

// EndKey returns the hash of the pairs that end in a letter. The bar distinguishes it from the hashes of rests.
func EndKey(letter string) int32 { return keyOf([]byte("|" + letter)) }

// keyOf hashes a rest: five bits each of its first two letters, then 22 bits of its CRC-32. New words arrive in alphabetical order, so their keys are
// close to each other in the index. If they were spread over it, storing them would take twice as long, and a concurrent load would lose a fifth of
// its speed because the caches are evicted.
func keyOf(rest []byte) int32 {
	first, size := utf8.DecodeRune(rest)
	second, _ := utf8.DecodeRune(rest[size:])
	return int32(uint32(first&31)<<27 | uint32(second&31)<<22 | crc32.ChecksumIEEE(rest)&(1<<22-1))
}

// begunMin is the minimum length in letters of a prefix that may have an error. The rests of fewer letters are not among the hashes of all words with
// that prefix.
const begunMin = typoPrefix - 1

// MayBeBegunWrong reports whether a query's last word may be a prefix of other words with an error.
func MayBeBegunWrong(word string) bool {
	return utf8.RuneCountInString(word) >= begunMin && Limit(word) > 0
}

// BeginsNear reports whether begun is within one typing error of a prefix of a longer word.
func BeginsNear(begun, word string) bool {
	letters, n := []rune(word), utf8.RuneCountInString(begun)
	if !MayBeMeant(word, len(letters)) {
		return false
	}
	last := min(n+1, len(letters))
	if len(letters) <= n {
		last = len(letters) - 1 // with a superfluous letter, as in proemiu, a prefix may be as long as the word
	}
	return beginningWithin([]rune(begun), letters[:max(last, 0)], 1)
}

// BeginsWithin reports whether stem is within limit typing errors of a word or of a prefix of it.
func BeginsWithin(stem, word string, limit int) bool {
	letters, n := []rune(word), utf8.RuneCountInString(stem)
	return MayBeMeant(word, len(letters)) && beginningWithin([]rune(stem), letters[:min(n+limit, len(letters))], limit)
}

func beginningWithin(begun, letters []rune, limit int) bool {
	for _, d := range distances(begun, letters, limit) {
		if d <= limit {
			return true
		}
	}
	return false
}

// Distance returns the number of typing errors between a and b: a superfluous letter, a missing one, a wrong one, or two adjacent letters exchanged
// (optimal string alignment; no letter is changed twice). An error in the first letter counts as two. Beyond limit it returns limit+1.
func Distance(a, b string, limit int) int {
	if a == b {
		return 0
	}
	x, y := []rune(a), []rune(b)
	if max(len(x)-len(y), len(y)-len(x)) > limit {
		return limit + 1
	}
	row := distances(x, y, limit)
	if row == nil {
		return limit + 1
	}
	return min(row[len(y)], limit+1)
}

// distances returns the distances of x from y's prefixes of each length from 0 on, as Distance counts them; nil if all are beyond limit.
func distances(x, y []rune, limit int) []int {
	if len(x) == 0 || len(y) == 0 {
		return nil
	}
	extra := 0
	if x[0] != y[0] {
		extra = 1
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least+extra > limit+1 {
			return nil
		}
		before, last, row = last, row, before
	}
	for j := range last {
		last[j] += extra
	}
	return last
}
