package highlight

import (
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
)

// Lexeme is a lexeme that a query looks for.
type Lexeme struct {
	// Text is the lexeme. Within a Sequence, an empty Text stands for any one word, whether or not the index has a
	// lexeme of it: the place of a stop word in a phrase.
	Text string
	// Prefix asks for every lexeme that begins with Text. The whole word is marked then.
	Prefix bool
}

// Sequence is one way to find a term: lexemes of words that follow each other.
type Sequence []Lexeme

// Term is a word or phrase of a query with all ways to find it: as it was written, its synonyms, and words that it may be a
// misspelling of. However it is found, it counts as one term when fragments are compared. The first way is the term as it was written.
type Term []Sequence

// letter returns the text of a term that is one letter of a script without spaces; "" for any other term.
func (t Term) letter() string {
	if len(t) == 0 || len(t[0]) != 1 || len(analysis.Letters(t[0][0].Text)) != 1 {
		return ""
	}
	return t[0][0].Text
}

// Matcher knows what a query looks for in the fields of one analysis. It is safe for concurrent use.
type Matcher struct {
	words    map[string]termSet // sequences of one lexeme
	prefixes []prefix           // sequences of one lexeme that is a prefix
	phrases  map[string][]*phrase
	// open are the phrases that begin with a prefix, which cannot be looked up in a map.
	open []*phrase
	// letters are the letters of scripts without spaces that are looked for alone. They are found in pairs of letters, in which only they are marked.
	letters map[string]termSet
}

// termSet has a bit for each of the first 64 terms, which are all that count in a query; further terms share their bits.
type termSet uint64

func bit(term int) termSet { return 1 << (term % 64) }

type prefix struct {
	text  string
	terms termSet
}

type phrase struct {
	lexemes Sequence
	terms   termSet
}

// NewMatcher returns a matcher for terms. It leaves out sequences without any lexeme: they match nothing.
func NewMatcher(terms []Term) *Matcher {
	m := &Matcher{words: map[string]termSet{}, phrases: map[string][]*phrase{}, letters: map[string]termSet{}}
	for i, term := range terms {
		if letter := term.letter(); letter != "" {
			m.letters[letter] |= bit(i)
		}
		for _, s := range term {
			m.add(trim(s), bit(i))
		}
	}
	return m
}

// trim removes stop words at the ends: any word, or none, may stand there.
func trim(s Sequence) Sequence {
	for len(s) > 0 && s[0].Text == "" {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1].Text == "" {
		s = s[:len(s)-1]
	}
	return s
}

func (m *Matcher) add(s Sequence, terms termSet) {
	switch {
	case len(s) == 0:
	case len(s) == 1 && s[0].Prefix:
		m.prefixes = append(m.prefixes, prefix{s[0].Text, terms})
	case len(s) == 1:
		m.words[s[0].Text] |= terms
	case s[0].Prefix:
		m.open = append(m.open, &phrase{s, terms})
	default:
		m.phrases[s[0].Text] = append(m.phrases[s[0].Text], &phrase{s, terms})
	}
}

func (m *Matcher) empty() bool {
	return len(m.words) == 0 && len(m.prefixes) == 0 && len(m.phrases) == 0 && len(m.open) == 0
}

// exact returns the terms that look for a lexeme as it is.
func (m *Matcher) exact(lexeme string) termSet { return m.words[lexeme] }

// begun returns the terms that look for the beginning of a lexeme.
func (m *Matcher) begun(lexeme string) termSet {
	var terms termSet
	for _, p := range m.prefixes {
		if strings.HasPrefix(lexeme, p.text) {
			terms |= p.terms
		}
	}
	return terms
}

// knownWords are the words of a text whose lexemes are known: their places among all n words, in order, and the lexemes of each.
type knownWords struct {
	at      []int
	lexemes [][]string
	n       int
}

// find returns, for each of the known words of a text, the terms that it is part of.
func (m *Matcher) find(known knownWords) []termSet {
	found := make([]termSet, len(known.at))
	for i, alternatives := range known.lexemes {
		for _, lexeme := range alternatives {
			found[i] |= m.exact(lexeme) | m.begun(lexeme)
			for _, p := range m.phrases[lexeme] {
				p.mark(known, i, found)
			}
		}
		for _, p := range m.open {
			if p.lexemes[0].among(alternatives) {
				p.mark(known, i, found)
			}
		}
	}
	return found
}

// mark marks the words from the i-th known one on if they are the phrase, whose first lexeme is known to be there.
func (p *phrase) mark(known knownWords, i int, found []termSet) {
	first := known.at[i]
	if first+len(p.lexemes) > known.n {
		return
	}
	next := i
	for j, l := range p.lexemes[1:] {
		if l.Text == "" {
			continue
		}
		var ok bool
		if next, ok = known.find(next, first+1+j); !ok || !l.among(known.lexemes[next]) {
			return
		}
	}
	next = i
	for j, l := range p.lexemes {
		if l.Text != "" {
			next, _ = known.find(next, first+j)
			found[next] |= p.terms
		}
	}
}

// find looks, from the i-th known word on, for the word at a place of the text.
func (k knownWords) find(i, place int) (at int, ok bool) {
	for i < len(k.at) && k.at[i] < place {
		i++
	}
	return i, i < len(k.at) && k.at[i] == place
}

// mark appends the marks of a word of a text that is part of terms. Of a pair that matches only by its letters, it marks only these.
func (m *Matcher) mark(marks []mark, word analysis.Token, text string, terms termSet) []mark {
	whole := mark{word.Start, word.End, terms}
	if len(m.letters) == 0 {
		return append(marks, whole)
	}
	pair, between := analysis.Letters(word.Text), word.Start+analysis.FirstLetter(text[word.Start:word.End])
	if len(pair) != 2 || between >= word.End { // such as when one sign stands for several letters
		return append(marks, whole)
	}
	first, second := terms&m.lettersOf(pair[0]), terms&m.lettersOf(pair[1])
	if terms != first|second {
		return append(marks, whole)
	}
	if first != 0 {
		marks = append(marks, mark{word.Start, between, first})
	}
	if second != 0 {
		marks = append(marks, mark{between, word.End, second})
	}
	return marks
}

// lettersOf returns the terms that look for a letter, possibly with fewer marks than it has.
func (m *Matcher) lettersOf(letter string) (terms termSet) {
	for l, looking := range m.letters {
		if strings.HasPrefix(letter, l) {
			terms |= looking
		}
	}
	return terms
}

func (l Lexeme) among(lexemes []string) bool {
	for _, other := range lexemes {
		if other == l.Text || l.Prefix && strings.HasPrefix(other, l.Text) {
			return true
		}
	}
	return false
}
