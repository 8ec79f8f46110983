package analysis

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxLexeme is the maximum length of a lexeme in bytes. PostgreSQL omits longer ones.
const MaxLexeme = 2046

// Token is a word of a text, or a pair of adjacent letters of a script that is written without spaces.
type Token struct {
	// Text is the word, folded.
	Text string
	// Start and End are its position in the original text, in bytes.
	Start, End int
}

// Words returns the words of a text in order, as the database has them before stemming. A word is a maximal run of letters, digits and marks,
// folded. Korean and other scripts never share a word (LG전자 is two). A single letter followed by ++ or # has a name (cplusplus). Runs of Han,
// kana, Thai, Lao, Khmer and Myanmar become overlapping pairs of letters.
func Words(text string) []Token {
	if len(text) <= longText {
		return AppendWords(nil, text)
	}
	return AppendWords(make([]Token, 0, MostWords(text)), text)
}

// MostWords returns an upper bound of the number of words that holds for most texts of the same length.
func MostWords(text string) int { return len(text) / bytesOfWord }

// AppendWords appends the words of a text to tokens.
func AppendWords(tokens []Token, text string) []Token {
	s := splitter{source: text, tokens: tokens}
	for i := 0; i < len(text); {
		if text[i] >= utf8.RuneSelf {
			i = s.beyond(i)
			continue
		}
		if end := s.plain(i); end > i {
			i = end
			continue
		}
		if joined(text[i+1:]) { // a mark may change the letter
			i = s.withMarks(i)
			continue
		}
		s.ascii(text[i], i)
		i++
	}
	s.flush()
	return s.tokens
}

// beyond takes the non-ASCII characters from i on, up to and including the first one with marks, and returns where they end.
func (s *splitter) beyond(i int) (end int) {
	c, size := clusterAt(s.source[i:])
	for {
		end = i + size
		if end == len(s.source) || s.source[end] < utf8.RuneSelf {
			s.take(c, i, end)
			return end
		}
		next, nextSize := clusterAt(s.source[end:])
		if next.joins {
			return s.withMarks(i)
		}
		s.take(c, i, end)
		i, c, size = end, next, nextSize
	}
}

// withMarks takes the character at i with its marks, and returns where it ends.
func (s *splitter) withMarks(i int) (end int) {
	end = segment(s.source, i)
	c := markedCluster(s.source[i:end])
	s.take(&c, i, end)
	return end
}

// joined reports whether the first character of a text belongs to the one before it.
func joined(text string) bool {
	if text == "" || text[0] < utf8.RuneSelf {
		return false
	}
	c, _ := clusterAt(text)
	return c.joins
}

// Texts returns the words of a text without their positions.
func Texts(text string) []string {
	tokens := Words(text)
	texts := make([]string, len(tokens))
	for i, token := range tokens {
		texts[i] = token.Text
	}
	return texts
}

// segment returns where the character at i ends, including whatever folds together with it:
//   - marks;
//   - invisible characters that vanish inside words: marks are ordered across them, and in Malayalam a joiner shapes a word's last letter;
//   - characters that compose with it: the jamo of a syllable in NFD, and ﾞ and ﾟ after half-width katakana;
//   - the stop after a Devanagari nasal that folds to anusvara.
func segment(text string, i int) int {
	start := i
	_, size := utf8.DecodeRuneInString(text[i:])
	end := i + size
	for end < len(text) && text[end] >= utf8.RuneSelf {
		c, size := clusterAt(text[end:])
		if !c.joins {
			if r, _ := utf8.DecodeRuneInString(text[end:]); !foldsNasal(text[start:end], r) {
				break
			}
		}
		end += size
	}
	return end
}

// composes reports whether folding may combine r with the letter before it.
func composes(r rune) bool {
	letter := norm.NFKC.PropertiesString(string(r))
	if parts := letter.Decomposition(); parts != nil {
		letter = norm.NFKC.Properties(parts)
	}
	return !letter.BoundaryBefore()
}

// Invisible characters.
const softHyphen, zeroWidthSpace, zeroWidthNonJoiner = '\u00ad', '\u200b', '\u200c'

// parts reports whether an invisible character separates words. The others occur inside words.
func parts(r rune) bool { return r == zeroWidthSpace || r == zeroWidthNonJoiner }

// splitter collects the characters of the current word.
type splitter struct {
	source string
	tokens []Token
	word   []byte
	start  int
	end    int
	// pending is the last letter of a run without spaces, with its position; paired reports whether it is already in a token.
	pending      string
	pendingStart int
	pendingEnd   int
	paired       bool
}

// longText is the length in bytes above which room for all words is allocated at once; bytesOfWord is what most words take at least, with the
// separator.
const longText, bytesOfWord = 64, 6

// plain is a fast path for most words of most texts: if the word at i begins with an ASCII letter and consists of ASCII letters and digits, plain
// adds it and returns where it ends. Otherwise it returns i.
func (s *splitter) plain(i int) (end int) {
	if c := s.source[i] | 0x20; c < 'a' || c > 'z' || len(s.word) > 0 || s.pending != "" {
		return i
	}
	var seen byte
	for end = i; end < len(s.source); end++ {
		class := asciiClasses[s.source[end]]
		if class == outside {
			break
		}
		if class == beyond {
			return i // a mark may follow, or another letter
		}
		seen |= class
	}
	word := s.source[i:end]
	if seen&upper != 0 {
		word = strings.ToLower(word)
	}
	if end == i+1 {
		name, size := Sign(s.source[end:])
		word, end = word+name, end+size
	}
	s.add(word, i, end)
	return end
}

// Classes of bytes.
const (
	outside byte = 0 // words
	inside  byte = 1 << iota
	upper
	beyond // ASCII
)

var asciiClasses = func() (classes [256]byte) {
	for c := range classes {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			classes[c] = inside
		case c >= 'A' && c <= 'Z':
			classes[c] = upper
		case c >= utf8.RuneSelf:
			classes[c] = beyond
		}
	}
	return classes
}()

func (s *splitter) ascii(c byte, i int) {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
	case c >= 'A' && c <= 'Z':
		c += 'a' - 'A'
	default:
		s.sign(i)
		s.flush()
		return
	}
	s.endPairs()
	s.endScript(rune(c))
	if len(s.word) == 0 {
		s.start = i
	}
	s.word = append(s.word, c)
	s.end = i + 1
}

// endScript ends the current word if it is Korean and next is not, or the reverse.
func (s *splitter) endScript(next rune) {
	if len(s.word) == 0 {
		return
	}
	last := rune(s.word[len(s.word)-1])
	if last >= utf8.RuneSelf {
		last, _ = utf8.DecodeLastRune(s.word)
	}
	if isHangul(last) != isHangul(next) {
		s.endWord()
	}
}

// asParted prepares a text for folding as rowan.words does: it removes invisible characters inside words, so that marks are ordered across them,
// and replaces separators by spaces, that is, signs that would fold to letters (™ to tm) and invisible spaces.
var asParted = strings.NewReplacer("\u00ad", "", "\u200d", "", "™", " ", "℠", " ", "\u200b", " ", "\u200c", " ")

// sign adds the sign at i, if there is one, to the single letter before it.
func (s *splitter) sign(i int) {
	if single(s.word) {
		if name, size := Sign(s.source[i:]); size > 0 {
			s.word, s.end = append(s.word, name...), i+size
		}
	}
}

// take takes a character that is not plain ASCII, with its position.
func (s *splitter) take(c *cluster, start, end int) {
	switch c.kind {
	case nothing:
	case inWord:
		s.endPairs()
		first, _ := utf8.DecodeRuneInString(c.folded)
		s.endScript(first)
		if len(s.word) == 0 {
			s.start = start
		}
		s.word = append(s.word, c.folded...)
		s.end = end
	case apart:
		s.sign(start)
		s.flush()
	case unit:
		s.letter(c.folded, start, end)
	default:
		s.takeEach(c.folded, start, end)
	}
}

// takeEach takes the characters that a character folds to, one by one.
func (s *splitter) takeEach(folded string, start, end int) {
	var unit []rune
	for _, r := range folded {
		switch {
		case isBigramMark(r) && len(unit) > 0:
			unit = append(unit, r)
			continue
		case len(unit) > 0:
			s.letter(string(unit), start, end)
			unit = unit[:0]
		}
		switch {
		case isBigramBase(r):
			unit = append(unit, r)
		case !isWord(r):
			s.sign(start)
			s.flush()
		default:
			if s.pending != "" && isBigramMark(r) {
				s.mark(r, end)
				continue
			}
			s.endPairs()
			s.endScript(r)
			if len(s.word) == 0 {
				if !begins(r) {
					continue
				}
				s.start = start
			}
			s.word = utf8.AppendRune(s.word, r)
			s.end = end
		}
	}
	if len(unit) > 0 {
		s.letter(string(unit), start, end)
	}
}

// begins reports whether PostgreSQL's parser begins a word with r, a word character: it does not with a mark, unless the mark is alphabetic. The
// C library does not know this of five such marks.
func begins(r rune) bool {
	if !unicode.Is(unicode.M, r) {
		return true
	}
	switch r {
	case 0xc04, 0xf82, 0xf83, 0x11080, 0x11081:
		return false
	}
	return unicode.Is(unicode.Other_Alphabetic, r)
}

// letter takes a letter of a script without spaces, and adds the pair of it and the letter before it.
func (s *splitter) letter(unit string, start, end int) {
	s.endWord()
	if s.pending != "" {
		s.tokens = append(s.tokens, Token{s.text(s.pending, unit, s.pendingStart, end), s.pendingStart, end})
		s.paired = true
	}
	s.pending, s.pendingStart, s.pendingEnd = unit, start, end
}

// text joins two letters, without copying if the source has them in this form.
func (s *splitter) text(first, second string, start, end int) string {
	if source := s.source[start:end]; len(source) == len(first)+len(second) && source[:len(first)] == first && source[len(first):] == second {
		return source
	}
	return first + second
}

// mark adds to the last letter a mark that decomposition has separated from it (ำ becomes a mark and a letter).
func (s *splitter) mark(r rune, end int) {
	s.pending += string(r)
	s.pendingEnd = end
	if s.paired {
		last := &s.tokens[len(s.tokens)-1]
		last.Text += string(r)
		last.End = end
	}
}

func (s *splitter) flush() {
	s.endWord()
	s.endPairs()
}

func (s *splitter) endPairs() {
	if s.pending != "" && !s.paired {
		s.tokens = append(s.tokens, Token{s.pending, s.pendingStart, s.pendingEnd})
	}
	s.pending, s.paired = "", false
}

// exponent matches a number with an exponent, which PostgreSQL's parser takes for a word of its own even if letters follow.
var exponent = regexp.MustCompile(`^[0-9]+e[0-9]+`)

func (s *splitter) endWord() {
	if len(s.word) == 0 {
		return
	}
	word := s.source[s.start:s.end]
	if word != string(s.word) { // it is folded, then
		word = string(s.word)
	}
	s.word = s.word[:0]
	if word[0] <= '9' {
		if n := len(exponent.FindString(word)); n > 0 && n < len(word) {
			// If folding has changed the length, neither part has a position of its own.
			first, second := s.end, s.start
			if s.start+n < s.end && Fold(s.source[s.start:s.start+n]) == word[:n] {
				first, second = s.start+n, s.start+n
			}
			s.add(word[:n], s.start, first)
			// Characters that cannot begin a word are dropped here, too.
			if word = strings.TrimLeftFunc(word[n:], func(r rune) bool { return !begins(r) }); word != "" {
				s.add(word, second, s.end)
			}
			return
		}
	}
	s.add(word, s.start, s.end)
}

func (s *splitter) add(word string, start, end int) {
	if len(word) <= MaxLexeme {
		s.tokens = append(s.tokens, Token{word, start, end})
	}
}

// The classes as range tables.
var (
	wordTable = table(wordClass)
	baseTable = table(bigramBase)
	markTable = table(bigramMark)

	hangulTable = table(hangul)
)

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z'
	}
	return unicode.Is(wordTable, r)
}

func isBigramBase(r rune) bool { return r >= 0xe01 && unicode.Is(baseTable, r) }
func isBigramMark(r rune) bool { return r >= 0xe31 && unicode.Is(markTable, r) }
func isHangul(r rune) bool     { return r >= 0x1100 && unicode.Is(hangulTable, r) }

var classItem = regexp.MustCompile(`\\(?:u([0-9a-f]{4})|U([0-9a-f]{8}))(?:-\\(?:u([0-9a-f]{4})|U([0-9a-f]{8})))?`)

// table makes a range table of a character class.
func table(class string) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	code := func(short, long string) uint32 {
		n, err := strconv.ParseUint(short+long, 16, 32)
		if err != nil {
			panic("analysis: a character class cannot be read: " + err.Error())
		}
		return uint32(n)
	}
	for _, m := range classItem.FindAllStringSubmatch(class, -1) {
		low := code(m[1], m[2])
		high := low
		if m[3]+m[4] != "" {
			high = code(m[3], m[4])
		}
		t.R32 = append(t.R32, unicode.Range32{Lo: low, Hi: high, Stride: 1})
	}
	slices.SortFunc(t.R32, func(a, b unicode.Range32) int { return cmp.Compare(a.Lo, b.Lo) })
	return t
}
