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
	// cut reports whether the value goes on after text.
	cut   bool
	words []analysis.Token
	// asked are the indexes of the words whose lexemes were asked for, if words are stemmed, and lexemes are the
	// lexemes of each. Nothing is known of the other words: they are taken for stop words.
	asked   []int
	lexemes [][]string
}

// FieldValues are the values of one field of a document, with how they are analysed. The values are split into words only once.
type FieldValues struct {
	Values   []string
	Analysis mapping.Analysis
	// Unmapped reports whether the field has no mapping. The index analyses all such fields as one, so that stop words are hardly ever all that it has.
	Unmapped bool
	Words    *Words // where their words are kept; nil: each value has its own memory

	read []value
	done bool
}

// readable returns the values as far as they are looked at.
func (f *FieldValues) readable() []value {
	if !f.done {
		f.read, f.done = f.split(), true
	}
	return f.read
}

// Size returns about how many bytes the values take, as far as they are looked at.
func (f *FieldValues) Size() (size int) {
	for _, text := range f.Values {
		if size += len(text) + perValue; size >= maxBytes {
			return maxBytes
		}
	}
	return size
}

// Forget forgets the words of the values. They are split again when needed.
func (f *FieldValues) Forget() { f.read, f.done = nil, false }

// EachWord calls do with the words of the values, folded and as written, if the analysis has any. first reports whether a word is the first of its value.
func (f *FieldValues) EachWord(do func(folded, written string, first bool)) {
	for _, v := range f.readable() {
		for i, w := range v.words {
			do(w.Text, v.text[w.Start:w.End], i == 0)
		}
	}
}

// NeededWords returns the folded words of fields whose lexemes Field needs, in the order of the text and with
// repetitions: of the words that are stemmed those for which likely is true, or all if it is nil. Give it the
// fields of all hits of a page, so that one query to the database answers for all of them; Know takes the answer.
//
// It leaves out no other word for looking too different from what is searched for: dictionaries of PostgreSQL may turn any
// word into any lexeme (better into good, by a synonym or Ispell dictionary). The caller knows which dictionaries are in use.
func NeededWords(fields []*FieldValues, likely func(word string) bool) (words []string) {
	for v := range stemmed(fields) {
		v.asked = nil
		for i, w := range v.words {
			if likely == nil || likely(w.Text) {
				v.asked, words = append(v.asked, i), append(words, w.Text)
			}
		}
	}
	return words
}

// Know takes the lexemes of each of the NeededWords of the same fields, none for a stop word.
func Know(fields []*FieldValues, lexemes [][]string) {
	for v := range stemmed(fields) {
		v.lexemes, lexemes = lexemes[:len(v.asked)], lexemes[len(v.asked):]
	}
}

// keepStopWords makes the words of a stemmed field their own lexemes, marked, if all of them are known to be stop words: only then does the index have these.
func (f *FieldValues) keepStopWords() {
	if !f.Analysis.KeepsStopWords() || f.Unmapped {
		return
	}
	read := f.readable()
	for _, v := range read {
		stem := func(lexemes []string) bool { return len(lexemes) > 0 }
		if v.cut || len(v.lexemes) < len(v.words) || slices.ContainsFunc(v.lexemes, stem) {
			return
		}
	}
	for i, v := range read {
		for j, w := range v.words {
			read[i].lexemes[j] = []string{analysis.StopMark + w.Text}
		}
	}
}

// stemmed yields the values of the fields whose words are stemmed.
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

// split returns the values within the first maxBytes, split into words if the analysis has any.
func (f *FieldValues) split() []value {
	values := make([]value, 0, len(f.Values))
	room := maxBytes
	for _, text := range f.Values {
		if room <= 0 {
			break
		}
		v := value{text: text}
		if f.Analysis == mapping.StemmedHTML {
			v = withoutMarkup(text)
		}
		if len(v.text) > room {
			v.text, v.cut = shorten(v.text, room), true
		}
		room -= len(v.text) + perValue
		if hasWords(f.Analysis) {
			v.words = f.Words.of(v.text)
		}
		v.dropHalfWord()
		values = append(values, v)
	}
	return values
}

// dropHalfWord removes the last word of a text that was cut, if the word may go on there.
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

// hasWords reports whether an analysis finds words in values, and not only whole values and certain parts.
func hasWords(a mapping.Analysis) bool {
	return a.Stems() || a == mapping.Plain || a == mapping.IdentifierParts
}

// withoutMarkup returns what a reader of the HTML sees. White space is collapsed, because it means nothing in HTML and tags leave a lot of it.
func withoutMarkup(html string) value {
	source := shorten(html, maxMarkup)
	cut := len(source) < len(html)
	if open := strings.LastIndexByte(source, '<'); cut && open > strings.LastIndexByte(source, '>') {
		source = source[:open] // half a tag would be mistaken for text
	}
	plain := analysis.PlainHTML(source)
	v := value{text: collapse(plain), cut: cut}
	if cut && plain != "" && isSpace(rune(plain[len(plain)-1])) {
		v.text += " " // so that the last word is known to be whole
	}
	return v
}

// collapse trims white space and makes one space of each run of it. White space is what HTML calls so, so that no-break spaces stay.
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
