package service

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
)

// What one person writes as one word, another writes as two, or with a hyphen, dots or an apostrophe: blue tooth, wi-fi, O'Brien,
// HL-2030. Documents are found by the other spelling, too, where the index has it.

const (
	// maxPairs bounds the pairs of a query that are looked up, maxJoined the letters of one: compounds of German and Finnish are long.
	maxPairs, maxJoined = 16, 50
	// minJoined is how many letters one has at least. Shorter ones are mostly other words.
	minJoined = 3
	// minGoing is how many letters one has at least to be the beginning of others.
	minGoing = 5
	// minInitials and maxInitials are how many letters a word has that is taken for initials.
	minInitials, maxInitials = 3, 4
)

// eachPair yields the words of a query that may be one in documents, with what follows these there (the decimals of usb 2.0), and the places
// of their terms among all. Quoted words are taken as they are.
func eachPair(q query.Query, yield func(pair WordPair, behind []string, places ...int)) {
	place, before := 0, ""
	for _, clause := range q.Clauses {
		either := len(clause.Any) > 1
		for _, raw := range clause.Any {
			words := analysis.Texts(raw.Text)
			switch {
			case raw.Phrase:
				before = ""
			case len(words) == 1:
				pair := newPair(raw, before, words[0])
				if !either && utf8.RuneCountInString(pair.First) > 1 && (utf8.RuneCountInString(pair.Second) > 1 || isNumber(pair.Second)) && pair.joinable() {
					yield(pair, nil, place-1, place)
				}
				before = words[0]
			case !either && before != "" && isDecimal(raw.Text):
				if pair := (WordPair{First: before, Second: words[0]}); utf8.RuneCountInString(before) > 1 && pair.joinable() {
					yield(pair, words[1:], place-1, place)
				}
				before = ""
			case len(words) > 1 && !strings.ContainsAny(raw.Text, "@:"):
				// Neither an address nor a time is one word.
				before = ""
				last := len(words) - 1
				pair, behind := newPair(raw, strings.Join(words[:last], ""), words[last]), []string(nil)
				if isDecimal(raw.Text[analysis.Words(raw.Text)[1].Start:]) {
					pair, behind = WordPair{First: words[0], Second: words[1]}, words[2:] // usb-2.0
				}
				if pair.Hyphen = true; pair.joinable() {
					yield(pair, behind, place)
				}
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

// newPair is a pair whose second word is the last of a term.
func newPair(raw query.Term, first, second string) WordPair {
	begun := raw.Prefix && !finished(raw) && utf8.RuneCountInString(first+second) >= minGoing
	return WordPair{First: first, Second: second, Begun: begun}
}

// eachSingle yields the terms of a query that are one word and not quoted, with their places among all.
func eachSingle(q query.Query, yield func(raw query.Term, word string, place int)) {
	place := 0
	for _, clause := range q.Clauses {
		for _, raw := range clause.Any {
			if words := analysis.Texts(raw.Text); len(words) == 1 && !raw.Phrase {
				yield(raw, words[0], place)
			}
			place++
		}
	}
}

// joinable tells that a pair is two words of letters, or of letters and then digits, and not of pairs of letters, which stand
// for themselves, nor of Korean and what is apart from that.
func (p WordPair) joinable() bool {
	joined := p.Joined()
	if first, _ := utf8.DecodeRuneInString(joined); !unicode.IsLetter(first) || utf8.RuneCountInString(joined) < minJoined {
		return false // a vocabulary has no words with digits first; V&A is not va, nor U.S. us
	}
	return p.First != "" && p.Second != "" && utf8.RuneCountInString(joined) <= maxJoined && !query.IsPaired(p.First) && analysis.IsHangul(p.First) == analysis.IsHangul(p.Second)
}

// pairsOf are the first pairs of a query.
func pairsOf(q query.Query) (list []WordPair) {
	eachPair(q, func(pair WordPair, _ []string, _ ...int) {
		if len(list) < maxPairs {
			list = append(list, pair)
		}
	})
	return list
}

// applyWritten adds to each term of a query's clauses what its words are found by when they are written together, or apart.
func (t *termPlanner) applyWritten(q query.Query, terms []Term) {
	eachPair(q, func(pair WordPair, behind []string, places ...int) {
		if !pair.Hyphen && t.stemmed() && (t.stopped(pair.First) || t.stopped(pair.Second)) {
			return
		}
		for _, place := range places {
			t.addTogether(&terms[place], pair, behind)
		}
	})
	eachSingle(q, func(raw query.Term, word string, place int) {
		for _, parts := range t.related.Parted[word] {
			if t.known(word) && t.stemmed() && t.stopped(parts.First) || parts.Begun && len(beginning(raw)) == 0 {
				continue
			}
			t.addApart(&terms[place], parts)
		}
		if t.related.Seldom[word] && MayBeInitials(word) {
			t.addWritten(&terms[place], lettersOf(word), 1, 0)
		}
	})
}

// addTogether adds two words as one to what a term is found by, if documents have that, before what follows them.
func (t *termPlanner) addTogether(term *Term, pair WordPair, behind []string) {
	if documents := t.related.Joined[pair]; documents > 0 {
		if len(behind) > 0 {
			documents = 0 // that is not how many have what follows, too
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

// addApart adds a word as two to what a term is found by.
func (t *termPlanner) addApart(term *Term, parts WordPair) {
	share := 1.0
	switch {
	case parts.Begun:
		share = prefixFactor
	case parts.Shared:
		share = sharedShare
	}
	t.addWritten(term, []string{parts.First, parts.Second}, share, 0)
	if t.related.Lettered[parts] {
		t.addRest(term, parts.Second, share)
	}
}

// MayBeCompound tells that a word, which may be too long to be misspelled, may be what others write as two.
func MayBeCompound(word string) bool {
	n := utf8.RuneCountInString(word)
	return n > 2*maxInitials && n <= maxJoined && !strings.ContainsFunc(word, unicode.IsDigit)
}

// MayBeInitials tells that a word may be what others write with dots: JMW Turner is J. M. W. Turner.
func MayBeInitials(word string) bool {
	n := utf8.RuneCountInString(word)
	return n >= minInitials && n <= maxInitials && !strings.ContainsFunc(word, func(r rune) bool { return unicode.ToUpper(r) == unicode.ToLower(r) })
}

// lettersOf are the letters of a word.
func lettersOf(word string) []string { return strings.Split(word, "") }

// addWritten adds words to what a term is found by in texts, for a share of what other spellings give. documents is how many have them,
// 0 where that is not known.
func (t *termPlanner) addWritten(term *Term, words []string, share float64, documents int64) {
	for a := range t.analyses {
		// Not where a part is a stop word: the rest alone is another word.
		if sequence := t.textSequence(a, words); len(sequence) == len(words) {
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: writtenFactor * share, Documents: documents})
		}
	}
}

// hasLettered tells that documents were seen to have a word, with a mark behind its first letter: t-SNE of tsne.
func (t *termPlanner) hasLettered(word string) bool {
	return slices.ContainsFunc(t.related.Parted[word], func(p WordPair) bool { return !p.Begun && t.related.Lettered[p] })
}

// addRest adds what a word has beside a letter or a unit that is a stop word to what a term is found by, for a share of what that gives.
func (t *termPlanner) addRest(term *Term, rest string, share float64) {
	for a := range t.analyses {
		if sequence := t.textSequence(a, []string{rest}); a.Stems() && len(sequence) == 1 {
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: restFactor * share})
		}
	}
}
