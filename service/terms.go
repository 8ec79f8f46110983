package service

import (
	"cmp"
	"context"
	"slices"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// What a match gives, as a share of what the word as written gives.
const (
	synonymFactor = 0.9
	// formFactor is for the stem of a word in fields that are not stemmed: names are meant as they are written. It
	// is also for a word that is the stem of another one but has a stem of its own: it may be another word.
	formFactor = 0.5
	// spellingFactor is for another spelling of the same word: documents that spell it as the query does come first.
	spellingFactor = 0.9
	// writtenFactor is for words that documents write together, or apart: documents that write them as the query does come first.
	writtenFactor = 0.5
	// sharedShare is the share of writtenFactor for two words written as one with a letter missing: a slip, but
	// documents with both words explain it better than any word close to it.
	sharedShare = 0.8
	// restFactor is for the rest of a word beside a letter or a unit that is a stop word: tshirt finds shirts of any kind.
	restFactor   = 0.25
	prefixFactor = 0.8
	// endingFactor is for a pair that ends with a letter, a little less than for one that begins with it. A letter
	// within a text is in one pair of each kind: with the same factor, they would be counted together, as two letters.
	endingFactor = 0.79
	// otherFormFactor is for another form of the word, by its ending, that has a stem of its own.
	otherFormFactor = 0.8
	// compoundFactor is for a compound that has the word as a part: it may be so only by chance.
	compoundFactor = 0.5
	// partPrefixFactor is lower: the beginning of an identifier is also that of its first part, and a whole identifier should still come first.
	partPrefixFactor = 0.5
	// numberBegunFactor is for an identifier that begins with a number: 15 is one thing, and the article number 1594253433095 another. A title that
	// has the number should come first, and so the identifier must not count as named by the query (see leastNaming).
	numberBegunFactor = 0.4
	// bareFactor is for an identifier without its punctuation. It has fewer lexemes, and so counts for more.
	bareFactor = 0.6
	// typoFactor is low enough for a word close to the query's to give less than the word itself does in all
	// but very long documents.
	typoFactor = 0.3
	// twoTyposFactor is for a word with two errors, which is less likely to be meant than one with a single error.
	twoTyposFactor = 0.2
	// begunTypoFactor is for a word that begins with something close to a last word.
	begunTypoFactor = typoFactor * prefixFactor
)

// maxCompletions bounds the words of the index that a prefix stands for: those in the most documents. The others
// are found as soon as another letter is typed.
const maxCompletions = 64

// termPlanner turns the terms of a query into what the fields of one index are searched for.
type termPlanner struct {
	store    Store
	ix       *Index
	fields   []Field
	analyses map[mapping.Analysis]bool
	typos    bool
	// after is the cursor to continue from; nil on a first page.
	after *Cursor
	// gone are words that the vocabulary has but no document does, and words with hyphens that found nothing.
	gone []string
	// apart are words that found nothing, with the two words that each may be.
	apart map[string][2]string
	// split are these and compounds that no document has, of which the parts are searched, by where they start in the query.
	split map[int]split
	// stems holds the lexemes of words. related are the words that the query's words may stand for, unsplit those that they may stand for before compounds
	// are split; prefix is the query's last word; "" if that is finished.
	stems            map[string][]string
	related, unsplit *RelatedWords
	prefix           string
	// words are the stop words and synonyms of the index; synonyms are those of each term of the query's clauses.
	words    *wordSettings
	synonyms [][]synonym
	// whole and wholeExact are the query as one value, folded and as written; "" if it has operators.
	whole, wholeExact string
	// begun reports whether the query's last word may go on.
	begun bool
	// onlyStopped reports whether the query has nothing but stop words: hasOnlyStopped. Then it also asks for texts of nothing else, which keep theirs.
	onlyStopped bool
}

// plan fills in the terms of a plan.
func (t *termPlanner) plan(ctx context.Context, q query.Query, p *Plan) error {
	t.analyses, t.split = map[mapping.Analysis]bool{}, map[int]split{}
	for _, f := range t.fields {
		t.analyses[f.Analysis] = true
	}
	if q.Whole != "" {
		t.whole, t.wholeExact = analysis.Whole(analysis.Fold(q.Whole)), analysis.Whole(q.Whole)
		t.begun = slices.ContainsFunc(q.Clauses, func(c query.Clause) bool { return c.Any[len(c.Any)-1].Prefix })
	}
	q = t.takeApart(q)
	if err := t.look(ctx, q); err != nil {
		return err
	}
	t.unsplit = t.related
	seen := t.related.Seen
	if apart := t.splitCompounds(q); len(t.split) > 0 {
		q = apart
		if err := t.look(ctx, q); err != nil {
			return err
		}
		seen = cmp.Or(seen, t.related.Seen)
	}
	if seen != "" {
		p.Words = &SeenWords{State: seen}
	}
	p.Terms = merge(t.clauses(q))
	if t.stemmed() && t.hasOnlyStopped(p.Terms) {
		t.onlyStopped, p.OnlyStopped = true, true
		p.Terms = keptIn(p.Terms, merge(t.clauses(q)))
	}
	for _, raw := range q.Excluded {
		term := t.term(raw, false)
		t.excludeNumber(&term, p)
		if !term.unknown() {
			p.Excluded = append(p.Excluded, term)
		}
	}
	// A query of nothing but punctuation still asks for something, so it does not find everything.
	asked := len(q.Clauses) > 0 || len(q.Excluded) == 0 && q.Text != ""
	p.Terms = rankable(slices.DeleteFunc(p.Terms, func(term Term) bool { return term.unknown() && term.Optional }), t.fields)
	requireStopped(p.Terms)
	if p.Match == MatchAll && slices.ContainsFunc(p.Terms, Term.unknown) {
		p.Nothing = true
	}
	if asked && len(p.Terms) == 0 || len(t.fields) == 0 && len(p.Terms) > 0 {
		p.Nothing = true
	}
	if p.Nothing {
		p.Terms, p.Excluded = nil, nil
		return nil
	}
	p.Terms = rankable(append(p.Terms, t.parts(q, p.Terms)...), t.fields)
	return nil
}

// clauses plans the terms of a query's clauses.
func (t *termPlanner) clauses(q query.Query) []Term {
	var each []Term
	for _, raw := range q.Terms() {
		term := t.term(raw, true)
		t.applySplit(raw, &term)
		t.preferTogether(raw, &term)
		each = append(each, term)
	}
	t.applySynonyms(each)
	t.applyWritten(q, each)
	t.applyNumbers(q, each)
	t.applyInitials(q, each)
	var terms []Term
	for _, clause := range q.Clauses {
		term := each[0]
		for _, other := range each[1:len(clause.Any)] {
			term = either(term, other)
		}
		terms, each = append(terms, term), each[len(clause.Any):]
	}
	return terms
}

// unknown reports whether no field can have the term.
func (t Term) unknown() bool {
	for _, list := range t.Alternatives {
		if len(list) > 0 {
			return false
		}
	}
	return true
}

// worded reports whether the term has a word, not only punctuation.
func (t Term) worded() bool { return len(analysis.Words(t.Text)) > 0 }

// known reports whether the vocabulary has a word, and some field is searched for it as it is or stemmed.
func (t *termPlanner) known(word string) bool {
	return t.related.Known[word] && !(t.stemmed() && t.stopped(word))
}

// look asks the store for what the terms need to know, each kind of it at once.
func (t *termPlanner) look(ctx context.Context, q query.Query) error {
	var words []string
	collect := func(raw query.Term, included bool) {
		for _, token := range analysis.Words(raw.Text) {
			words = append(words, token.Text)
		}
		for _, other := range t.spellings(raw, included) {
			words = append(words, other...)
		}
	}
	for _, raw := range q.Terms() {
		collect(raw, true)
		if singleWord(raw) != "" {
			words = append(words, humps(raw.Text)...)
		}
	}
	for _, raw := range q.Excluded {
		collect(raw, false)
	}
	t.synonyms = t.words.synonymsOf(q)
	for _, list := range t.synonyms {
		for _, other := range list {
			words = append(words, other.words...)
		}
	}
	asked := askedOf(q)
	if t.prefix = asked.Prefix; t.prefix != "" {
		words = append(words, t.prefix)
	}
	if !t.typos {
		asked.Words, asked.Pairs = nil, nil
	}
	asked.Beside = slices.DeleteFunc(asked.Beside, func(word string) bool { return t.words.stop[word] })
	t.related = &RelatedWords{}
	t.stems = map[string][]string{}
	if err := t.askInitials(ctx, q, &asked); err != nil {
		return err
	}
	if err := t.askForms(ctx, q, &asked); err != nil {
		return err
	}
	if len(asked.Words)+len(asked.Pairs)+len(asked.Forms)+len(asked.Lexemes)+len(asked.Letters)+len(asked.Nouns)+len(asked.Heads)+len(asked.Initials) > 0 || t.prefix != "" {
		asked.Gone = slices.DeleteFunc(slices.Clone(t.gone), func(text string) bool { return !Storable(text) }) // phrases may be anything
		var err error
		if t.related, err = t.store.Related(ctx, t.ix, asked); err != nil {
			return err
		}
	}
	words = append(words, t.related.words()...)
	for _, form := range asked.Forms {
		if t.related.Known[form] {
			words = append(words, form)
		}
	}
	if t.typos {
		words = append(words, numberWords(q)...)
	}
	if err := t.stem(ctx, words); err != nil {
		return err
	}
	return t.stem(ctx, t.forms(q))
}

// forms returns the stems of a query's words that are also looked for in fields without stemming.
func (t *termPlanner) forms(q query.Query) (list []string) {
	if !t.analyses[mapping.Plain] {
		return nil
	}
	for _, raw := range q.Terms() {
		if form := t.form(raw); form != "" {
			list = append(list, form)
		}
	}
	return list
}

// maxLetters bounds the letters of a query that are looked up as parts of pairs.
const maxLetters = 8

// addLetter asks for the pairs that contain a word, if it is one letter of a script without spaces.
func (a *AskedWords) addLetter(word string) {
	if len(analysis.Letters(word)) == 1 && len(a.Letters) < maxLetters && !slices.Contains(a.Letters, word) {
		a.Letters = append(a.Letters, word)
	}
}

// askedOf returns the words of a query for which the index is asked for related words: those that may be
// misspelled, those that may be one word with the next, and the last one, if it may go on.
func askedOf(q query.Query) AskedWords {
	asked := AskedWords{Pairs: pairsOf(q), Limit: maxCompletions}
	for _, clause := range q.Clauses {
		for _, raw := range clause.Any {
			begun, tokens := beginning(raw), analysis.Words(raw.Text)
			if len(begun) > 0 {
				asked.Prefix = begun[len(begun)-1]
			}
			if len(tokens) == 1 && !raw.Phrase {
				asked.Words = append(asked.Words, tokens[0].Text)
				asked.addLetter(tokens[0].Text)
			}
			if len(begun) == 0 && len(clause.Any) == 1 {
				for _, token := range tokens {
					asked.Beside = append(asked.Beside, token.Text)
				}
			}
		}
	}
	for _, pair := range asked.Pairs {
		if joined := pair.Joined(); pair.isModel() && !slices.Contains(asked.Words, joined) {
			asked.Words = append(asked.Words, joined) // which documents may have as other words
		}
	}
	return asked
}

// words returns all words that those of a query may stand for.
func (r *RelatedWords) words() (list []string) {
	for _, near := range r.Near {
		for _, n := range near {
			list = append(list, n.Word)
		}
	}
	for _, c := range r.Completions {
		list = append(list, c.Word)
	}
	for _, of := range []map[string][]Completion{r.Around, r.Compounds} {
		for _, words := range of {
			for _, c := range words {
				list = append(list, c.Word)
			}
		}
	}
	for pair := range r.Joined {
		list = append(list, pair.Joined())
	}
	for _, forms := range r.JoinedForms {
		for _, form := range forms {
			list = append(list, form.Word)
		}
	}
	for _, ways := range r.Parted {
		for _, parts := range ways {
			list = append(list, parts.First, parts.Second)
		}
	}
	for _, series := range r.Series {
		list = append(list, series...)
	}
	for _, c := range r.Going {
		list = append(list, c.Word)
	}
	for word := range r.Seldom {
		if MayBeInitials(word) {
			list = append(list, lettersOf(word)...)
		}
	}
	return list
}

// stem looks up the lexemes of words. Even if no field is stemmed, they tell which words are stop words.
func (t *termPlanner) stem(ctx context.Context, words []string) error {
	if !t.searchesWords() || len(words) == 0 {
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

// searchesWords reports whether there are fields that are searched for words, not only for whole values and their parts.
func (t *termPlanner) searchesWords() bool { return t.analyses[mapping.Plain] || t.stemmed() }

func (t *termPlanner) stemmed() bool {
	for a := range t.analyses {
		if a.Stems() {
			return true
		}
	}
	return false
}

// either joins two terms by OR: one of them is enough.
func either(a, b Term) Term {
	a.Text += " OR " + b.Text
	a.either = true
	a.Optional = a.Optional && b.Optional
	a.Stopped = a.Stopped || b.Stopped
	for analysis, list := range b.Alternatives {
		a.Alternatives[analysis] = append(a.Alternatives[analysis], list...)
	}
	return a
}

// merge joins equal terms: how often a query has a word says how much it matters there.
func merge(terms []Term) []Term {
	type meaning struct {
		text   string
		either bool
	}
	var merged []Term
	at := map[meaning]int{}
	for _, term := range terms {
		key := meaning{analysis.Fold(term.Text), term.either}
		if i, ok := at[key]; ok {
			merged[i].Repeats++
			for a, list := range term.Alternatives {
				merged[i].Alternatives[a] = together(merged[i].Alternatives[a], list)
			}
			continue
		}
		at[key] = len(merged)
		merged = append(merged, term)
	}
	return merged
}

// together returns the ways to find a word by either of its occurrences in a query: one may have synonyms, or be the beginning of other words, and a
// case-sensitive value may be written in several ways. Mostly one of the lists begins as the other does.
func together(a, b []Alternative) []Alternative {
	if len(b) > len(a) {
		a, b = b, a
	}
	for i, one := range b {
		same := func(other Alternative) bool { return slices.Equal(other.Sequence, one.Sequence) }
		if !same(a[i]) && !slices.ContainsFunc(a, same) {
			a = append(slices.Clip(a), one)
		}
	}
	return a
}
