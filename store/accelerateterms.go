package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/bounds"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/tsquery"
)

// acceleratedTerm is a word with its lexemes that have postings.
type acceleratedTerm struct {
	lexemes []string
	// in says, for each lexeme, in which searched fields it counts. A lexeme that counts in all of them is not in it.
	in       map[string][]bool
	phrases  []int // indices of its phrases among those of the search
	required bool
	// rare are its lexemes without postings: the documents that have one of them and all other terms are examined one by one.
	rare []rareLexeme
	// prefixes stand for all lexemes that begin with one of them, with or without postings. prefixIn says in which fields one counts, like in.
	prefixes []string
	prefixIn map[string][]bool
	// begun is how many documents have the term if it is a prefix of lexemes without postings only, such as many paths or order numbers.
	begun float64
	// query is the whole term as a tsquery, bare the same without rare whole values, "" if nothing else is left.
	query, bare string
	bound       bounds.Term
	// optional terms add to the score but are not required; carried is what a document with the term carries of the query, if it carries any.
	optional bool
	carried  float64
}

// rareLexeme is the tsquery of a lexeme, or of a sequence of lexemes, without postings. whole marks whole values: few words of queries are one.
type rareLexeme struct {
	query string
	whole bool
}

// maxExpansions bounds the lexemes with postings that a prefix stands for.
const maxExpansions = 100

// takeTerms separates the lexemes with postings from the others, and reports whether postings can answer the search.
func (a *accelerated) takeTerms() bool {
	for _, t := range a.plan.Terms {
		if !a.takeTerm(t) {
			return false
		}
	}
	for _, t := range a.plan.Excluded {
		if !a.takeExcluded(t) {
			return false
		}
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
	a.takeMeasures()
	slices.Sort(a.lexemes)
	a.lexemes = slices.Compact(a.lexemes)
	return len(a.phrases) <= maxPhrases
}

func (a *accelerated) takeTerm(t service.Term) bool {
	term, ok := a.term(t, a.byField(t))
	if !ok {
		return false
	}
	term.bound = bounds.NewTerm(t, a.plan, a.ranking, a.isCommon, a.phrasesOf(t))
	// As in the plain statement, a word that no field can contain is no condition.
	term.query, term.bare = tsquery.InIndex(t, a.plan.Fields, nil), tsquery.InIndex(t, a.plan.Fields, a.rareWhole)
	term.required = !t.Optional && term.query != ""
	if !a.plan.All && term.query == "" && !t.Optional {
		return false // nothing matches
	}
	if term.optional = t.Optional; t.Carries() {
		term.carried = t.CarriedWeight()
	}
	if term.required && len(term.lexemes)+len(term.phrases) == 0 && !a.any() {
		term.begun = searchsql.DocumentsOf(t.Carried, a.documents)
		if len(term.prefixes) == 0 || term.begun < a.limits.rarest {
			return false // few documents have it, and the index on lexemes finds them
		}
	}
	a.terms = append(a.terms, term)
	a.lexemes = append(a.lexemes, term.lexemes...)
	return true
}

func (a *accelerated) takeExcluded(t service.Term) bool {
	term, ok := a.term(t, tsquery.ByFieldAlone(t, a.plan))
	if !ok || len(term.prefixes) > 0 {
		return false
	}
	a.excluded, a.rare = append(a.excluded, term), append(a.rare, term.rare...)
	a.lexemes = append(a.lexemes, term.lexemes...)
	return true
}

// takeMeasures adds rows that belong to no lexeme of the query: boosts and lengths, for scores, and the order of texts.
func (a *accelerated) takeMeasures() {
	scored := a.byScore && a.plan.Limit > 0
	if a.everything || scored {
		a.lexemes = append(a.lexemes, posting.EveryDocument)
	}
	if scored {
		for _, f := range a.plan.Fields {
			if !a.plan.All || f.Measured {
				a.lexemes = append(a.lexemes, posting.LengthsOf+f.Name)
			}
		}
	}
	if a.sorted != nil && a.sorted.Text {
		a.lexemes = append(a.lexemes, posting.KeysOf+a.sorted.Field)
	}
}

// byField reports whether a term must be found in its own fields, as in the plain statement.
func (a *accelerated) byField(t service.Term) bool {
	switch {
	case a.any():
		return tsquery.ByFieldAlone(t, a.plan)
	case t.Optional && a.plan.All:
		return false // it is not required
	}
	return tsquery.ByField(t, a.plan)
}

// term separates the lexemes of a term; byField restricts it to its own fields. ok is false if postings cannot tell which documents have the term.
func (a *accelerated) term(t service.Term, byField bool) (term acceleratedTerm, ok bool) {
	lexemes, prefixes := map[string]bool{}, map[string]bool{}
	asked := askedFields{}
	for i, f := range a.plan.Fields {
		for _, one := range t.Alternatives[f.Analysis] {
			if len(one.Sequence) != 1 {
				if !a.common(one) {
					term.rare = append(term.rare, rareLexeme{query: tsquery.Sequence(one, false)})
				}
				continue
			}
			l := one.Sequence[0]
			switch {
			case l.Prefix:
				if one.Factor == 1 {
					return term, false // each lexeme would count for itself
				}
				prefixes[l.Text] = true
				asked.add(l, i, len(a.plan.Fields))
			case a.isCommon(l.Text):
				lexemes[l.Text] = true
				asked.add(l, i, len(a.plan.Fields))
			default:
				term.rare = append(term.rare, rareLexeme{tsquery.Sequence(one, false), tsquery.IsWhole(l.Text)})
			}
		}
	}
	if byField {
		a.limit(&term, asked)
	}
	if !a.expand(prefixes, lexemes, &term) {
		return term, false
	}
	term.phrases, term.lexemes = slices.Sorted(maps.Values(a.phrasesOf(t))), slices.Sorted(maps.Keys(lexemes))
	slices.SortFunc(term.rare, func(x, y rareLexeme) int { return strings.Compare(x.query, y.query) })
	term.rare = slices.Compact(term.rare)
	return term, true
}

// askedFields says, for each lexeme and prefix, which of the plan's fields are searched for it.
type askedFields map[service.Lexeme][]bool

func (f askedFields) add(l service.Lexeme, field, fields int) {
	l.Gap = 0
	if f[l] == nil {
		f[l] = make([]bool, fields)
	}
	f[l][field] = true
}

// limit restricts lexemes and prefixes that may also occur in other fields to those in which they are searched for.
func (a *accelerated) limit(term *acceleratedTerm, asked askedFields) {
	term.in, term.prefixIn = map[string][]bool{}, map[string][]bool{}
	for l, fields := range asked {
		if a.plan.All && a.everywhere(l, fields) {
			continue
		}
		in := make([]bool, len(a.searched))
		for i, is := range fields {
			in[a.inPattern[i]] = in[a.inPattern[i]] || is
		}
		if l.Prefix {
			term.prefixIn[l.Text] = in
		} else {
			term.in[l.Text] = in
		}
	}
}

// everywhere reports whether all fields that may have a lexeme are searched for it.
func (a *accelerated) everywhere(l service.Lexeme, asked []bool) bool {
	for i, f := range a.plan.Fields {
		if !asked[i] && tsquery.MayHave(f.Analysis, l.Text) {
			return false
		}
	}
	return true
}

// rareWhole reports whether an alternative is a whole value without postings.
func (x *accelerator) rareWhole(one service.Alternative) bool {
	if len(one.Sequence) != 1 || one.Sequence[0].Prefix || !tsquery.IsWhole(one.Sequence[0].Text) {
		return false
	}
	return !x.isCommon(one.Sequence[0].Text)
}

// isCommon reports whether a lexeme has postings.
func (x *accelerator) isCommon(lexeme string) bool {
	_, common := x.frequencies[lexeme]
	return common
}

// common reports whether all whole lexemes of a phrase have postings.
func (x *accelerator) common(one service.Alternative) bool {
	return !slices.ContainsFunc(tsquery.LexemeTexts(one), func(l string) bool { return !x.isCommon(l) })
}

// expand adds the lexemes with postings that begin with one of the prefixes; the rows of beginnings cover the others. It returns false if they do
// not, or if there are too many lexemes.
func (a *accelerated) expand(prefixes map[string]bool, lexemes map[string]bool, term *acceleratedTerm) bool {
	if len(prefixes) == 0 {
		return true
	}
	a.lexemes = append(a.lexemes, posting.BeginningsOf)
	term.prefixes = slices.Sorted(maps.Keys(prefixes))
	for _, prefix := range term.prefixes {
		rows, ok := posting.BeginningNames(prefix)
		if !ok {
			return false
		}
		a.lexemes = append(a.lexemes, rows...)
		in := term.prefixIn[prefix]
		for _, lexeme := range a.beginWith(prefix) {
			switch own, limited := term.in[lexeme]; {
			case in == nil:
				delete(term.in, lexeme) // the prefix is searched for in all fields that may have it
			case !lexemes[lexeme]:
				term.in[lexeme] = slices.Clone(in)
			case limited:
				for field, is := range in {
					own[field] = own[field] || is
				}
			}
			lexemes[lexeme] = true
		}
	}
	return len(lexemes) <= maxExpansions
}

// beginWith returns the lexemes with postings that begin with a prefix.
func (a *accelerated) beginWith(prefix string) []string {
	list, known := a.begins[prefix]
	if known {
		return list
	}
	list = a.commonWith(prefix)
	if a.begins == nil {
		a.begins = map[string][]string{}
	}
	a.begins[prefix] = list
	return list
}
