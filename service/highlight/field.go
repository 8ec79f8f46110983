package highlight

import (
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// What Field looks at and returns.
const (
	// maxBytes is how many bytes of text of one field are looked at, from its first value on: matches after those are not shown.
	maxBytes = 200_000
	// perValue is how many bytes each value counts for besides its text: there may be very many empty values.
	perValue = 1
	// maxMarkup is how many bytes of an HTML value are looked at, markup included.
	maxMarkup = 1_000_000
	// maxWhole is the length in characters of the longest value that is returned whole.
	maxWhole = 200
	// maxFragments is the largest number of fragments of one value.
	maxFragments = 3
	// fragmentLength is the length of a fragment in characters. A fragment is shorter if a word would be cut, and
	// up to 20 characters longer if only punctuation is left of the text.
	fragmentLength = 200
)

// Spec says what to look for in a field and how its values become lexemes.
type Spec struct {
	Analysis mapping.Analysis
	// Separator separates the levels of mapping.Levels: mapping.Info.Separator.
	Separator string
	Matcher   *Matcher
	// Wholes looks for whole values, if these are looked for by other lexemes than words are; nil: Matcher does.
	Wholes *Matcher
}

// wholes returns the Matcher for whole values and their parts.
func (s Spec) wholes() *Matcher {
	if s.Wholes != nil {
		return s.Wholes
	}
	return s.Matcher
}

// Field highlights the values of one field of a document, whose analysis is that of spec. Numbers and booleans must
// be given as PostgreSQL writes them as text.
//
// It returns one string for each value of up to maxWhole characters that matches, and up to maxFragments
// fragments of each longer one, in the order of the values; nil if nothing matches. Of one value, the fragment with
// the most distinct terms comes first, then the one with the most marked words, then the one that stands first;
// fragments do not overlap, are cut between words, and have an ellipsis (…) where they are cut.
//
// Matched words stand in <b> and </b>; & < > " and ' are escaped; marks are never nested and have text between
// them. HTML values lose their markup, and their white space is collapsed, before anything else happens.
func Field(values *FieldValues, spec Spec) []string {
	if spec.Matcher == nil || spec.Matcher.empty() && spec.wholes().empty() || spec.Analysis == mapping.NotSearched {
		return nil
	}
	var highlighted []string
	values.keepStopWords()
	for _, v := range values.readable() {
		if marks := spec.marks(v); len(marks) > 0 {
			highlighted = v.show(highlighted, marks)
		}
	}
	return highlighted
}

func (s Spec) marks(v value) []mark {
	marks := s.wordMarks(v)
	// A value that was cut is not whole, and its parts are not worth the trouble.
	if hasParts(s.Analysis) && !v.cut {
		marks = s.partMarks(v.text, marks)
	}
	return marks
}

// wordMarks finds words and phrases.
func (s Spec) wordMarks(v value) []mark {
	if len(v.words) == 0 {
		return nil
	}
	known := knownWords{v.asked, v.lexemes, len(v.words)}
	if !s.Analysis.Stems() {
		known = ownLexemes(v.words)
	}
	if len(known.lexemes) < len(known.at) {
		return nil // Know was not called
	}
	var marks []mark
	for i, terms := range s.Matcher.find(known) {
		if terms != 0 {
			marks = s.Matcher.mark(marks, v.words[known.at[i]], v.text, terms)
		}
	}
	return marks
}

// ownLexemes returns words that are not stemmed as their own lexemes.
func ownLexemes(words []analysis.Token) knownWords {
	known := knownWords{make([]int, len(words)), make([][]string, len(words)), len(words)}
	own := make([]string, len(words))
	for i, w := range words {
		own[i] = w.Text
		known.at[i], known.lexemes[i] = i, own[i:i+1]
	}
	return known
}

// show appends what is shown of a value that matches.
func (v value) show(to []string, marks []mark) []string {
	if !v.cut && len(v.text) <= maxWhole*utf8.UTFMax && utf8.RuneCountInString(v.text) <= maxWhole {
		return append(to, v.render(extent{0, len(v.text)}, marks))
	}
	if v.words == nil {
		v.words = analysis.Words(v.text) // to cut between them
	}
	for _, f := range v.fragments(marks) {
		to = append(to, v.render(f, marks))
	}
	return to
}
