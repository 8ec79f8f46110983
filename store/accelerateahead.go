package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// ahead is a search that is computed from what is remembered before its snapshot exists. The documents that it will probably rank are requested
// together with the check that everything is still as remembered. This saves one round trip in most searches of an index that is not being written
// to.
type ahead struct {
	cache      *postingsCache
	tally      *blockTally
	ranker     *vectorRanker
	candidates []int64
	ranked     []vectorrank.Document // these, once they are read
}

// ahead returns nil if not everything is remembered, if it has probably changed, or if the search needs more than the postings.
func (a *accelerated) ahead(q *postingsQuery, space *blockvalues.Space) *ahead {
	p := a.plan
	if !a.byScore || p.Limit == 0 || p.After != nil || len(a.phrases) > 0 || a.filter != nil || len(a.own) > 0 || !q.likely() {
		return nil
	}
	all := *p
	if p.Match != service.MatchAny {
		all.Match = service.MatchAll
	}
	if !rankable(a.sh, &all, a.ranking) {
		return nil
	}
	h := &ahead{cache: q.cache, tally: newBlockTally(a, space, changedDocuments{}), ranker: newVectorRanker(&all, a.ranking)}
	if h.ranker != nil {
		for _, v := range q.agreed {
			b := newBlock(a, v)
			q.fill(b)
			h.tally.blocks = append(h.tally.blocks, b)
		}
		if h.tally.tooMany() {
			return nil
		}
		h.tally.find()
		if n := h.tally.total; n > 0 && (p.Match != service.MatchAuto || p.Required() < 2 || n >= enoughHits) {
			var skip, fit bool
			if h.candidates, _, skip, fit = h.tally.stage(a.stages()[0], true); fit && !skip {
				return h
			}
		}
	}
	return nil
}

func (h *ahead) queue(batch *pgx.Batch) {
	if h != nil {
		st := searchsql.Vectors(h.tally.search.sh, h.ranker.plan, &searchsql.Among{Candidates: h.candidates, Likely: true}, 0)
		batch.Queue(st.SQL, st.Args...)
	}
}

// take ranks the documents that queue asked for.
func (h *ahead) take(ctx context.Context, results pgx.BatchResults) error {
	if h == nil {
		return nil
	}
	rows, err := results.Query()
	if err == nil {
		h.ranked, err = h.ranker.take(ctx, rows)
	}
	return err
}

// settle returns the tally of the search: the one computed ahead if the blocks are still as remembered, otherwise t.
func (h *ahead) settle(t *blockTally) *blockTally {
	if h == nil {
		return t
	}
	same := t != nil && slices.EqualFunc(t.blocks, h.tally.blocks, func(x, y *block) bool { return x.blockVersion == y.blockVersion })
	if !same {
		h.cache.inVain.Add(1)
		return t
	}
	h.cache.held.Add(1)
	for i, b := range h.tally.blocks {
		b.documents = t.blocks[i].documents
		for _, offset := range t.changed[b.number] {
			if b.Found.Has(offset) {
				b.Found.Clear(offset)
				h.tally.total--
				h.tally.bounds.Reset()
			}
		}
	}
	h.tally.looked, h.tally.changed = t.looked, t.changed
	h.tally.values, h.tally.ahead = t.values, h
	return h.tally
}
