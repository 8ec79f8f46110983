package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// acceleratedTerm is a word with its lexemes that have postings.
type acceleratedTerm struct {
	lexemes []string
	// in tells in which fields of a pattern a lexeme counts; nil: in all.
	in       map[string][]bool
	phrases  []int // places of its phrases among those of the search
	required bool
	// rare are its lexemes without postings: the documents that have one of them, and the other terms, are looked at one
	// by one.
	rare []rareLexeme
	// query is all of the term as a tsquery, bare that but for rare whole values, "" where there is nothing else.
	query, bare string
	bound       boundTerm
	// optional terms add to the score and are no condition; rarity is the term's share of the query's.
	optional bool
	rarity   float64
}

// rareLexeme is the tsquery of a lexeme, or of a sequence of them, without postings. Whole values are such that few words
// of queries are.
type rareLexeme struct {
	query string
	whole bool
}

// maxExpansions bounds the lexemes with postings that a prefix stands for.
const maxExpansions = 100

// ambiguous tells whether the fields are searched for different lexemes of a word: stemmed fields for its stem,
// others for itself. Then a document with the stem in a field that is not stemmed is not one that has the word.
func ambiguous(t service.Term, fields []service.Field) bool {
	var sets [][]string
	done := map[mapping.Analysis]bool{}
	for _, f := range fields {
		if done[f.Analysis] {
			continue
		}
		done[f.Analysis] = true
		var words []string
		for _, one := range t.Alternatives[f.Analysis] {
			if len(one.Sequence) == 1 && !isWhole(one.Sequence[0].Text) {
				words = append(words, tsLexeme(one.Sequence[0]))
			}
		}
		switch f.Analysis {
		case mapping.Whole, mapping.WholeExact, mapping.IdentifierParts, mapping.EmailParts, mapping.PathSegments, mapping.Digits:
			continue // all of their lexemes are marked
		}
		slices.Sort(words)
		sets = append(sets, slices.Compact(words))
	}
	for _, words := range sets {
		if !slices.Equal(words, sets[0]) {
			return true
		}
	}
	return false
}

// takeTerms sorts the lexemes into those with postings and others.
func (a *accelerated) takeTerms() bool {
	for _, t := range a.plan.Terms {
		term, ok := a.term(t, a.byField(t, a.any() || hasPhrase(t)))
		if !ok {
			return false
		}
		term.bound.weight, term.bound.groups = float64(t.Repeats)*t.Rarity, a.boundGroups(t)
		// As in the plain statement, a word that no field knows is no condition.
		term.query, term.bare = inIndex(t, a.plan.Fields, nil), inIndex(t, a.plan.Fields, a.rareWhole)
		term.required = !t.Optional && term.query != ""
		if !a.plan.All && term.query == "" && !t.Optional {
			return false // nothing is found
		}
		term.optional, term.rarity = t.Optional, float64(t.Repeats)*t.Rarity
		if term.required && len(term.lexemes)+len(term.phrases) == 0 && !a.any() {
			return false // few documents have it: the index on the lexemes finds them
		}
		a.terms = append(a.terms, term)
		a.lexemes = append(a.lexemes, term.lexemes...)
	}
	for _, t := range a.plan.Excluded {
		term, ok := a.term(t, a.byField(t, true))
		if !ok || term.bound.prefix > 0 {
			return false
		}
		a.excluded, a.rare = append(a.excluded, term), append(a.rare, term.rare...)
		a.lexemes = append(a.lexemes, term.lexemes...)
	}
	if a.any() {
		if len(a.lexemes) == 0 {
			return false
		}
	} else if !slices.ContainsFunc(a.terms, func(t acceleratedTerm) bool { return t.required }) {
		if len(a.terms) > 0 {
			return false
		}
		a.everything = true
	}
	if a.everything || a.byScore && a.plan.Limit > 0 {
		a.lexemes = append(a.lexemes, everyDocument)
	}
	if !a.plan.All && a.byScore && a.plan.Limit > 0 {
		for _, f := range a.plan.Fields {
			a.lexemes = append(a.lexemes, lengthsOf+f.Name)
		}
	}
	slices.Sort(a.lexemes)
	a.lexemes = slices.Compact(a.lexemes)
	return len(a.phrases) <= maxPhrases
}

// byField tells that it depends on the fields which documents have a term: in some fields, or, if asked tells that the
// plain statement asks for fields at all, where these are searched for different lexemes.
func (a *accelerated) byField(t service.Term, asked bool) bool {
	return !a.plan.All || asked && ambiguous(t, a.plan.Fields)
}

// term sorts the lexemes of a term; byField has it found in its fields only. ok is false where postings cannot tell what
// has it.
func (a *accelerated) term(t service.Term, byField bool) (term acceleratedTerm, ok bool) {
	vectors := searchBuilder{shape: a.sh}
	lexemes, prefixes, phrases := map[string]bool{}, map[string]bool{}, map[int]bool{}
	if byField {
		term.in = map[string][]bool{}
	}
	for i, f := range a.plan.Fields {
		for _, one := range t.Alternatives[f.Analysis] {
			if len(one.Sequence) != 1 {
				if a.common(one) {
					phrases[a.phrase(one, vectors.vector(f))] = true
				} else {
					term.rare = append(term.rare, rareLexeme{query: tsSequence(one, false)})
				}
				continue
			}
			lexeme := one.Sequence[0].Text
			_, common := a.frequencies[lexeme]
			switch {
			case one.Sequence[0].Prefix:
				prefixes[lexeme] = true
				term.bound.prefix = max(term.bound.prefix, one.Factor)
			case common:
				lexemes[lexeme] = true
				if byField {
					if term.in[lexeme] == nil {
						term.in[lexeme] = make([]bool, len(a.searched))
					}
					term.in[lexeme][a.inPattern[i]] = true
				}
			default:
				term.rare = append(term.rare, rareLexeme{tsSequence(one, false), isWhole(lexeme)})
			}
		}
	}
	if byField && len(prefixes) > 0 || !a.expand(prefixes, lexemes, &term.rare) {
		return term, false // what has a lexeme with postings in another field may have one without in its own
	}
	term.phrases, term.lexemes = slices.Sorted(maps.Keys(phrases)), slices.Sorted(maps.Keys(lexemes))
	slices.SortFunc(term.rare, func(x, y rareLexeme) int { return strings.Compare(x.query, y.query) })
	term.rare = slices.Compact(term.rare)
	return term, true
}

// rareWhole tells that an alternative is a whole value without postings.
func (x *accelerator) rareWhole(one service.Alternative) bool {
	if len(one.Sequence) != 1 || one.Sequence[0].Prefix || !isWhole(one.Sequence[0].Text) {
		return false
	}
	_, common := x.frequencies[one.Sequence[0].Text]
	return !common
}

// common tells whether all whole lexemes of a phrase have postings.
func (x *accelerator) common(one service.Alternative) bool {
	return !slices.ContainsFunc(lexemeTexts(one), func(l string) bool {
		_, has := x.frequencies[l]
		return !has
	})
}

// expand adds the lexemes with postings that begin with one of prefixes, and asks for the documents that have
// none of them but others that do.
func (a *accelerated) expand(prefixes map[string]bool, lexemes map[string]bool, rare *[]rareLexeme) bool {
	if len(prefixes) == 0 {
		return true
	}
	for lexeme := range a.frequencies {
		for prefix := range prefixes {
			if strings.HasPrefix(lexeme, prefix) {
				lexemes[lexeme] = true
			}
		}
	}
	if len(lexemes) > maxExpansions {
		return false
	}
	var others strings.Builder
	for _, lexeme := range slices.Sorted(maps.Keys(lexemes)) {
		others.WriteString(" & !" + tsLexeme(service.Lexeme{Text: lexeme}))
	}
	for prefix := range prefixes {
		*rare = append(*rare, rareLexeme{query: "(" + tsLexeme(service.Lexeme{Text: prefix, Prefix: true}) + others.String() + ")"})
	}
	return true
}
