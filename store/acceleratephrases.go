package store

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/remembered"
)

// Postings do not know where a lexeme stands. Which documents have a phrase of common lexemes is found out by looking at
// those that have all of them, and remembered by block: a block stays as it is until it is rebuilt, and documents that
// change meanwhile are looked at themselves.

// phrase is a sequence of lexemes that all have postings.
type phrase struct {
	query   string // as a tsquery
	lexemes []string
	columns []string // vectors of the fields in which it counts
}

func (p phrase) key() string { return p.query + " " + strings.Join(p.columns, " ") }

// weightedPhrase is a phrase of a term, by its place among those of the search, and the most that it counts for.
type weightedPhrase struct {
	place  int
	weight float64
}

const (
	// maxPhrases bounds the phrases of a search: beginnings of their last word may stand for many.
	maxPhrases = 8
	// phraseStep is how many documents are looked at in one statement, at least a block.
	phraseStep = 20000
	// maxPhraseCache bounds what is remembered of phrases in bytes.
	maxPhraseCache = 12 << 20
)

// phrase returns the place of a phrase among those of the search, in one more field.
func (a *accelerated) phrase(one service.Alternative, column string) (place int) {
	query := tsSequence(one, true)
	place = slices.IndexFunc(a.phrases, func(p phrase) bool { return p.query == query })
	if place < 0 {
		place = len(a.phrases)
		p := phrase{query: query}
		for _, l := range one.Sequence {
			p.lexemes = append(p.lexemes, l.Text)
		}
		slices.Sort(p.lexemes)
		p.lexemes = slices.Compact(p.lexemes)
		a.phrases = append(a.phrases, p)
		a.lexemes = append(a.lexemes, p.lexemes...)
	}
	if p := &a.phrases[place]; !slices.Contains(p.columns, column) {
		p.columns = append(p.columns, column)
	}
	return place
}

// phraseCache remembers which documents of a block have a phrase, by the transaction that wrote the block.
type phraseCache struct {
	phrases remembered.Map[phraseKey, postings]
}

type phraseKey struct {
	generation int64
	phrase     string
	block      blockVersion
}

func newPhraseCache() phraseCache {
	return phraseCache{remembered.Map[phraseKey, postings]{Room: maxPhraseCache,
		Weigh: func(k phraseKey, p postings) int { return 128 + len(k.phrase) + len(p.places) }}}
}

// findPhrases finds the documents of each block that have the phrases, in the snapshot of db's transaction.
func (t *blockTally) findPhrases(ctx context.Context, db querier, c *phraseCache) error {
	a := t.search
	// First those that may have them.
	unknown := make([][]*block, len(a.phrases))
	for _, b := range t.blocks {
		b.phrases = make([]bitmap, len(a.phrases))
		for i, ph := range a.phrases {
			if p, ok := c.phrases.Get(phraseKey{a.generation, ph.key(), b.blockVersion}); ok {
				b.phrases[i] = t.space.bitmap()
				p.addTo(b.phrases[i])
				continue
			}
			b.phrases[i] = t.space.full()
			for _, l := range ph.lexemes {
				b.phrases[i].and(t.hasOne(b, l))
			}
			if !b.phrases[i].empty() {
				unknown[i] = append(unknown[i], b)
			}
		}
	}
	few := false
	if !a.any() {
		total := 0
		for _, b := range t.blocks {
			b.found = t.found(b, false)
			total += b.found.count()
		}
		few = total <= a.limits.together
	}
	for i := range a.phrases {
		if err := t.lookForPhrase(ctx, db, c, i, unknown[i], few); err != nil {
			return err
		}
	}
	return nil
}

// lookForPhrase looks for a phrase in the documents of blocks that may have it; few limits it to those that the search
// may find.
func (t *blockTally) lookForPhrase(ctx context.Context, db querier, c *phraseCache, place int, blocks []*block, few bool) error {
	a := t.search
	ph := a.phrases[place]
	for len(blocks) > 0 {
		var seqs []int64
		n := 0
		for n < len(blocks) && (few || len(seqs) < phraseStep) {
			b := blocks[n]
			if few {
				b.phrases[place].and(b.found)
			}
			b.phrases[place].each(func(offset int) { seqs = append(seqs, b.number*int64(b.size)+int64(offset)) })
			b.phrases[place] = t.space.bitmap()
			n++
		}
		if err := t.lookAt(ctx, db, place, seqs, blocks[:n]); err != nil {
			return err
		}
		if !few {
			for _, b := range blocks[:n] {
				bits := b.phrases[place]
				c.phrases.Put(phraseKey{a.generation, ph.key(), b.blockVersion}, bits.postings())
			}
		}
		blocks = blocks[n:]
	}
	return nil
}

// lookAt marks those of some documents that have a phrase. The blocks are in the order of their numbers.
func (t *blockTally) lookAt(ctx context.Context, db querier, place int, seqs []int64, blocks []*block) error {
	if len(seqs) == 0 {
		return nil
	}
	ph := t.search.phrases[place]
	tests := make([]string, len(ph.columns))
	for i, column := range ph.columns {
		tests[i] = column + " @@ $2::tsquery"
	}
	st := statement{"SELECT _seq FROM " + t.search.sh.table + " t WHERE _seq = ANY($1::bigint[]) AND (" + strings.Join(tests, " OR ") + ")", []any{seqs, ph.query}, true}
	rows, err := st.query(ctx, db)
	if err != nil {
		return err
	}
	var seq int64
	_, err = pgx.ForEachRow(rows, []any{&seq}, func() error {
		number := seq / int64(t.search.blockSize)
		i, _ := slices.BinarySearchFunc(blocks, number, func(b *block, number int64) int { return int(b.number - number) })
		blocks[i].phrases[place].set(int(seq % int64(t.search.blockSize)))
		return nil
	})
	return err
}

// boundPhrase adds the most that a phrase adds to the scores of the found documents of a block: as much as the lexeme
// of it that adds least.
func (t *blockTally) boundPhrase(b *block, w weightedPhrase, sums []float32) {
	has := t.space.clone(b.phrases[w.place])
	has.and(b.found)
	if has.empty() {
		return
	}
	least, one := t.space.zeros(2), t.space.zeros(3)
	for i, l := range t.search.phrases[w.place].lexemes {
		p := b.postings[t.places[l]]
		if i == 0 {
			p.addImpacts(has, float32(w.weight), least)
			continue
		}
		p.addImpacts(has, float32(w.weight), one)
		has.each(func(offset int) {
			least[offset] = min(least[offset], one[offset])
			one[offset] = 0
		})
	}
	has.each(func(offset int) {
		sums[offset] += least[offset]
		least[offset] = 0
	})
}
