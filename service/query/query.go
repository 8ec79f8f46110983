// Package query is the query language of a search: words, "phrases", -exclusions, OR, and a last word that
// may go on. It parses what a person typed into a tree; any string is a valid query. It knows nothing of how words are found.
package query

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
)

const (
	// MaxWords is how many words of a query count; those after them are ignored. A word that stands there several times counts once, as long as
	// it is among the first maxTerms words and phrases: a question of a hundred words often has what it is about at its end.
	MaxWords = 64
	maxTerms = 4 * MaxWords
	// MaxBytes is how many bytes of a query are looked at. It has room for MaxWords words of any length that people
	// write; folding a longer text, which no document has, would take time in proportion to its length.
	MaxBytes = 16 << 10
)

// Query is a query taken apart. A document fits if it fits every clause and no excluded term.
type Query struct {
	Clauses  []Clause
	Excluded []Term
	// Text is the query without the spaces around it.
	Text string
	// Whole is the query as one value, trimmed and, if it has no others, without the quotes around it: a keyword is also found by
	// the whole query. It is empty if the query has operators.
	Whole string
}

// Terms yields the terms of all clauses in order, each with its place among all.
func (q Query) Terms() iter.Seq2[int, Term] {
	return func(yield func(place int, t Term) bool) {
		place := 0
		for _, clause := range q.Clauses {
			for _, t := range clause.Any {
				if !yield(place, t) {
					return
				}
				place++
			}
		}
	}
}

// Clause fits if any of its terms does; it has at least one.
type Clause struct{ Any []Term }

// Term is a word, or a phrase: words that follow each other.
type Term struct {
	// Text is the term as it was written, without quotes and operators.
	Text   string
	Phrase bool
	// Open reports whether the quote of a phrase was never closed.
	Open bool
	// Prefix reports whether the term is the last word and may go on.
	Prefix bool
	// Start and End are the byte offsets of Text in the query.
	Start, End int
}

// token is a word or phrase with what stands before it.
type token struct {
	Term
	exclude bool
	or      bool // the word OR
}

// asked reports whether t is a term that documents should have.
func (t token) asked() bool { return !t.or && !t.exclude }

// Parse takes a query apart. It never fails: unbalanced quotes reach to the end, operators without operands are
// ignored, and control characters count as spaces.
//
//	red wine        documents with both words; wine may go on (winery)
//	"red wine"      the words next to each other
//	-dry -"too dry" without these
//	--dry           the word: an option of a command
//	->dry           the word: in programs, this is an operator
//	red OR white    either; only OR in capitals is an operator
//	红色手机壳       the pairs of letters that documents have, wherever they stand: nobody marks words there. Beside OR it is one word
func Parse(text string) Query {
	if len(text) > MaxBytes {
		text = strings.ToValidUTF8(text[:MaxBytes], "")
	}
	tokens := split(text)
	q := Query{Text: strings.TrimFunc(text, isSpace)}
	words, operators := 0, false
	either := false
	met := map[string]bool{} // words
	for i, t := range tokens[:min(len(tokens), maxTerms)] {
		if t.or {
			either = isOr(tokens, i)
			operators = operators || either
			continue
		}
		folded := analysis.Words(t.Text)
		n := max(len(folded), 1)
		if len(folded) == 1 && !t.Phrase && !t.exclude && !either && !isOr(tokens, i+1) {
			if met[folded[0].Text] {
				n = 0
			}
			met[folded[0].Text] = true
		}
		if words += n; words > MaxWords {
			if words-n >= MaxWords {
				break
			}
			t.Term = shorten(t.Term, MaxWords-(words-n))
		}
		switch {
		case t.exclude:
			q.Excluded = append(q.Excluded, t.Term)
			operators = true
		case either:
			last := &q.Clauses[len(q.Clauses)-1]
			last.Any = append(last.Any, t.Term)
		case isOr(tokens, i+1):
			q.Clauses = append(q.Clauses, Clause{[]Term{t.Term}})
		default:
			for _, part := range t.parts() {
				q.Clauses = append(q.Clauses, Clause{[]Term{part}})
			}
		}
		either = false
	}
	if !operators {
		q.Whole = whole(strings.TrimSpace(text))
	}
	return q
}

// whole returns a query as one value. Quotes around it mark a phrase; others are part of the value, and so is one of them at an end: role "root".
func whole(text string) string {
	if inner := strings.Trim(text, quotes); !strings.ContainsAny(inner, quotes) {
		return inner
	}
	return text
}

// isOr reports whether the token at index i is OR, between two terms that are asked for.
func isOr(tokens []token, i int) bool {
	return i > 0 && i+1 < len(tokens) && tokens[i].or && tokens[i-1].asked() && tokens[i+1].asked()
}

// shorten keeps the first n words of a term.
func shorten(t Term, n int) Term {
	words := analysis.Words(t.Text)
	t.Text = t.Text[:words[n-1].End]
	t.End = t.Start + len(t.Text)
	t.Prefix = false
	return t
}

// parts returns what a term is searched for by: the term itself or, if it has letters of a script without spaces
// (Chinese, Japanese, Thai, Lao, Khmer, Burmese), each pair of these, and what stands between them.
func (t Term) parts() []Term {
	if t.Phrase {
		return []Term{t}
	}
	words := analysis.Words(t.Text)
	var parts []Term
	joined := false // whether the last part is of another script
	for _, w := range words {
		paired := analysis.IsPaired(w.Text)
		if joined && !paired {
			last := &parts[len(parts)-1]
			last.End = t.Start + w.End
			last.Text = t.Text[last.Start-t.Start : w.End]
			continue
		}
		text := t.Text[w.Start:w.End]
		if alone := analysis.Words(text); paired && (len(alone) != 1 || alone[0].Text != w.Text) {
			text = w.Text // it shares a character with the pair before it: ำ is a mark of น้ and a letter
		}
		parts = append(parts, Term{Text: text, Start: t.Start + w.Start, End: t.Start + w.End})
		joined = !paired
	}
	if len(parts) < 2 {
		return []Term{t}
	}
	parts[len(parts)-1].Prefix = t.Prefix
	return parts
}

// quotes are the characters that begin and end a phrase.
const quotes = "\"“”„«»"

func isQuote(r rune) bool { return strings.ContainsRune(quotes, r) }

// isHyphen reports whether r is a hyphen or a minus sign.
func isHyphen(r rune) bool { return r == '-' || r == '−' }

func isSpace(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// split cuts a query into its words, phrases and operators.
func split(text string) []token {
	var tokens []token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if isSpace(r) {
			i += size
			continue
		}
		t := token{}
		// A hyphen right after a quote begins another word: "dark energy"-dominated.
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if isHyphen(r) && !isQuote(before) {
			after := len(text) - len(strings.TrimLeftFunc(text[i:], isHyphen))
			next, width := utf8.DecodeRuneInString(text[after:])
			if after == len(text) || isSpace(next) {
				i = after // a dash between words
				continue
			}
			// Several hyphens begin an option of a command: --no-cache. In source text, -> and -= are operators: p ->next.
			if t.exclude = after == i+size && next != '>' && next != '='; t.exclude || isQuote(next) {
				i, r, size = after, next, width
			}
		}
		if next, _ := utf8.DecodeRuneInString(text[i+size:]); strings.ContainsRune("([{+", r) && isQuote(next) {
			i += size // a phrase in brackets
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if isQuote(r) {
			i = t.phrase(text, i+size)
		} else {
			i = t.wordAt(text, i)
		}
		if strings.TrimFunc(t.Text, isSpace) == "" {
			continue
		}
		t.or = !t.Phrase && !t.exclude && t.Text == "OR"
		t.Text = strings.Clone(t.Text) // caches keep words; a substring would keep the whole text in memory
		tokens = append(tokens, t)
	}
	return tokens
}

// phrase reads from after the opening quote and returns where to go on.
func (t *token) phrase(text string, start int) int {
	t.Phrase, t.Start = true, start
	end := strings.IndexFunc(text[start:], isQuote)
	if end < 0 {
		t.End, t.Open = len(text), true
		t.Text = text[start:]
		// Somebody is still typing the phrase.
		last, _ := utf8.DecodeLastRuneInString(t.Text)
		t.Prefix = !t.exclude && !isSpace(last)
		return len(text)
	}
	t.End = start + end
	t.Text = text[start:t.End]
	_, size := utf8.DecodeRuneInString(text[t.End:])
	return t.End + size
}

// wordAt reads a word, up to a space or another separator, and returns where to go on.
func (t *token) wordAt(text string, start int) int {
	if n := listed(text[start:]); n > 0 && !t.exclude {
		t.Start, t.End, t.Text = start, start+n, text[start:start+n]
		_, size := utf8.DecodeRuneInString(text[t.End:])
		return t.End + size
	}
	end := strings.IndexFunc(text[start:], isSpace)
	if end < 0 {
		end = len(text)
	} else {
		end += start
	}
	// A quote right after a space begins a phrase; one inside a word (5"8, l"or) is part of it, except at its end,
	// where it closes a phrase that was never opened.
	word := strings.TrimRightFunc(text[start:end], isQuote)
	t.Prefix = !t.exclude && start+len(word) == len(text)
	// red* asks for what the last word matches as a prefix anyway. A star after a single letter is part of a name (Sgr A*).
	if begun := strings.TrimRight(word, "*"); t.Prefix && utf8.RuneCountInString(begun) > 1 {
		word = begun
	}
	t.Start, t.End, t.Text = start, start+len(word), word
	return end
}

// separators separate the words of a list, with spaces or without.
const separators = ",;|，；、。｜"

// listed returns where the first word of a list without spaces (red,blue;green) ends, or 0 if text does not begin with such a list.
// A separator between digits stays (1,000), and what begins like an address or a path is searched for whole. It looks no further than that word:
// it is called for each word of a list.
func listed(text string) int {
	for i, r := range text {
		if strings.ContainsRune(`/\@:`, r) || isSpace(r) {
			return 0
		}
		if !strings.ContainsRune(separators, r) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if (unicode.IsLetter(after) || unicode.IsDigit(after)) && !(unicode.IsDigit(before) && unicode.IsDigit(after)) {
			return i
		}
	}
	return 0
}
