package service

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// People write the initials of first names for these: j. müller for Jürgen Müller, js bach for Johann Sebastian Bach, smith, j. for John Smith. The names
// that documents have with such initials beside the other word are looked up (store/initials.go).

const (
	// initialFactor is what a name with the initials gives: documents with the initials themselves come first.
	initialFactor = 0.5
	// maxInitialLetters is how many initials of a name are looked up, maxInitialed how many names with initials of a query, minNamed how many letters the name
	// beside them has at least, and maxTogether how many letters a word has at most that is taken for initials.
	maxInitialLetters, maxInitialed, minNamed, maxTogether = 4, 4, 2, 3
)

// Initials are letters that may be the initials of first names, beside another name.
type Initials struct {
	Letters string
	// Name is the words beside them, separated by spaces. Behind reports whether the initials stand behind it.
	Name   string
	Behind bool
	// Word reports whether the letters are written as one word (js), and are no initials if many documents have it.
	Word bool
}

// askInitials asks for the names with the initials of a query. Stop words among its short words must be known for that.
func (t *termPlanner) askInitials(ctx context.Context, q query.Query, asked *AskedWords) error {
	if !t.typos || !t.searchesNames() {
		return nil
	}
	var short []string
	for _, raw := range q.Terms() {
		for _, word := range analysis.Texts(raw.Text) {
			if utf8.RuneCountInString(word) <= maxInitialLetters {
				short = append(short, word)
			}
		}
	}
	if err := t.stem(ctx, short); err != nil {
		return err
	}
	t.eachInitials(q, func(of Initials, _ []int) {
		if len(asked.Initials) < maxInitialed && !slices.Contains(asked.Initials, of) {
			asked.Initials = append(asked.Initials, of)
		}
	})
	return nil
}

// eachInitials yields the initials of a query, with the places of their terms among all. A letter that is a word of the language, as a and I are, is an
// initial only with a full stop behind it, or beside another one.
func (t *termPlanner) eachInitials(q query.Query, yield func(of Initials, places []int)) {
	type term struct {
		letters, name string
		worded        bool // the letters are one word: js
		article       bool // the letter is a word of the language, as a and I are
	}
	var terms []term
	for _, clause := range q.Clauses {
		for _, raw := range clause.Any {
			one := term{}
			if len(clause.Any) == 1 && !raw.Phrase {
				one.letters, one.worded = t.initialsOf(raw)
				one.article = t.isLetterWord(one.letters) && !strings.Contains(raw.Text, ".")
				if one.letters == "" || one.worded {
					one.name = nameBeside(raw)
				}
			}
			terms = append(terms, one)
		}
	}
	named := func(place int) string {
		if place < 0 || place >= len(terms) || utf8.RuneCountInString(terms[place].name) < minNamed {
			return ""
		}
		return terms[place].name
	}
	single := func(place int) bool {
		return place >= 0 && place < len(terms) && terms[place].letters != "" && !terms[place].worded
	}
	for first := 0; first < len(terms); first++ {
		if terms[first].letters == "" || terms[first].article && !single(first-1) && !single(first+1) {
			continue
		}
		last, letters, places := first, terms[first].letters, []int{first}
		for single(first) && single(last+1) {
			last++
			letters, places = letters+terms[last].letters, append(places, last)
		}
		if utf8.RuneCountInString(letters) <= maxInitialLetters {
			if name := named(last + 1); name != "" {
				yield(Initials{Letters: letters, Name: name, Word: terms[first].worded}, places)
			}
			if name := named(first - 1); name != "" {
				yield(Initials{Letters: letters, Name: name, Behind: true, Word: terms[first].worded}, places)
			}
		}
		first = last
	}
}

// searchesNames reports whether a field of names of persons is searched.
func (t *termPlanner) searchesNames() bool {
	return slices.ContainsFunc(t.fields, func(f Field) bool {
		m, ok := t.ix.Mapping(f.Name)
		return ok && m.Type == mapping.Name
	})
}

// initialsOf returns the letters of a term that may be initials, and whether they are written as one word. A last letter that may go on is the beginning of
// a word.
func (t *termPlanner) initialsOf(raw query.Term) (letters string, worded bool) {
	words := analysis.Texts(raw.Text)
	switch {
	case len(words) == 0 || !every(words, isInitial):
		if len(words) == 1 && utf8.RuneCountInString(words[0]) <= maxTogether && MayBeInitials(words[0]) && !t.stopped(words[0]) && every(lettersOf(words[0]), isInitial) {
			return words[0], true
		}
		return "", false
	case strings.Contains(raw.Text, "."):
		return strings.Join(words, ""), false
	case len(words) > 1 || len(beginning(raw)) > 0:
		return "", false
	}
	return words[0], false
}

// isInitial reports whether a word is a single letter of a script with capitals.
func isInitial(word string) bool { return isLetter(word) && strings.ToUpper(word) != word }

// isLetterWord reports whether a letter is a word of the language. The English list of stop words also has what contractions end in.
func (t *termPlanner) isLetterWord(letter string) bool {
	return isLetter(letter) && t.dropped(letter) && !(t.ix.Settings.Language == english && slices.Contains(contractions, letter))
}

// nameBeside returns the words of a term that may be a name beside initials.
func nameBeside(raw query.Term) string {
	words := analysis.Texts(raw.Text)
	if slices.ContainsFunc(words, func(word string) bool {
		return lettersFirst(word) != utf8.RuneCountInString(word) || analysis.IsPaired(word)
	}) {
		return ""
	}
	return strings.Join(words, " ")
}

// applyInitials adds the names that documents have with the initials of a query to the ways to find these.
func (t *termPlanner) applyInitials(q query.Query, terms []Term) {
	t.eachInitials(q, func(of Initials, places []int) {
		for _, names := range t.related.Initials[of] {
			for _, place := range places {
				term := &terms[place]
				term.Alternatives[mapping.Plain] = append(term.Alternatives[mapping.Plain], Alternative{Sequence: names, Factor: initialFactor, Near: true})
				term.Stopped = false // the s of s king is no stop word
			}
		}
	})
}
