package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/tsquery"
)

// The documents that have a phrase of common lexemes are found among those that have all of its lexemes: by the positions of the lexemes
// (store/posting), or by examining documents where positions are not stored. Results are remembered by block: a block stays the same until it is
// rebuilt, and documents that change meanwhile are examined themselves.

// phrase is a sequence of lexemes that all have postings, possibly followed by the prefix of another.
type phrase struct {
	query   string // as a tsquery
	lexemes []string
	whole   []service.Lexeme // the lexemes in their order in the phrase
	open    bool             // a prefix follows
	columns []string         // vectors of the fields in which it counts
	fields  map[int]bool     // these fields, by their indices among the searched ones
	// sought is the tsquery for the index on all lexemes if the phrase ends in a prefix, which is in prefix.
	sought, prefix string
	// wider are the queries with shorter prefixes, the longest first: whatever has the phrase matches these.
	wider []string
}

func (p phrase) key(query string) string { return query + " " + strings.Join(p.columns, " ") }

const (
	// maxPhrases bounds the number of phrases in a search.
	maxPhrases = 8
	// phraseStep is how many documents one statement examines, but it examines at least one block.
	phraseStep = 20000
	// maxWider is how many letters to go back to find remembered results of a phrase whose last word is being typed.
	maxWider = 12
	// maxPhraseCache bounds the memory for results of phrases in bytes.
	maxPhraseCache = 12 << 20
)

// phrasesOf returns the indices, in a.phrases, of those phrases of a term whose lexemes all have postings, keyed by their tsqueries. The same query
// in the different fields of another term is a different phrase.
func (a *accelerated) phrasesOf(t service.Term) map[string]int {
	vectors := searchsql.Builder{Shape: a.sh}
	var phrases []phrase
	for field, f := range a.plan.Fields {
		for _, one := range t.Alternatives[f.Analysis] {
			if len(one.Sequence) < 2 || !a.common(one) {
				continue
			}
			query, column := tsquery.Sequence(one, true), vectors.Vector(f)
			i := slices.IndexFunc(phrases, func(p phrase) bool { return p.query == query })
			if i < 0 {
				i = len(phrases)
				phrases = append(phrases, newPhrase(one, query))
			}
			p := &phrases[i]
			p.fields[a.inPattern[field]] = true
			if !slices.Contains(p.columns, column) {
				p.columns = append(p.columns, column)
			}
		}
	}
	places := make(map[string]int, len(phrases))
	for _, p := range phrases {
		place := slices.IndexFunc(a.phrases, func(of phrase) bool { return of.query == p.query && maps.Equal(of.fields, p.fields) })
		if place < 0 {
			place = len(a.phrases)
			a.phrases = append(a.phrases, p)
			a.lexemes = append(a.lexemes, p.lexemes...)
		}
		places[p.query] = place
	}
	return places
}

// newPhrase makes a phrase from an alternative and its query, without fields.
func newPhrase(one service.Alternative, query string) phrase {
	p := phrase{query: query, lexemes: tsquery.LexemeTexts(one), whole: tsquery.WholeLexemes(one), fields: map[int]bool{}}
	var last service.Lexeme
	if last, p.open = tsquery.Begun(one); p.open {
		p.wider, p.sought, p.prefix = widerQueries(one), tsquery.FullSequence(one, false), last.Text
	}
	slices.Sort(p.lexemes)
	p.lexemes = slices.Compact(p.lexemes)
	return p
}

// widerQueries returns the queries of a phrase that ends in a prefix with that prefix shortened.
func widerQueries(one service.Alternative) (list []string) {
	one.Sequence = slices.Clone(one.Sequence)
	text := &one.Sequence[len(one.Sequence)-1].Text
	for range maxWider {
		_, size := utf8.DecodeLastRuneInString(*text)
		if *text = (*text)[:len(*text)-size]; *text == "" {
			break
		}
		list = append(list, tsquery.Sequence(one, true))
	}
	return list
}

// phraseCache remembers which documents of a block have a phrase, keyed by the transaction that wrote the block.
type phraseCache struct {
	phrases remembered.Map[phraseKey, phraseBlock]
}

type phraseKey struct {
	builtIn
	phrase string
	block  blockVersion
}

// phraseBlock has the documents of a block that were examined (seen), and those of them that have the phrase, both without documents that have
// changed since the block was built.
type phraseBlock struct{ seen, has posting.List }

func newPhraseCache() phraseCache {
	return phraseCache{remembered.Map[phraseKey, phraseBlock]{Room: maxPhraseCache,
		Weigh: func(k phraseKey, p phraseBlock) int {
			return 192 + len(k.phrase) + len(p.seen.Places) + len(p.has.Places)
		}}}
}

// phraseSearch is the search for one phrase.
type phraseSearch struct {
	*blockTally
	phrase
	place int
	cache *phraseCache
	seen  []posting.Bitmap // by block: documents already examined
	left  []posting.Bitmap // documents that may have the phrase, still undecided
	look  []posting.Bitmap // those of left that have to be examined
}

// findPhrases finds the documents of each block that have the phrases, in the snapshot of db's transaction. It examines only what the search may
// find, which becomes fewer documents with each phrase that is known.
func (t *blockTally) findPhrases(ctx context.Context, db querier, c *phraseCache) error {
	for _, b := range t.blocks {
		b.Phrases = make([]posting.Bitmap, len(t.search.phrases))
	}
	searches := make([]*phraseSearch, len(t.search.phrases))
	for i, ph := range t.search.phrases {
		searches[i] = &phraseSearch{blockTally: t, phrase: ph, place: i, cache: c}
		searches[i].begin()
	}
	for _, s := range searches {
		s.narrow()
		if err := s.sift(ctx, db); err != nil {
			return err
		}
		if err := s.run(ctx, db); err != nil {
			return err
		}
	}
	return nil
}

func (s *phraseSearch) key(b *block, query string) phraseKey {
	return phraseKey{s.search.builtIn(), s.phrase.key(query), b.blockVersion}
}

// begin marks the documents that may have the phrase.
func (s *phraseSearch) begin() {
	for _, b := range s.blocks {
		seen, left, has := s.space.Bitmap(), s.space.Full(), s.space.Bitmap()
		kept := s.space.Given()
		for _, l := range s.lexemes {
			left.And(s.hasOne(b, l))
		}
		s.space.GiveBack(kept)
		for _, offset := range s.changed[b.number] {
			left.Clear(offset)
		}
		if known, ok := s.cache.phrases.Get(s.key(b, s.query)); ok {
			known.seen.AddTo(seen)
			known.has.AddTo(has)
		} else {
			s.lack(b, seen)
		}
		left.AndNot(seen)
		has.Or(left)
		b.Phrases[s.place] = has
		s.seen, s.left = append(s.seen, seen), append(s.left, left)
	}
}

// lack adds to seen the documents that cannot have the phrase because they do not match a shorter prefix of it.
func (s *phraseSearch) lack(b *block, seen posting.Bitmap) {
	for _, query := range s.wider {
		if known, ok := s.cache.phrases.Get(s.key(b, query)); ok {
			has := s.space.Bitmap()
			known.has.AddTo(has)
			known.seen.AddTo(seen)
			seen.AndNot(has)
			return
		}
	}
}

// narrow restricts left to what the search may find, and removes these documents from those with the phrase until they have been examined.
func (s *phraseSearch) narrow() {
	for i, b := range s.blocks {
		kept := s.space.Given()
		var found posting.Bitmap
		if !s.search.any() {
			found = s.found(b, false)
		}
		b.Phrases[s.place].AndNot(s.left[i])
		if found != nil {
			s.left[i].And(found)
		}
		s.space.GiveBack(kept)
		look := s.space.Bitmap()
		copy(look, s.left[i])
		s.look = append(s.look, look)
	}
}

// seek asks the index which of the undecided documents have the phrase.
func (s *phraseSearch) seek(ctx context.Context, db querier) error {
	sh, sought := s.search.sh, "("+s.sought+")"
	for _, t := range s.search.terms {
		// A phrase that is being typed may match more documents than the index finds for it.
		open := slices.ContainsFunc(t.phrases, func(place int) bool { return s.search.phrases[place].open })
		if t.required && !open && !s.search.any() {
			sought += " & (" + t.query + ")"
		}
	}
	st := sqltext.Statement{SQL: "SELECT _seq FROM " + sh.Table + " t WHERE " + sh.AllLexemes("t.") + " @@ (SELECT $1::tsquery) AND (" + s.tests("$2") + ")", Args: []any{sought, s.query}, Prepared: true}
	rows, err := queryOn(ctx, db, st)
	if err != nil {
		return err
	}
	err = eachDocument(rows, s.blocks, s.search.blockSize, func(i, offset int) {
		if s.left[i].Has(offset) {
			s.blocks[i].Phrases[s.place].Set(offset)
		}
	})
	if err == nil {
		for i := range s.blocks {
			s.remember(i)
		}
	}
	return err
}

// remember stores what is now known of a block.
func (s *phraseSearch) remember(i int) {
	if b := s.blocks[i]; !s.left[i].Empty() {
		s.seen[i].Or(s.left[i])
		s.cache.phrases.Put(s.key(b, s.query), phraseBlock{s.seen[i].List(), b.Phrases[s.place].List()})
	}
}

// run examines the documents that are still undecided.
func (s *phraseSearch) run(ctx context.Context, db querier) error {
	if s.seeks() {
		return s.seek(ctx, db)
	}
	for next := 0; next < len(s.blocks); {
		var seqs []int64
		var blocks []*block
		first := next
		for ; next < len(s.blocks) && len(seqs) < phraseStep; next++ {
			b := s.blocks[next]
			s.look[next].Each(func(offset int) { seqs = append(seqs, b.number*int64(b.size)+int64(offset)) })
			blocks = append(blocks, b)
		}
		if err := s.lookAt(ctx, db, s.place, seqs, blocks); err != nil {
			return err
		}
		for i := first; i < next; i++ {
			s.remember(i)
		}
	}
	return nil
}

// seeks reports whether examining the documents would take longer than asking the index. It would not if most documents have a word with the prefix.
func (s *phraseSearch) seeks() bool {
	if !s.open || s.looks() <= s.search.limits.together {
		return false
	}
	begun := int64(0) // documents, all of which the index would go through
	for lexeme, documents := range s.search.frequencies {
		if strings.HasPrefix(lexeme, s.prefix) {
			begun += documents
		}
	}
	return begun < s.search.documents/2
}

// lookAt marks those of the given documents that have a phrase. The blocks are in the order of their numbers.
func (t *blockTally) lookAt(ctx context.Context, db querier, place int, seqs []int64, blocks []*block) error {
	if len(seqs) == 0 {
		return nil
	}
	ph := t.search.phrases[place]
	st := sqltext.Statement{SQL: "SELECT _seq FROM " + t.search.sh.Table + " t WHERE _seq = ANY($1::bigint[]) AND (" + ph.tests("$2") + ")", Args: []any{seqs, ph.query}, Prepared: true}
	rows, err := queryOn(ctx, db, st)
	if err != nil {
		return err
	}
	return eachDocument(rows, blocks, t.search.blockSize, func(i, offset int) { blocks[i].Phrases[place].Set(offset) })
}

// tests returns the condition that one of the fields has the phrase, which is a parameter of the statement.
func (p phrase) tests(parameter string) string {
	tests := make([]string, len(p.columns))
	for i, column := range p.columns {
		tests[i] = column + " @@ " + parameter + "::tsquery"
	}
	return strings.Join(tests, " OR ")
}

// eachDocument reads document numbers and calls f with the index of each one's block and its offset there. The blocks must be in the order of their
// numbers; documents in none of them are skipped.
func eachDocument(rows pgx.Rows, blocks []*block, size int, f func(i, offset int)) error {
	var seq int64
	_, err := pgx.ForEachRow(rows, []any{&seq}, func() error {
		i, ok := slices.BinarySearchFunc(blocks, seq/int64(size), func(b *block, number int64) int { return int(b.number - number) })
		if ok {
			f(i, int(seq%int64(size)))
		}
		return nil
	})
	return err
}
