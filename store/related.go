package store

import (
	"context"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/bodywords"
	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// Words of queries also stand for other words of the index: those that they misspell or begin. The vocabulary knows them.

// Related returns, for each of the asked words, up to five words of the index that it may be a misspelling of, nearest first, then by documents. They
// are at distance 1, for words of eight or more letters also at distance 2; a transposition counts 1 and a wrong first letter 2. There are none for
// words of fewer than four or more than 26 letters, words with digits, and words in 50 or more documents. For a rarer word that the index knows there
// are only those in at least 20 times as many documents, and its other forms; if the index has it in other forms, all forms of both count. For a word
// that the index has in no form, and that has no word at distance 1, there are words whose stems are at distance 1 from its own
// (vocabulary/nearforms.go). For a prefix of five or more letters that the index does not know, there are also up to five words that begin with
// something at distance 1 from it, if words with the prefix are in no more than a twentieth of their documents. A word with two letters for one
// (analysis.Contracted) that the index knows in neither spelling may be a misspelling in both. Of a long query, the first 16 such words are looked up.
//
// It also returns the words with the prefix, those in the most documents first, which of the words documents write together or apart
// (vocabulary/written.go), and which of the asked forms and lexemes the index has.
func (s *Store) Related(ctx context.Context, ix *service.Index, ask service.AskedWords) (*service.RelatedWords, error) {
	q := &relatedQuestion{store: s, ix: ix, AskedWords: ask, prefix: ask.Prefix,
		answer: &service.RelatedWords{Near: map[string][]service.NearWord{}, Known: map[string]bool{}, Lexemes: map[string]bool{}, Joined: map[service.WordPair]int64{}, JoinedForms: map[service.WordPair][]service.Completion{}}}
	if len(ask.Gone) == 0 {
		q.key = seenKey(ix, ask)
		if seen, ok := s.words.seen.get(ix, q.key); ok {
			return seen, nil
		}
	}
	if err := q.answerKnown(ctx); err != nil {
		return nil, s.searchError(err)
	}
	if len(q.Words)+len(q.Pairs)+len(q.Forms)+len(q.Lexemes)+len(q.Letters)+len(q.Nouns)+len(q.Heads)+len(q.Initials) == 0 && q.Prefix == "" {
		if q.begun == nil {
			return q.answer, nil
		}
		err := s.followed(ctx, ix, func(ctx context.Context, _ table.Relations, _ int) (int, error) { return 0, q.addBeside(ctx) })
		return q.answer, err
	}
	err := s.followed(ctx, ix, q.look)
	return q.answer, err
}

// relatedQuestion is a lookup in progress for the words of a search: its AskedWords are those still to be looked up.
type relatedQuestion struct {
	service.AskedWords
	store    *Store
	ix       *service.Index
	answer   *service.RelatedWords
	prefix   string               // as asked
	key      string               // key under which the answer is remembered; "" if it is not
	begun    *begunWords          // what is remembered of the prefix, nil if that must be looked up
	frequent *vocabulary.Frequent // nil if unknown or not needed
	spelled  map[string]string    // words that are asked only because they are other spellings of others, by these
}

// word returns the key of a word in the caches.
func (q *relatedQuestion) word(word string) wordKey { return wordKey{q.ix.ID, q.ix.Version, word} }

// isFrequent reports whether it is known without a query that enough documents have a word for it not to be a misspelling.
func (q *relatedQuestion) isFrequent(word string) bool {
	_, met := q.store.words.met.Get(q.word(word))
	return (met || q.frequent.Of(word) > 0) && !slices.Contains(q.Gone, word)
}

// answerKnown answers what is known without the vocabulary, and leaves the rest to be looked up.
func (q *relatedQuestion) answerKnown(ctx context.Context) error {
	s := q.store
	if len(q.Words)+len(q.Pairs) > 0 {
		q.frequent = s.frequent(ctx, q.ix)
	}
	q.Words = vocabulary.ToAsk(q.answer, q.Words, q.isFrequent)
	q.askSpelled()
	q.Forms = slices.DeleteFunc(slices.Clone(q.Forms), func(form string) bool {
		known := q.isFrequent(form)
		q.answer.Known[form] = q.answer.Known[form] || known
		return known
	})
	if len(q.Lexemes) > 0 {
		x, err := s.accelerator(ctx, q.ix.ID)
		if err != nil {
			return err
		}
		q.Lexemes = slices.DeleteFunc(slices.Clone(q.Lexemes), func(lexeme string) bool {
			q.answer.Lexemes[lexeme] = x.documentsWith(lexeme) > 0
			return q.answer.Lexemes[lexeme]
		})
	}
	frequentForms := map[service.WordPair][]service.Completion{}
	listed := func(word string) bool { return q.isFrequent(word) && q.frequent.Covers(word) }
	q.Pairs = slices.DeleteFunc(slices.Clone(q.Pairs), func(p service.WordPair) bool {
		if p.Hyphen || !listed(p.First) || !listed(p.Second) {
			return false
		}
		if n := q.frequent.Together(p); n > 0 && !slices.Contains(q.Gone, p.Joined()) {
			q.answer.Joined[p] = n
		} else if forms := q.frequent.MayBeForms(p); len(forms) > 0 {
			frequentForms[p] = forms
		}
		return true
	})
	if err := q.addPairForms(ctx, frequentForms); err != nil {
		return err
	}
	if !bodywords.Completed(q.Prefix) {
		begun, err := s.begunNumbers(ctx, q.ix, q.Prefix, q.Limit)
		if err != nil {
			return err
		}
		q.answer.Completions, q.answer.Enough = begun, len(begun) > 0
		q.Prefix = ""
	}
	if known, ok := s.words.begun.Get(q.word(q.Prefix)); ok && isShort(q.Prefix) {
		q.answer.Completions, q.answer.Whole, q.answer.WholeShare, q.answer.Enough = known.completions, known.whole, known.share, true
		q.Prefix, q.begun = "", &known
	}
	return nil
}

// askSpelled also asks for words that are written with two letters for one, with that letter: muenchn may have a typo in munchen.
func (q *relatedQuestion) askSpelled() {
	q.spelled = map[string]string{}
	for _, word := range q.Words {
		other := analysis.Contracted(q.ix.Settings.Language, word)
		if other != "" && spelling.Limit(other) > 0 && !q.isFrequent(other) && !slices.Contains(q.Words, other) {
			q.spelled[word] = other
			q.Words = append(q.Words, other)
		}
	}
}

// isShort reports whether a prefix probably has so many words that those it stands for are remembered.
func isShort(prefix string) bool {
	return prefix != "" && utf8.RuneCountInString(prefix) <= begunLetters
}

// look looks up what is left. logged is the length of the change log that the answer does not cover.
func (q *relatedQuestion) look(ctx context.Context, r table.Relations, peek int) (logged int, err error) {
	s, answer := q.store, q.answer
	found, err := s.related(ctx, q.ix, r, peek, q.AskedWords, q.frequent.Surely())
	if err != nil {
		return 0, err
	}
	ix := wordsIndex{s, q.ix}
	begun := ""
	if q.begun != nil || len(found.Completions) > 0 {
		begun = q.prefix
	}
	if err := found.LeaveOtherStems(ctx, ix, q.ix.Settings.Language, begun, q.Words); err != nil {
		return 0, err
	}
	if err := found.AddNearForms(ctx, ix, r, q.AskedWords); err != nil {
		return 0, err
	}
	found.AddNearSpelled(q.Words, q.spelled)
	if err := q.addCompounds(ctx, ix, r, found); err != nil {
		return 0, err
	}
	if err := found.AddSplits(ctx, ix, r, q.AskedWords, q.ix.Settings.Language); err != nil {
		return 0, err
	}
	found.SplitSpelled(q.Words, q.spelled)
	if err := found.AddSeries(ctx, ix, r, q.AskedWords); err != nil {
		return 0, err
	}
	if err := s.haveLexemes(ctx, q.ix, q.Lexemes, answer.Lexemes); err != nil {
		return 0, err
	}
	for _, w := range q.Forms {
		answer.Known[w] = answer.Known[w] || found.KnownForms[w]
	}
	maps.Copy(answer.Joined, found.Joined)
	if err := q.addPairForms(ctx, found.PairForms); err != nil {
		return 0, err
	}
	answer.Parted, answer.Going, answer.Seldom, answer.Around, answer.Compounds, answer.Split, answer.Series = found.Parted, found.Going, found.Seldom, found.Around, found.Compounds, found.Split, found.Series
	for i, w := range q.Words[:len(q.Words)-len(q.spelled)] {
		answer.Near[w], answer.Known[w] = found.Near[i], found.Documents[i] > 0
		if found.Documents[i] >= vocabulary.FrequentFrom {
			s.words.met.Put(q.word(w), struct{}{})
		}
	}
	if err := s.addHalfStopped(ctx, q.ix, answer, q.Prefix, found.Completions); err != nil {
		return 0, err
	}
	many := q.begun != nil
	if q.Prefix != "" {
		many = found.Many
		answer.Completions, answer.Enough = found.Completions, found.Enough && found.Logged <= freshLog
		if found.Many {
			vocabulary.LeaveRareNear(answer, q.Prefix)
		}
		answer.Whole, answer.WholeShare = found.Whole, found.WholeShare()
		if isShort(q.Prefix) && found.Many && found.Logged == 0 {
			s.words.begun.Put(q.word(q.Prefix), begunWords{found.Completions, found.Whole, answer.WholeShare, found.State})
		}
	}
	if many {
		if err := q.addBeside(ctx); err != nil {
			return 0, err
		}
	}
	if err := q.addInitials(ctx); err != nil {
		return 0, err
	}
	// What is remembered for a state is valid as long as the index is in that state, so all of it must be of that state.
	if q.key != "" && found.Logged == 0 && (q.begun == nil || q.begun.state == found.State) {
		s.words.seen.put(q.ix, q.key, found.State, answer)
	}
	if found.Followed {
		return 0, nil
	}
	return found.Logged, nil
}

// addCompounds adds the compounds of the asked heads, without a lookup those that are remembered for the state of the vocabulary.
func (q *relatedQuestion) addCompounds(ctx context.Context, ix wordsIndex, r table.Relations, found *vocabulary.Found) error {
	cache, rest, atRest := &q.store.words.compounds, q.AskedWords, found.State != "" && found.Logged == 0 && len(q.Gone) == 0
	rest.Heads = slices.DeleteFunc(slices.Clone(q.Heads), func(head string) bool {
		known, ok := cache.Get(q.word(head))
		if ok = ok && atRest && known.state == found.State; ok {
			found.Compounds[head] = known.list
		}
		return ok
	})
	if err := found.AddCompounds(ctx, ix, r, rest, q.ix.Settings.Language); err != nil {
		return err
	}
	for _, head := range rest.Heads {
		if atRest {
			cache.Put(q.word(head), compoundWords{found.Compounds[head], found.State})
		}
	}
	return nil
}

// addPairForms adds to the answer the other forms of pairs: those of the given words that have the same stem.
func (q *relatedQuestion) addPairForms(ctx context.Context, of map[service.WordPair][]service.Completion) error {
	if len(of) == 0 {
		return nil
	}
	var words []string
	for pair, forms := range of {
		words = append(words, pair.Joined())
		for _, form := range forms {
			words = append(words, form.Word)
		}
	}
	lexemes, err := q.store.Lexemes(ctx, q.ix.Settings.Language, words)
	if err != nil {
		return err
	}
	stems := make(map[string][]string, len(words))
	for i, word := range words {
		stems[word] = lexemes[i]
	}
	for pair, forms := range of {
		stem := stems[pair.Joined()]
		forms = slices.DeleteFunc(slices.Clone(forms), func(form service.Completion) bool {
			return len(stem) == 0 || !slices.Equal(stems[form.Word], stem) || slices.Contains(q.Gone, form.Word)
		})
		if len(forms) > 0 {
			q.answer.JoinedForms[pair] = forms // in place of those of an earlier lookup, before what was just written was processed
		}
	}
	return nil
}
