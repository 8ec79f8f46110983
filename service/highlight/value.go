package highlight

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// value is one value of a field, as far as it is looked at.
type value struct {
	text string
	// cut tells that the value goes on after text.
	cut   bool
	words []analysis.Token
	// lexemes are those of each word, where the words are stemmed and somebody has asked.
	lexemes [][]string
}

// FieldValues are the values of one field of a document, with how they are analysed. They are split into words once.
type FieldValues struct {
	Values   []string
	Analysis mapping.Analysis

	read []value
	done bool
}

// readable are the values that can be looked at.
func (f *FieldValues) readable() []value {
	if !f.done {
		f.read, f.done = slices.Collect(readable(f.Values, f.Analysis)), true
	}
	return f.read
}

// NeededWords lists the folded words of fields whose lexemes Field needs, in the order in which they stand there and
// as often as they do. Give it the fields of all hits of a page, and one question to the database answers for all of
// them; Know takes the answer.
//
// No word is left out because it looks too different from what is searched for: dictionaries of PostgreSQL
// may turn any word into any lexeme (better into good, by a synonym or Ispell dictionary). Who asks them knows which they are.
func NeededWords(fields []*FieldValues) []string {
	n := 0
	for v := range stemmed(fields) {
		n += len(v.words)
	}
	words := make([]string, 0, n)
	for v := range stemmed(fields) {
		for _, w := range v.words {
			words = append(words, w.Text)
		}
	}
	return words
}

// Know takes the lexemes of NeededWords of the same fields, none for a stop word.
func Know(fields []*FieldValues, lexemes [][]string) {
	for v := range stemmed(fields) {
		v.lexemes, lexemes = lexemes[:len(v.words)], lexemes[len(v.words):]
	}
}

// stemmed yields the values of those fields whose words are stemmed.
func stemmed(fields []*FieldValues) iter.Seq[*value] {
	return func(yield func(*value) bool) {
		for _, f := range fields {
			if !f.Analysis.Stems() {
				continue
			}
			read := f.readable()
			for i := range read {
				if !yield(&read[i]) {
					return
				}
			}
		}
	}
}

// readable yields the values that can be looked at within maxBytes, split into words where the analysis has
// any.
func readable(values []string, a mapping.Analysis) iter.Seq[value] {
	return func(yield func(value) bool) {
		room := maxBytes
		for _, text := range values {
			if room <= 0 {
				return
			}
			v := value{text: text}
			if a == mapping.StemmedHTML {
				v = withoutMarkup(text)
			}
			if len(v.text) > room {
				v.text, v.cut = shorten(v.text, room), true
			}
			room -= len(v.text)
			if hasWords(a) {
				v.words = analysis.Words(v.text)
			}
			v.dropHalfWord()
			if !yield(v) {
				return
			}
		}
	}
}

// dropHalfWord takes off the last word of a text that was cut where the word may go on.
func (v *value) dropHalfWord() {
	n := len(v.words) - 1
	if !v.cut || n < 0 || v.words[n].End < len(v.text) {
		return
	}
	end := v.words[n].Start
	if n > 0 {
		end = max(end, v.words[n-1].End) // pairs of letters overlap
	}
	v.text, v.words = v.text[:end], v.words[:n]
}

// hasWords tells whether an analysis finds words inside of values, and not only wholes and certain parts.
func hasWords(a mapping.Analysis) bool {
	return a.Stems() || a == mapping.Plain || a == mapping.IdentifierParts
}

// withoutMarkup returns what a reader of the HTML sees. White space is collapsed, as it says nothing in HTML
// and tags leave a lot of it.
func withoutMarkup(html string) value {
	source := shorten(html, maxMarkup)
	cut := len(source) < len(html)
	if open := strings.LastIndexByte(source, '<'); cut && open > strings.LastIndexByte(source, '>') {
		source = source[:open] // half a tag would be taken for text
	}
	plain := analysis.PlainHTML(source)
	v := value{text: collapse(plain), cut: cut}
	if cut && plain != "" && isSpace(rune(plain[len(plain)-1])) {
		v.text += " " // so that the last word is known to be whole
	}
	return v
}

// collapse trims white space and makes one space of each run of it: what HTML calls white space, so that
// no-break spaces stay.
func collapse(text string) string {
	return strings.Join(strings.FieldsFunc(text, isSpace), " ")
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f' }

// shorten cuts text to at most n bytes, between characters.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
