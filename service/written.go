package service

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// What one person writes as one word, another writes as two, or with a hyphen, dots or an apostrophe: blue tooth, wi-fi, O'Brien,
// HL-2030. Documents are found by the other spelling, too, if the index has it.

const (
	// maxPairs bounds the pairs of a query that are looked up, maxJoined the letters of a joined pair: compounds of German and Finnish are long.
	maxPairs, maxJoined = 16, 50
	// minJoined is how many letters a joined pair has at least. Shorter ones are mostly other words, except initials with full stops.
	minJoined = 3
	// minSeries and maxSeries bound the words that are looked up as one, and the words of a name in camel case.
	minSeries, maxSeries = 3, 5
	// minGoing is how many letters a joined pair has at least to be the beginning of other words.
	minGoing = 5
	// oftenTogether is in how many documents a word with a stop word must be, written together, to be what is meant by it with a hyphen.
	oftenTogether = 50
	// minInitials and maxInitials bound the letters of a word that is taken for initials.
	minInitials, maxInitials = 2, 4
	// minModel and maxModel bound the letters and digits of a word that is taken for the name of a model: Q5456A.
	minModel, maxModel = 4, 20
)

// eachPair yields the pairs of words of a query that may be one word in documents, with the words that follow the
// pair there (the decimals of usb 2.0), and the places of its terms among all. Quoted words are taken as they are. Words with punctuation are parts of
// models only: dr-e 8.
func eachPair(q query.Query, yield func(pair WordPair, behind []string, places ...int)) {
	place, before, punctuated := 0, "", false
	for _, clause := range q.Clauses {
		either := len(clause.Any) > 1
		for _, raw := range clause.Any {
			words := analysis.Texts(raw.Text)
			switch {
			case raw.Phrase:
				before = ""
			case len(words) == 1:
				pair := newPair(raw, before, words[0])
				if !either && pair.joinable() && (pair.isModel() || !punctuated && pair.isWords()) {
					yield(pair, nil, place-1, place)
				}
				before, punctuated = words[0], false
			case !either && isDecimal(raw.Text):
				if pair := (WordPair{First: before, Second: words[0]}); utf8.RuneCountInString(before) > 1 && !punctuated && pair.joinable() {
					yield(pair, words[1:], place-1, place)
				}
				before = ""
			case len(words) > 1 && !strings.ContainsAny(raw.Text, "@:"):
				// Neither an address nor a time is one word.
				if pair := (WordPair{First: before, Second: strings.Join(words, "")}); !either && pair.joinable() && pair.isModel() {
					yield(pair, nil, place-1, place)
				}
				last := beforeDecimals(raw.Text)
				pair, behind := newPair(raw, strings.Join(words[:last], ""), words[last]), words[last+1:]
				pair.Begun = pair.Begun && len(behind) == 0
				if pair.Hyphen = true; pair.joinable() || isAbbreviated(raw.Text) {
					yield(pair, behind, place)
				}
				before, punctuated = strings.Join(words, ""), true
			default:
				before = ""
			}
			place++
		}
		if either {
			before = "" // none of them is next to what follows
		}
	}
}

// newPair returns a pair whose second word is the last of a term.
func newPair(raw query.Term, first, second string) WordPair {
	begun := raw.Prefix && !finished(raw) && utf8.RuneCountInString(first+second) >= minGoing
	return WordPair{First: first, Second: second, Begun: begun}
}

// joinable reports whether a pair is two words of letters, or of letters and then digits. Letter pairs of a script without spaces stand for
// themselves, and Korean is never one word with another script.
func (p WordPair) joinable() bool {
	joined := p.Joined()
	if first, _ := utf8.DecodeRuneInString(joined); !unicode.IsLetter(first) || utf8.RuneCountInString(joined) < minJoined {
		return false // a vocabulary has no words that begin with digits; V&A is not va
	}
	return utf8.RuneCountInString(joined) <= maxJoined && !analysis.IsPaired(p.First) && analysis.IsHangul(p.First) == analysis.IsHangul(p.Second)
}

// isWords reports whether a pair is two words, or one with a number.
func (p WordPair) isWords() bool {
	return utf8.RuneCountInString(p.First) > 1 && (utf8.RuneCountInString(p.Second) > 1 || isNumber(p.Second))
}

// isModel reports whether a pair may be the name of a model that others divide elsewhere, or not at all: dr-e 8, Q5456 A, X 5482.
func (p WordPair) isModel() bool { return p.First != "" && p.Second != "" && MayBeModel(p.Joined()) }

// eachSeries yields three to maxSeries words of a query that follow each other, as a pair of all but the last and the last, and the place of the first of
// their terms: get element by id may be getElementById, and Q 5456 A Q5456A. Single letters are only parts of models. firsts are the beginnings that end
// with a word, and behind which are one or more words that are by themselves found as one: not 100 t, because vocabularies have no 100t.
func eachSeries(q query.Query, yield func(pair WordPair, firsts []string, first, words int)) {
	var series []string
	place := 0
	for _, clause := range q.Clauses {
		word := singleWord(clause.Any[0])
		if place += len(clause.Any); len(clause.Any) > 1 || word == "" {
			series = nil
			continue
		}
		series = append(series, word)
		for n := minSeries; n <= min(len(series), maxSeries); n++ {
			words := series[len(series)-n:]
			pair := WordPair{First: strings.Join(words[:n-1], ""), Second: word}
			firsts := []string{pair.First}
			for i := 1; i < n-1; i++ {
				if digit, _ := utf8.DecodeRuneInString(words[i]); !unicode.IsDigit(digit) {
					firsts = append(firsts, strings.Join(words[:i], ""))
				}
			}
			if pair.joinable() && (pair.isModel() || !slices.ContainsFunc(words, isSingle)) {
				yield(pair, firsts, place-n, n)
			}
		}
	}
}

// pairsOf returns the first maxPairs pairs of a query, those of two words before longer ones.
func pairsOf(q query.Query) (list []WordPair) {
	add := func(pair WordPair) {
		if len(list) < maxPairs {
			list = append(list, pair)
		}
	}
	eachPair(q, func(pair WordPair, _ []string, _ ...int) { add(pair) })
	eachSeries(q, func(pair WordPair, _ []string, _, _ int) { add(pair) })
	return list
}

// applyWritten adds to each term of a query's clauses the ways to find its words written together, or apart.
func (t *termPlanner) applyWritten(q query.Query, terms []Term) {
	stopped := func(word string) bool {
		_, ofQuery := t.stems[word] // what was joined is not looked up
		return ofQuery && t.stopped(word)
	}
	eachPair(q, func(pair WordPair, behind []string, places ...int) {
		single := isSingle(pair.First) || isSingle(pair.Second) // as a part of a model, a single letter is no stop word
		if !pair.Hyphen && t.stemmed() && (stopped(pair.First) || stopped(pair.Second)) && !(single && pair.isModel()) {
			return
		}
		for _, place := range places {
			if pair.Hyphen || !terms[place].Stopped {
				t.addTogether(&terms[place], pair, behind)
				t.addDivided(&terms[place], pair, []string{pair.First})
			}
		}
	})
	eachSeries(q, func(pair WordPair, firsts []string, first, words int) {
		for place := first; place < first+words; place++ {
			if !terms[place].Stopped { // a stop word need not be found, and says nothing of the one word
				t.addTogether(&terms[place], pair, nil)
				t.addDivided(&terms[place], pair, firsts)
			}
		}
	})
	for place, raw := range q.Terms() {
		word := singleWord(raw)
		if word == "" {
			continue
		}
		if t.related.Seldom[word] {
			t.addHumps(&terms[place], raw)
		}
		for _, parts := range t.related.Parted[word] {
			if t.known(word) && t.stemmed() && t.stopped(parts.First) || parts.Begun && len(beginning(raw)) == 0 {
				continue
			}
			t.addApart(&terms[place], parts)
		}
		if series := t.related.Series[word]; len(series) > 0 {
			t.addSeries(&terms[place], series)
		}
		if t.related.Seldom[word] && MayBeInitials(word) {
			t.addLetters(&terms[place], lettersOf(word))
		}
	}
}

// addTogether adds a pair as one word, with the words that follow it, to the ways to find a term, if documents have that word.
func (t *termPlanner) addTogether(term *Term, pair WordPair, behind []string) {
	if documents := t.related.Joined[pair]; documents > 0 {
		if len(behind) > 0 {
			documents = 0 // the number of those that have what follows, too, is not known
		}
		t.addWritten(term, append([]string{pair.Joined()}, behind...), 1, documents)
	}
	if len(behind) > 0 {
		return
	}
	for _, form := range t.related.JoinedForms[pair] {
		t.addWritten(term, []string{form.Word}, 1, form.Documents)
	}
	if pair.Begun {
		for _, going := range t.related.Going {
			t.addWritten(term, []string{going.Word}, prefixFactor, going.Documents)
		}
	}
}

// addDivided adds the words into which documents divide what a pair is as one word to the ways to find a term, unless the query divides it there, too,
// after one of the firsts: then its words are found by themselves.
func (t *termPlanner) addDivided(term *Term, pair WordPair, firsts []string) {
	for _, parts := range t.related.Parted[pair.Joined()] {
		if !slices.Contains(firsts, parts.First) {
			t.addApart(term, parts)
		}
	}
}

// meantTogether returns the two words of a term with a hyphen, if one of them is a stop word, which texts drop, and documents often have both as one
// word: offline. What texts keep of off-line says less of what is meant.
func (t *termPlanner) meantTogether(raw query.Term) (WordPair, bool) {
	words := analysis.Texts(raw.Text)
	if raw.Phrase || len(words) != 2 || !t.stemmed() || t.stopped(words[0]) == t.stopped(words[1]) {
		return WordPair{}, false
	}
	pair := newPair(raw, words[0], words[1])
	pair.Hyphen = true
	return pair, t.related.Joined[pair] >= oftenTogether && min(utf8.RuneCountInString(pair.First), utf8.RuneCountInString(pair.Second)) > 1 // T-shirts are shirts
}

// preferTogether makes such a word, written together, what a term asks for in texts, and what they keep of it another word that may be meant.
func (t *termPlanner) preferTogether(raw query.Term, term *Term) {
	pair, meant := t.meantTogether(raw)
	if !meant {
		return
	}
	for a := range t.analyses {
		sequence := t.textSequence(a, []string{pair.Joined()})
		if !a.Stems() || len(sequence) != 1 {
			continue
		}
		for i := range term.Alternatives[a] {
			kept := &term.Alternatives[a][i]
			if mark, _ := analysis.Marked(kept.Sequence[0].Text); mark == "" { // a tag is meant as a whole
				kept.Factor, kept.Near, kept.Documents = kept.Factor*writtenFactor, true, max(kept.Documents, 1)
			}
		}
		term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: 1, Documents: t.related.Joined[pair]})
	}
}

// addApart adds a word as two to the ways to find a term.
func (t *termPlanner) addApart(term *Term, parts WordPair) {
	share := 1.0
	switch {
	case parts.Begun:
		share = prefixFactor
	case parts.Shared:
		share = sharedShare
	}
	t.addWritten(term, []string{parts.First, parts.Second}, share, 0)
	switch {
	case !t.related.HalfStopped[parts]:
	case isSingle(parts.First):
		t.addRest(term, parts.Second, restFactor*share)
	case t.stopped(parts.First):
		t.addRest(term, parts.Second, writtenFactor*share)
	default:
		t.addRest(term, parts.First, writtenFactor*share)
	}
}

// addHumps adds the words of a name in camel case, if there are more than the two that the vocabulary knows, to the ways to find a term: borderTopWidth
// is border-top-width. Stop words within it, as in getElementById, may be any words in stemmed texts, but it must not begin or end with one.
func (t *termPlanner) addHumps(term *Term, raw query.Term) {
	words := humps(raw.Text)
	if len(words) < minSeries || t.stemmed() && (t.stopped(words[0]) || t.stopped(words[len(words)-1])) {
		return
	}
	t.addSeries(term, words)
}

// addSeries adds several words that are written as one to the ways to find a term. Of those that are stop words, texts have only the gaps.
func (t *termPlanner) addSeries(term *Term, words []string) {
	for a := range t.analyses {
		if sequence := t.textSequence(a, words); len(sequence) > 1 {
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: writtenFactor})
		}
	}
}

// humps returns the words, folded, of a name of up to maxJoined letters in camel case: get, element, by and id of getElementById, set, inner and html of
// setInnerHTML.
func humps(text string) []string {
	letters := []rune(text)
	if len(letters) > maxJoined {
		return nil
	}
	var apart strings.Builder
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			apart.WriteByte(' ')
		}
		apart.WriteRune(r)
	}
	return analysis.Texts(apart.String())
}

// MayBeCompound reports whether a word, which may be too long to be misspelled, may be what others write as two.
func MayBeCompound(word string) bool {
	n := utf8.RuneCountInString(word)
	return n > 2*maxInitials && n <= maxJoined && !hasDigit(word)
}

// MayBeModel reports whether a word of letters and digits, which is never misspelled, may be what others write as two: DR-E8 for dre8.
func MayBeModel(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	n := utf8.RuneCountInString(word)
	return n >= minModel && n <= maxModel && unicode.IsLetter(first) && hasDigit(word)
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

func isSingle(word string) bool { return utf8.RuneCountInString(word) == 1 }

// MayBeInitials reports whether a word may be what others write with dots: JMW Turner is J. M. W. Turner.
func MayBeInitials(word string) bool {
	n := utf8.RuneCountInString(word)
	return n >= minInitials && n <= maxInitials && !strings.ContainsFunc(word, func(r rune) bool { return unicode.ToUpper(r) == unicode.ToLower(r) })
}

// isAbbreviated reports whether a text is two letters with a full stop behind each: A.I. is AI.
func isAbbreviated(text string) bool {
	letters := strings.Split(strings.TrimSuffix(text, "."), ".")
	return len(letters) == minInitials && MayBeInitials(strings.Join(letters, ""))
}

// lettersOf returns the letters of a word.
func lettersOf(word string) []string { return strings.Split(word, "") }

// addWritten adds words to the ways to find a term in texts, for a share of what other spellings give. documents is
// how many documents have them, 0 if that is not known.
func (t *termPlanner) addWritten(term *Term, words []string, share float64, documents int64) {
	for a := range t.analyses {
		// Not if one of them is a stop word: the rest alone is another word.
		if sequence := t.textSequence(a, words); len(sequence) == len(words) && !term.asks(a, sequence) {
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: writtenFactor * share, Documents: documents})
		}
	}
}

// leastKept is how many of the letters of initials texts keep at least, unless they keep the first and the last one.
const leastKept = 3

// addLetters adds initials to the ways to find a term. Texts drop letters that are stop words, such as the a of Y.M.C.A.; what is left must still be initials:
// the n of T.N.T. is not.
func (t *termPlanner) addLetters(term *Term, letters []string) {
	for a := range t.analyses {
		sequence := t.textSequence(a, letters)
		ends := len(sequence) > 1 && !t.dropped(letters[0]) && !t.dropped(letters[len(letters)-1])
		if (len(sequence) >= min(leastKept, len(letters)) || ends) && !term.asks(a, sequence) {
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: writtenFactor})
		}
	}
}

// asks reports whether a term asks for a sequence as it is.
func (t Term) asks(a mapping.Analysis, sequence []Lexeme) bool {
	return slices.ContainsFunc(t.Alternatives[a], func(other Alternative) bool { return other.Factor == 1 && slices.Equal(other.Sequence, sequence) })
}

// isHalfStopped reports whether documents are known to have a word as two, one of which is a stop word: t-SNE for tsne, the sun for thesun.
func (t *termPlanner) isHalfStopped(word string) bool {
	return slices.ContainsFunc(t.related.Parted[word], func(p WordPair) bool { return !p.Begun && t.related.HalfStopped[p] })
}

// addRest adds the rest of a word beside a stop word that texts drop, such as a letter or a unit, to the ways to find a term.
func (t *termPlanner) addRest(term *Term, rest string, factor float64) {
	for a := range t.analyses {
		if sequence := t.textSequence(a, []string{rest}); a.Stems() && len(sequence) == 1 {
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: factor})
		}
	}
}
