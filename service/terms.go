package service

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// What a find gives, as a share of what the word as it was written gives.
const (
	synonymFactor = 0.9
	prefixFactor  = 0.8
	// typoFactor is low enough for a word close to the query's to give less than the word itself does in all
	// but very long documents.
	typoFactor = 0.3
)

// maxCompletions bounds the words of the index that a prefix stands for: those in the most documents. What is
// behind them is found as soon as another letter is typed.
const maxCompletions = 64

// typoLength is the least length in letters of a word that is searched with typos.
const typoLength = 4

// termPlanner turns the terms of a query into what the fields of one index are searched for.
type termPlanner struct {
	store    Store
	ix       *Index
	fields   []Field
	analyses map[mapping.Analysis]bool
	typos    bool
	// stems holds the lexemes of words, related the words that those of the query may stand for, prefix being
	// the last.
	stems   map[string][]string
	related *RelatedWords
	prefix  string
	stop    map[string]bool
	// whole is the query as one value, folded and as written, "" where it has operators.
	whole, wholeExact string
}

// plan fills in the terms of a plan.
func (t *termPlanner) plan(ctx context.Context, q query.Query, p *Plan) error {
	t.analyses = map[mapping.Analysis]bool{}
	for _, f := range t.fields {
		t.analyses[f.Analysis] = true
	}
	t.stop = map[string]bool{}
	for _, w := range t.ix.Settings.StopWords {
		t.stop[analysis.Fold(strings.TrimSpace(w))] = true
	}
	if q.Whole != "" {
		t.whole, t.wholeExact = analysis.Whole(analysis.Fold(q.Whole)), analysis.Whole(q.Whole)
	}
	if err := t.look(ctx, q); err != nil {
		return err
	}
	var terms []Term
	for _, clause := range q.Clauses {
		var term Term
		for i, raw := range clause.Any {
			one := t.term(raw, true)
			if i == 0 {
				term = one
			} else {
				term = either(term, one)
			}
		}
		terms = append(terms, term)
	}
	t.applySynonyms(q, terms)
	terms = slices.DeleteFunc(terms, func(term Term) bool { return t.stop[analysis.Fold(term.Text)] })
	p.Terms = merge(terms)
	for _, raw := range q.Excluded {
		if term := t.term(raw, false); !term.unknown() {
			p.Excluded = append(p.Excluded, term)
		}
	}
	// What was asked for, if only by punctuation, is not everything.
	asked := len(q.Clauses) > 0 || len(q.Excluded) == 0 && q.Text != ""
	p.Terms = slices.DeleteFunc(p.Terms, func(term Term) bool { return term.unknown() && term.Optional })
	optional := true
	for _, term := range p.Terms {
		optional = optional && term.Optional
	}
	for i := range p.Terms {
		if optional {
			// Nothing but stop words: what the fields without stop words hold.
			p.Terms[i].Optional = false
		}
		if p.Terms[i].unknown() && p.Match == MatchAll {
			p.Nothing = true
		}
	}
	if asked && len(p.Terms) == 0 {
		p.Nothing = true
	}
	return nil
}

// unknown tells that no field can have the term.
func (t Term) unknown() bool {
	for _, list := range t.Alternatives {
		if len(list) > 0 {
			return false
		}
	}
	return true
}

// look asks the store, in one go each, for what the terms need to know.
func (t *termPlanner) look(ctx context.Context, q query.Query) error {
	var words, typed []string
	collect := func(raw query.Term, included bool) {
		tokens := analysis.Words(raw.Text)
		for _, token := range tokens {
			words = append(words, token.Text)
		}
		if included && !raw.Phrase && len(tokens) == 1 && onlyLetters(tokens[0].Text) {
			typed = append(typed, tokens[0].Text)
		}
		if included && raw.Prefix && len(tokens) > 0 {
			t.prefix = tokens[len(tokens)-1].Text
		}
	}
	for _, clause := range q.Clauses {
		for _, raw := range clause.Any {
			collect(raw, true)
		}
	}
	for _, raw := range q.Excluded {
		collect(raw, false)
	}
	for _, syn := range t.ix.Settings.Synonyms {
		for _, list := range [][]string{syn.Equivalent, syn.To} {
			for _, w := range list {
				for _, token := range analysis.Words(w) {
					words = append(words, token.Text)
				}
			}
		}
	}
	if !t.typos {
		typed = nil
	}
	t.related = &RelatedWords{}
	t.stems = map[string][]string{}
	if len(typed) > 0 || t.prefix != "" {
		var err error
		if t.related, err = t.store.Related(ctx, t.ix, typed, t.prefix, maxCompletions); err != nil {
			return err
		}
	}
	for _, list := range t.related.Near {
		for _, n := range list {
			words = append(words, n.Word)
		}
	}
	for _, c := range t.related.Completions {
		words = append(words, c.Word)
	}
	return t.stem(ctx, words)
}

// stem looks up the lexemes of words.
func (t *termPlanner) stem(ctx context.Context, words []string) error {
	if !t.stemmed() || len(words) == 0 {
		return nil
	}
	lexemes, err := t.store.Lexemes(ctx, t.ix.Settings.Language, words)
	if err != nil {
		return err
	}
	for i, w := range words {
		t.stems[w] = lexemes[i]
	}
	return nil
}

func (t *termPlanner) stemmed() bool {
	for a := range t.analyses {
		if stems(a) {
			return true
		}
	}
	return false
}

// stems tells whether an analysis stems words.
func stems(a mapping.Analysis) bool {
	switch a {
	case mapping.Stemmed, mapping.StemmedHTML, mapping.Levels, mapping.TagWords:
		return true
	}
	return false
}

// tolerant tells whether words of an analysis are found by words close to them.
func tolerant(a mapping.Analysis) bool { return stems(a) || a == mapping.Plain }

// term plans one word or phrase; included is false for one that is excluded, which is taken literally.
func (t *termPlanner) term(raw query.Term, included bool) Term {
	term := Term{Text: raw.Text, Repeats: 1, Alternatives: map[mapping.Analysis][]Alternative{}}
	tokens := analysis.Words(raw.Text)
	words := make([]string, len(tokens))
	for i, token := range tokens {
		words[i] = token.Text
	}
	folded := analysis.Whole(analysis.Fold(raw.Text))
	prefix := included && raw.Prefix
	stopped := false
	for a := range t.analyses {
		add := func(factor float64, sequences ...[]Lexeme) {
			for _, sequence := range sequences {
				if len(sequence) > 0 && !slices.ContainsFunc(sequence, tooLong) {
					term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: factor})
				}
			}
		}
		one := func(text string) []Lexeme {
			if text == "" {
				return nil
			}
			return []Lexeme{{Text: text}}
		}
		whole := func(mark, text string, prefix bool) []Lexeme {
			if text == "" {
				return nil
			}
			return []Lexeme{{Text: mark + text, Prefix: prefix}}
		}
		goOn := func() {
			if prefix && len(words) > 0 {
				term.Alternatives[a] = append(term.Alternatives[a], t.completed(words, stems(a))...)
			}
		}
		switch a {
		case mapping.Whole:
			add(1, whole(analysis.WholeMark, folded, false))
			if included && t.whole != folded {
				add(1, whole(analysis.WholeMark, t.whole, false))
			}
			continue
		case mapping.WholeExact:
			exact := analysis.Whole(raw.Text)
			add(1, whole(analysis.ExactMark, exact, false))
			if included && t.wholeExact != exact {
				add(1, whole(analysis.ExactMark, t.wholeExact, false))
			}
			continue
		case mapping.EmailParts, mapping.PathSegments, mapping.Digits, mapping.IdentifierParts:
			for _, text := range analysis.Terms(raw.Text, a) {
				add(1, whole(analysis.WholeMark, text, false))
				if prefix {
					add(prefixFactor, whole(analysis.WholeMark, text, true))
				}
			}
			if a == mapping.IdentifierParts {
				add(1, plainSequence(words, false))
				if prefix {
					add(prefixFactor, plainSequence(words, true))
				}
			}
			continue
		case mapping.Plain:
			add(1, plainSequence(words, false))
			goOn()
		default:
			sequence, complete := t.stemSequence(words)
			add(1, sequence)
			stopped = stopped || len(words) == 1 && !complete
			goOn()
			if a == mapping.Levels || a == mapping.TagWords {
				add(1, whole(analysis.WholeMark, folded, false))
			}
		}
		if included && !raw.Phrase && len(words) == 1 && tolerant(a) {
			for _, n := range t.related.Near[words[0]] {
				if stems(a) {
					sequence, _ := t.stemSequence([]string{n.Word})
					add(typoFactor, sequence)
				} else {
					add(typoFactor, one(n.Word))
				}
			}
		}
	}
	term.Optional = stopped || len(words) == 0 && term.unknown()
	return term
}

// maxLexeme is the length in bytes of the longest lexeme that PostgreSQL takes. No document has a longer one.
const maxLexeme = 2046

func tooLong(l Lexeme) bool { return len(l.Text) > maxLexeme }

// plainSequence is words as they are, the last maybe as a prefix.
func plainSequence(words []string, prefix bool) []Lexeme {
	sequence := make([]Lexeme, len(words))
	for i, w := range words {
		sequence[i] = Lexeme{Text: w, Prefix: prefix && i == len(words)-1}
	}
	return sequence
}

// stemSequence is the lexemes of words, with gaps where stop words stood; complete tells that there were none.
func (t *termPlanner) stemSequence(words []string) (sequence []Lexeme, complete bool) {
	complete = true
	gap := 0
	for _, w := range words {
		gap++
		lexemes := t.stems[w]
		if len(lexemes) == 0 {
			complete = false
			continue
		}
		l := Lexeme{Text: lexemes[0], Gap: gap}
		if len(sequence) == 0 {
			l.Gap = 0
		}
		sequence = append(sequence, l)
		gap = 0
	}
	return sequence, complete
}

// completed is what a last word that may go on is searched for besides itself: the words of the index that begin
// with it, or their lexemes where words are stemmed. Where these words are not known, it is all lexemes that begin
// with it.
func (t *termPlanner) completed(words []string, stemmed bool) []Alternative {
	last := words[len(words)-1]
	before := plainSequence(words[:len(words)-1], false)
	if stemmed {
		before, _ = t.stemSequence(words[:len(words)-1])
	}
	with := func(l Lexeme) []Lexeme { return append(slices.Clone(before), l) }
	if !t.related.Enough || last != t.prefix {
		if tooLong(Lexeme{Text: last}) {
			return nil
		}
		every := Alternative{Sequence: with(Lexeme{Text: last, Prefix: true}), Factor: prefixFactor}
		if list := t.related.Completions; last == t.prefix && len(list) > 0 && len(before) == 0 {
			every.Documents = list[0].Documents
		}
		return []Alternative{every}
	}
	var list []Alternative
	place := map[string]int{}
	for _, c := range t.related.Completions {
		lexeme := c.Word
		own := c.Word == last
		if stemmed {
			stems := t.stems[c.Word]
			if len(stems) == 0 {
				continue
			}
			lexeme = stems[0]
			own = slices.Contains(t.stems[last], lexeme)
		}
		if own || tooLong(Lexeme{Text: lexeme}) {
			continue // found as it is written
		}
		documents := c.Documents
		if len(before) > 0 {
			documents = 0 // known is only how many have the last word
		}
		if i, ok := place[lexeme]; ok {
			list[i].Documents = max(list[i].Documents, documents)
			continue
		}
		place[lexeme] = len(list)
		list = append(list, Alternative{Sequence: with(Lexeme{Text: lexeme}), Factor: prefixFactor, Documents: documents})
	}
	return list
}

// either joins two terms of which one is enough.
func either(a, b Term) Term {
	a.Text += " OR " + b.Text
	a.Optional = a.Optional && b.Optional
	for analysis, list := range b.Alternatives {
		a.Alternatives[analysis] = append(a.Alternatives[analysis], list...)
	}
	return a
}

// merge joins terms that are the same; how often a query has a word says how much it means there.
func merge(terms []Term) []Term {
	var merged []Term
	at := map[string]int{}
	for _, term := range terms {
		key := analysis.Fold(term.Text)
		if i, ok := at[key]; ok {
			merged[i].Repeats++
			for a, list := range term.Alternatives {
				if len(list) > len(merged[i].Alternatives[a]) {
					merged[i].Alternatives[a] = list
				}
			}
			continue
		}
		at[key] = len(merged)
		merged = append(merged, term)
	}
	return merged
}

// applySynonyms adds to each term what its synonyms are found by. An entry of several words goes to the terms
// that stand for them one after the other.
func (t *termPlanner) applySynonyms(q query.Query, terms []Term) {
	texts := make([]string, len(q.Clauses))
	for i, c := range q.Clauses {
		if len(c.Any) == 1 {
			texts[i] = strings.Join(wordsOf(c.Any[0].Text), " ")
		}
	}
	for _, syn := range t.ix.Settings.Synonyms {
		from, to := syn.Equivalent, syn.Equivalent
		if len(syn.From) > 0 {
			from, to = syn.From, syn.To
		}
		for _, f := range from {
			entry := strings.Join(wordsOf(f), " ")
			for i := range texts {
				n := spans(texts[i:], entry)
				for j := i; j < i+n; j++ {
					for _, other := range to {
						if strings.Join(wordsOf(other), " ") != entry {
							t.addSynonym(&terms[j], other)
						}
					}
				}
			}
		}
	}
}

// spans tells how many of the first texts together are entry; 0 when they are not.
func spans(texts []string, entry string) int {
	joined := ""
	for i, text := range texts {
		if text == "" {
			return 0
		}
		if joined != "" {
			joined += " "
		}
		joined += text
		if joined == entry {
			return i + 1
		}
		if !strings.HasPrefix(entry, joined) {
			return 0
		}
	}
	return 0
}

func wordsOf(text string) []string {
	tokens := analysis.Words(text)
	words := make([]string, len(tokens))
	for i, token := range tokens {
		words[i] = token.Text
	}
	return words
}

func (t *termPlanner) addSynonym(term *Term, text string) {
	words := wordsOf(text)
	for a := range t.analyses {
		var sequence []Lexeme
		switch {
		case stems(a):
			sequence, _ = t.stemSequence(words)
		case a == mapping.Plain:
			sequence = plainSequence(words, false)
		case a == mapping.Whole:
			sequence = []Lexeme{{Text: analysis.WholeMark + analysis.Whole(analysis.Fold(text))}}
		case a == mapping.WholeExact:
			sequence = []Lexeme{{Text: analysis.ExactMark + analysis.Whole(text)}}
		}
		if len(sequence) > 0 {
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: synonymFactor})
		}
	}
}

// onlyLetters tells whether a word has nothing but letters, and enough of them to have a typo.
func onlyLetters(word string) bool {
	if utf8.RuneCountInString(word) < typoLength {
		return false
	}
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
	}
	return true
}
