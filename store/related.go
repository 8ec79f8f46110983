package store

import (
	"context"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/bodywords"
	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/table"
)

// Words of a query stand for other words of the index, too: for those that they misspell, or begin. The vocabulary tells which.

const (
	// nearRarer is how many times rarer than a word close to it a known word must be to be taken for a typo.
	nearRarer = 20
	// maxNear bounds the words that one word is searched as.
	maxNear = 5
	// maxCandidates bounds the words that one is compared with; those in the most documents are.
	maxCandidates = 3000
	// maxNearWords bounds the words of one query that are searched with typos.
	maxNearWords = 16
)

// Related returns, for each of the asked words, up to five words of the index that it may be a misspelling of, nearest
// first, then in most documents: at distance 1, for words of eight letters and more at distance 2, where a
// transposition counts 1 and a wrong first letter 2. Words of fewer than four letters or more than 26, or with digits, have none, nor have words
// of 50 documents and more; another one that the index knows has only such that are in at least 20 times as many, and its other forms.
// If it has the word in other forms only, all forms of both count. One that it has in no form, nor one at distance 1, has words whose stems
// are at distance 1 from its own (nearforms.go). The prefix,
// from five letters on, also has up to five words that begin with something at distance 1 from it, if the index does not know
// it, and words that begin with it are in no more than a twentieth of theirs. Of a long query the first 16 such words are looked up.
//
// It also returns the words that begin with the prefix, those in the most documents first, and which of the words are written
// together or apart in documents (writtentogether.go), which of the asked forms the index has, and which of the asked lexemes.
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
	if len(q.Words)+len(q.Pairs)+len(q.Forms)+len(q.Lexemes)+len(q.Letters) == 0 && q.Prefix == "" {
		if q.begun == nil {
			return q.answer, nil
		}
		err := s.followed(ctx, ix, func(ctx context.Context, _ table.Relations, _ int) (int, error) { return 0, q.addBeside(ctx) })
		return q.answer, err
	}
	err := s.followed(ctx, ix, q.look)
	return q.answer, err
}

// relatedQuestion is a question of a search for words, on its way to the answer: the asked words are those that are still to be
// looked up.
type relatedQuestion struct {
	service.AskedWords
	store    *Store
	ix       *service.Index
	answer   *service.RelatedWords
	prefix   string         // as it was asked for
	key      string         // under which the answer is remembered; "" if it is not
	begun    *begunWords    // what was remembered of the prefix, nil where it is to be looked up
	frequent *frequentWords // nil where they are not known, or not asked for
}

// word is the key of a word in the caches.
func (q *relatedQuestion) word(word string) wordKey { return wordKey{q.ix.ID, q.ix.Version, word} }

// isFrequent tells without asking that enough documents have a word for it to be no misspelling.
func (q *relatedQuestion) isFrequent(word string) bool {
	_, met := q.store.words.met.Get(q.word(word))
	return (met || q.frequent.of(word) > 0) && !slices.Contains(q.Gone, word)
}

// answerKnown answers what is known without the vocabulary, and leaves the rest to be looked up.
func (q *relatedQuestion) answerKnown(ctx context.Context) error {
	s := q.store
	if len(q.Words)+len(q.Pairs) > 0 {
		q.frequent = s.frequent(ctx, q.ix)
	}
	q.Words = wordsToAsk(q.answer, q.Words, q.isFrequent)
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
	q.Pairs = slices.DeleteFunc(slices.Clone(q.Pairs), func(p service.WordPair) bool {
		if q.frequent == nil || p.Hyphen || !q.isFrequent(p.First) || !q.isFrequent(p.Second) {
			return false
		}
		if n := q.frequent.together(p); n > 0 && !slices.Contains(q.Gone, p.Joined()) {
			q.answer.Joined[p] = n
		} else if forms := q.frequent.mayBeForms(p); len(forms) > 0 {
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

// isShort tells that a prefix has so many words that those which it stands for are remembered.
func isShort(prefix string) bool {
	return prefix != "" && utf8.RuneCountInString(prefix) <= begunLetters
}

// look looks up what is left. logged is how long the change log is that the answer leaves out.
func (q *relatedQuestion) look(ctx context.Context, r table.Relations, peek int) (logged int, err error) {
	s, answer := q.store, q.answer
	found, err := s.related(ctx, q.ix, r, peek, q.AskedWords, q.frequent.surely())
	if err != nil {
		return 0, err
	}
	if err := s.leaveOtherStems(ctx, q.ix, q.Words, found); err != nil {
		return 0, err
	}
	if err := s.addNearForms(ctx, q.ix, r, q.AskedWords, found); err != nil {
		return 0, err
	}
	if err := s.haveLexemes(ctx, q.ix, q.Lexemes, answer.Lexemes); err != nil {
		return 0, err
	}
	for _, w := range q.Forms {
		answer.Known[w] = answer.Known[w] || found.forms[w]
	}
	maps.Copy(answer.Joined, found.joined)
	if err := q.addPairForms(ctx, found.pairForms); err != nil {
		return 0, err
	}
	answer.Parted, answer.Going, answer.Seldom, answer.Around = found.parted, found.going, found.seldom, found.around
	for i, w := range q.Words {
		answer.Near[w], answer.Known[w] = found.near[i], found.documents[i] > 0
		if found.documents[i] >= nearDocuments {
			s.words.met.Put(q.word(w), struct{}{})
		}
	}
	if err := s.addLettered(ctx, q.ix, answer); err != nil {
		return 0, err
	}
	many := q.begun != nil
	if q.Prefix != "" {
		many = found.many
		answer.Completions, answer.Enough = found.completions, found.enough && found.logged <= freshLog
		if found.many {
			leaveRareNear(answer, q.Prefix)
		}
		answer.Whole, answer.WholeShare = found.whole, found.wholeShare()
		if isShort(q.Prefix) && found.many && found.logged == 0 {
			s.words.begun.Put(q.word(q.Prefix), begunWords{found.completions, found.whole, answer.WholeShare, found.state})
		}
	}
	if many {
		if err := q.addBeside(ctx); err != nil {
			return 0, err
		}
	}
	// What is remembered under a state holds for as long as the index stays in it. So all of it must be of that state.
	if q.key != "" && found.logged == 0 && (q.begun == nil || q.begun.state == found.state) {
		s.words.seen.put(q.ix, q.key, found.state, answer)
	}
	if found.followed {
		return 0, nil
	}
	return found.logged, nil
}

// wordsToAsk are those that the vocabulary is to be asked for, of the first words that may have typos. Those that enough documents have
// are no misspellings, as is tells without asking: they go into related at once.
func wordsToAsk(related *service.RelatedWords, words []string, is func(word string) bool) (asked []string) {
	looked := 0
	for _, w := range words {
		mayMean := spelling.Limit(w) > 0 || service.MayBeCompound(w) || len(withoutEndings(w)) > 0
		if _, done := related.Near[w]; done || !mayMean && !service.MayBeInitials(w) && !mayBeAbbreviation(w) || slices.Contains(asked, w) || looked == maxNearWords {
			continue
		}
		if mayMean {
			looked++
		}
		if is(w) {
			related.Near[w], related.Known[w] = nil, true
		} else {
			asked = append(asked, w)
		}
	}
	return asked
}

// leaveRareNear leaves out what the beginning of many words might be a misspelling of where that is in fewer documents than
// each of these words, as rarer words that begin so are.
func leaveRareNear(related *service.RelatedWords, prefix string) {
	near, n := related.Near[prefix], len(related.Completions)
	if len(near) == 0 || n == 0 {
		return
	}
	related.Near[prefix] = slices.DeleteFunc(slices.Clone(near), func(w service.NearWord) bool { return w.Documents < related.Completions[n-1].Documents })
}
