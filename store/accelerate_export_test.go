package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// LookAtRows makes searches examine rows for all words but the rarest.
func (s *Store) LookAtRows() { s.limits.postingsARow = 0 }

// AccelerateSmall accelerates indices of few documents, and makes searches examine rows for all words but the rarest.
func (s *Store) AccelerateSmall(stages ...int) {
	s.limits = accelerationLimits{documents: 40, frequency: 4, frequencyInBlock: 4, lexemes: 200, blockSize: 64, changed: 400, mostChanged: 400, together: 3, placed: 2, values: 20, keys: 1 << 20, facetValues: 1 << 20, rebuild: 1, sparse: 8, sparseBlocks: 2, stages: stages, occurrences: posting.MaxOccurrences, tied: 12, walkedAtOnce: 16, mostWalked: 64, unproven: 1 << 30}
}

// CountFacets limits the keys that are collected to count facets from the order of their fields, and the distinct values of other facets.
func (s *Store) CountFacets(keys, values int) { s.limits.keys, s.limits.facetValues = keys, values }

// KeepLexemes limits the number of lexemes with postings.
func (s *Store) KeepLexemes(lexemes int) { s.limits.lexemes = lexemes }

// SizeBlocks sets the number of documents in a block.
func (s *Store) SizeBlocks(documents int) { s.limits.blockSize = documents }

// FrequencyOfPostings returns the minimum number of documents for a lexeme to have postings, in an index whose last document has the given number.
func (s *Store) FrequencyOfPostings(last int64) int64 { return s.limits.frequencyOf(last) }

// Accelerate takes one step of the builder.
func (s *Store) Accelerate(ctx context.Context, ix *service.Index) (again bool, err error) {
	again, err = s.rebuildPostings(ctx, job{ix: ix})
	s.forgetAccelerator(ix.ID)
	return again, err
}

// AccelerateWritten takes one step of the builder for an index that was just written to.
func (s *Store) AccelerateWritten(ctx context.Context, ix *service.Index) (again bool, err error) {
	return s.rebuildPostings(ctx, job{ix: ix, last: time.Now()})
}

// LookAt sets how many changed documents searches examine, and the rest between rebuilt blocks while there are more.
func (s *Store) LookAt(documents, rest int) { s.limits.changed, s.limits.rest = documents, rest }

// LookAtShare makes searches examine up to 1/share of the documents that they expect to find, if that is more than LookAt allows, and at most most.
func (s *Store) LookAtShare(share, most int) {
	s.limits.changedShare, s.limits.mostChanged = share, most
}

// ErrPatterns is the builder's error for an index that cannot have postings.
var ErrPatterns = posting.ErrPatterns

// RebuildResting sets the number of log rows from which blocks are rebuilt: rows once the log has not grown for some time, enough while it grows.
func (s *Store) RebuildResting(rows, enough int, after time.Duration) {
	s.limits.restingRebuild, s.limits.rebuild, s.limits.resting = rows, enough, after
}

// StopAccelerating removes the postings of an index.
func (s *Store) StopAccelerating(ctx context.Context, ix *service.Index) error {
	return s.building(ctx, ix, func(b *postingsBuilder) error { return b.stop(ctx) })
}

// building runs f with a builder of the postings of an index.
func (s *Store) building(ctx context.Context, ix *service.Index, f func(b *postingsBuilder) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return f(&postingsBuilder{store: s, conn: conn.Conn(), ix: ix, sh: table.ShapeOf(ix), limits: s.limits, afterBlock: restAWhile})
}

// stepping is like building, after a step has begun.
func (s *Store) stepping(ctx context.Context, ix *service.Index, f func(b *postingsBuilder, st builtState) error) error {
	return s.building(ctx, ix, func(b *postingsBuilder) error {
		st, err := b.readState(ctx)
		if err != nil {
			return err
		}
		return f(b, st)
	})
}

// weigh counts the documents with each term of a plan and fills in the rarities.
func (s *Store) weigh(ctx context.Context, p *service.Plan, sh table.Shape) (r searchsql.Ranking, err error) {
	f, err := s.frequencies(ctx, p.Index)
	if err != nil {
		return r, err
	}
	counts, err := s.newTermCounts(ctx, p, sh, f)
	if err != nil {
		return r, err
	}
	if err := counts.finish(ctx); err != nil {
		return r, err
	}
	counts.rarities()
	return searchsql.Ranking{AverageLength: f.averageLength}, nil
}

var loggedSpared sync.Map // by store

// LoggedSpared counts the logged documents that searches both ways did not examine.
func (s *Store) LoggedSpared() *atomic.Int64 {
	n, _ := loggedSpared.LoadOrStore(s, new(atomic.Int64))
	return n.(*atomic.Int64)
}

// RememberedLogged returns the number of logged documents of an index whose lexemes are remembered.
func (s *Store) RememberedLogged(ctx context.Context, ix *service.Index) (int, error) {
	known, _, err := s.LoggedRead(ctx, ix)
	return known, err
}

// LoggedRead is like RememberedLogged, but waits until none are being read; reading differs after each time that they have been read.
func (s *Store) LoggedRead(ctx context.Context, ix *service.Index) (documents int, reading any, err error) {
	x, err := s.accelerator(ctx, ix.ID)
	if x == nil || err != nil {
		return 0, nil, err
	}
	h, err := s.HistoryOfRead(ctx)
	if err != nil {
		return 0, nil, err
	}
	postings := builtIn{x.generation, history(h)}
	<-s.inBackground(ctx, fmt.Sprint("logged ", postings), func(context.Context) (any, error) { return nil, nil })
	known := s.logged.of(postings)
	return len(known.documents), known, nil
}

// RoomForLogged limits the memory for logged documents of an index, in bytes.
func (s *Store) RoomForLogged(bytes int) { s.logged.known.Room = 2 * bytes }

// SearchBothWays runs a plan from postings and by the plain statement, in one snapshot. accelerated is nil if postings cannot answer it; even then
// they may have decided whether all words are required.
func (s *Store) SearchBothWays(ctx context.Context, p *service.Plan) (accelerated, plain *service.Found, err error) {
	sh := table.ShapeOf(p.Index)
	var r searchsql.Ranking
	if p.After != nil {
		r.AverageLength = p.After.AverageLength
		for i := range p.After.Rarities {
			p.Terms[i].Rarity, p.Terms[i].Carried = p.After.Rarities[i], p.After.Rarities[i]
			p.Terms[i].Missing = slices.Contains(p.After.Missing, i)
		}
		p.Match = p.After.Match
	} else {
		if r, err = s.weigh(ctx, p, sh); err != nil {
			return nil, nil, err
		}
	}
	asked := p.Match
	a, err := s.accelerate(ctx, p, sh, r)
	if err != nil {
		return nil, nil, err
	}
	decided := asked
	err = s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		var tally *blockTally
		if a != nil {
			a.stay = true
			t, err := a.open(ctx, conn)
			if err != nil {
				return err
			}
			if tally = t; t != nil {
				for _, changed := range t.changed {
					s.LoggedSpared().Add(int64(len(changed)))
				}
				s.LoggedSpared().Add(-int64(len(t.looked)))
				accelerated = newFound(p, r)
				done, err := a.answer(ctx, conn, t, accelerated)
				if err != nil {
					return err
				}
				decided = a.plan.Match
				if !done {
					accelerated = nil
				}
			}
		}
		if p.Match = asked; p.Match == service.MatchAuto {
			err := chooseMatch(p, sh, func(st sqltext.Statement, read func(pgx.Rows) error) error {
				rows, err := queryOn(ctx, conn, st)
				if err != nil {
					return err
				}
				return read(rows)
			})
			if err != nil {
				return err
			}
		}
		if decided != asked && decided != p.Match {
			return fmt.Errorf("postings decide for %s of the words, the statement for %s", decided, p.Match)
		}
		st := searchsql.Search(sh, p, r)
		rows, err := queryOn(ctx, conn, st)
		if err != nil {
			return err
		}
		plain = newFound(p, r)
		plain.Match = p.Match
		if err := collect(ctx, rows, p, sh, plain); err != nil {
			return err
		}
		if accelerated != nil && (accelerated.Total != plain.Total || accelerated.TotalAllWords != plain.TotalAllWords) {
			return fmt.Errorf("postings find %d documents, %d with all words, the statement %d and %d: %s",
				accelerated.Total, accelerated.TotalAllWords, plain.Total, plain.TotalAllWords, tally.strays(ctx, conn))
		}
		return nil
	})
	if err == nil && a != nil && a.unknown > 0 {
		err = s.readLogged(ctx, a)
	}
	if errors.Is(err, errRebuilt) || gone(err) {
		s.forgetAccelerator(p.Index.ID)
		err = service.ErrStale
	}
	if errors.Is(err, service.ErrStale) {
		s.words.seen.changed(p.Index.ID) // as Search does
	}
	return accelerated, plain, err
}

// strays lists the documents that have a phrase or a lexeme of the search in the blocks but not in the table, in the snapshot of conn, or the other
// way around, and the changed documents. It helps to investigate differences that occur once in many runs.
func (t *blockTally) strays(ctx context.Context, conn *pgx.Conn) string {
	a := t.search
	out := fmt.Sprintf("changed %v, looked at %v", t.changed, t.looked)
	compare := func(what, condition string, argument any, has func(b *block) posting.Bitmap) {
		rows, _ := conn.Query(ctx, "SELECT _seq FROM "+a.sh.Table+" t WHERE "+condition, argument)
		list, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			out += fmt.Sprintf("; %s: %v", what, err)
		}
		for _, b := range t.blocks {
			bits := has(b)
			for offset := range b.size {
				seq := b.number*int64(b.size) + int64(offset)
				if in := slices.Contains(list, seq); bits.Has(offset) != in && !slices.Contains(t.changed[b.number], offset) {
					out += fmt.Sprintf("; %s: %d is in the table %t, block %d of transaction %d", what, seq, in, b.number, b.writer)
				}
			}
		}
	}
	for i, ph := range a.phrases {
		if !ph.open { // for these, only what the search may find was examined
			compare(ph.query, ph.tests("$1"), ph.query, func(b *block) posting.Bitmap { return b.Phrases[i] })
		}
	}
	for _, lexeme := range a.lexemes {
		if lexeme != "" && lexeme[0] >= ' ' {
			compare(lexeme, a.sh.AllLexemes("t.")+" @@ quote_literal($1::text)::tsquery", lexeme, func(b *block) posting.Bitmap { return t.hasOne(b, lexeme) })
		}
	}
	return out
}

// Bounds returns the bound on the score of every document that the postings find for a plan, by its id.
func (s *Store) Bounds(ctx context.Context, p *service.Plan) (map[string]float32, error) {
	sh := table.ShapeOf(p.Index)
	r, err := s.weigh(ctx, p, sh)
	if err != nil {
		return nil, err
	}
	a, err := s.accelerate(ctx, p, sh, r)
	if a == nil || err != nil {
		return nil, err
	}
	a.limits.stages = []int{1 << 20}
	bounds := map[string]float32{}
	err = s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		t, err := a.open(ctx, conn)
		if err != nil {
			return err
		}
		ranked, _, ok := t.bounds.Best(t.bounded(), 1<<20, 0)
		if !ok {
			return errors.New("bounds do not fit")
		}
		for i, seq := range append(ranked, t.looked...) {
			bound, of := t.bounds.Last(i + 1)
			if !of {
				bound = math.MaxFloat32 // it is ranked whatever it scores
			}
			var id string
			if err := conn.QueryRow(ctx, "SELECT _id FROM "+sh.Table+" WHERE _seq = $1", seq).Scan(&id); err != nil {
				return err
			}
			bounds[id] = bound
		}
		return nil
	})
	return bounds, err
}

// Accelerated reports whether an index has postings that searches use, and whether its writers log for them.
func (s *Store) Accelerated(ctx context.Context, ix *service.Index) (ready, logged bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM rowan.accelerators WHERE index_id = i.id AND ready), accelerated AND to_regclass($2) IS NOT NULL
		FROM rowan.indices i WHERE id = $1`, ix.ID, table.RelationsOf(ix.Application, ix.Name).Touched()).Scan(&ready, &logged)
	return ready, logged, err
}

// Touched returns the length of the log of changed documents.
func (s *Store) Touched(ctx context.Context, ix *service.Index) (n int, err error) {
	err = s.pool.QueryRow(ctx, "SELECT count(*) FROM "+table.RelationsOf(ix.Application, ix.Name).Touched()).Scan(&n)
	return n, err
}

// SearchFewBothWays runs a plan from vectors and by the plain statement. few is nil if vectors cannot answer it; many is the answer from vectors
// without the limit on their number.
func (s *Store) SearchFewBothWays(ctx context.Context, p *service.Plan) (few, many, plain *service.Found, err error) {
	sh := table.ShapeOf(p.Index)
	f, err := s.frequencies(ctx, p.Index)
	if err != nil {
		return nil, nil, nil, err
	}
	r := searchsql.Ranking{AverageLength: f.averageLength}
	counts, err := s.newTermCounts(ctx, p, sh, f)
	if err != nil {
		return nil, nil, nil, err
	}
	missing := counts
	if len(counts.asked) == 0 {
		counts.rarities()
		missing = nil
	}
	few = newFound(p, r)
	asked := p.Match
	done, err := s.searchFew(ctx, p, sh, r, missing, few)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := counts.finish(ctx); err != nil {
		return nil, nil, nil, err
	}
	counts.rarities()
	if !done {
		few = nil
	}
	for i := range p.Terms {
		p.Terms[i].Looked = false // the index is asked for every word here
	}
	if p.Match = asked; p.Match == service.MatchAuto {
		if err := chooseMatch(p, sh, func(st sqltext.Statement, read func(pgx.Rows) error) error { return s.ask(ctx, st, read) }); err != nil {
			return nil, nil, nil, err
		}
	}
	if manyRankable(sh, p, r) {
		many = newFound(p, r)
		if done, err := s.rankMany(ctx, p, sh, r, many); err != nil {
			return nil, nil, nil, err
		} else if !done {
			many = nil
		}
	}
	st := searchsql.Search(sh, p, r)
	rows, err := queryOn(ctx, s.reads, st)
	if err != nil {
		return nil, nil, nil, err
	}
	plain = newFound(p, r)
	plain.Match = p.Match
	return few, many, plain, collect(ctx, rows, p, sh, plain)
}

// CountBothWays counts the documents with each term of a plan that stands for several lexemes, from postings and in the table; postings has -1 where
// they cannot tell.
func (s *Store) CountBothWays(ctx context.Context, p *service.Plan) (postings, counted []int64, err error) {
	sh := table.ShapeOf(p.Index)
	x, err := s.accelerator(ctx, p.Index.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range p.Terms {
		n := int64(-1)
		if of, ok := x.begunTerm(t, p.Fields, s.limits); ok {
			if n, err = s.countBegun(ctx, x, sh, p, of); err != nil {
				return nil, nil, err
			}
		} else if alternatives, _, rest, ok := x.commonTerm(t, p.Fields); ok && len(slices.Concat(alternatives...)) > 1 {
			if n, err = s.countCommon(ctx, x, sh, p, alternatives, x.documents); err != nil {
				return nil, nil, err
			}
			if rest != "" { // no document has both here
				others, err := s.count(ctx, sh, []string{rest})
				if err != nil {
					return nil, nil, err
				}
				n += others[0]
			}
		}
		postings = append(postings, n)
		query, _, _ := uncounted(t, p.Fields)
		counts, err := s.count(ctx, sh, []string{query})
		if err != nil {
			return nil, nil, err
		}
		counted = append(counted, counts...)
	}
	return postings, counted, nil
}

// BuildOutrun builds the first block of an index after meanwhile has run.
func (s *Store) BuildOutrun(ctx context.Context, ix *service.Index, meanwhile func() error) error {
	return s.stepping(ctx, ix, func(b *postingsBuilder, st builtState) error {
		x, err := b.lexemes(ctx, st.generation)
		if err != nil {
			return err
		}
		if err := meanwhile(); err != nil {
			return err
		}
		return newBlockBuilder(b, x).build(ctx, 0)
	})
}

// BlocksOfBefore gives an index the blocks that the oldest readable build would have made.
func (s *Store) BlocksOfBefore(ctx context.Context, ix *service.Index) error {
	sh := table.ShapeOf(ix)
	_, err := s.pool.Exec(ctx, "UPDATE rowan.accelerators SET formula = regexp_replace(formula, '^[0-9]+', $2) WHERE index_id = $1", ix.ID, strconv.Itoa(readableSince))
	if err != nil {
		return err
	}
	if _, err := s.pool.Exec(ctx, "DELETE FROM "+sh.Postings()+" WHERE lexeme LIKE $1", posting.PresentOf+"%"); err != nil {
		return err
	}
	for _, f := range sh.Fields {
		if !valued(f) {
			if _, err := s.pool.Exec(ctx, "DELETE FROM "+sh.Values()+" WHERE field = $1", f.Name); err != nil {
				return err
			}
		}
	}
	s.forgetAccelerator(ix.ID)
	return nil
}

// RebuildWorst rebuilds the block with the most changed documents.
func (s *Store) RebuildWorst(ctx context.Context, ix *service.Index) error {
	defer s.forgetAccelerator(ix.ID)
	return s.stepping(ctx, ix, func(b *postingsBuilder, st builtState) error {
		_, err := b.rebuildWorst(ctx, st.generation)
		return err
	})
}

// Outgrow makes an index count as grown so much that its lexemes are chosen anew.
func (s *Store) Outgrow(ctx context.Context, ix *service.Index) error {
	_, err := s.pool.Exec(ctx, "UPDATE rowan.accelerators SET numbered_to = 0 WHERE index_id = $1", ix.ID)
	return err
}

// Renew renews the postings of an index, and runs meanwhile after each block built.
func (s *Store) Renew(ctx context.Context, ix *service.Index, meanwhile func() error) error {
	return s.stepping(ctx, ix, func(b *postingsBuilder, st builtState) error {
		b.afterBlock = func(context.Context, time.Duration) error { return meanwhile() }
		return b.renew(ctx, st.generation, service.SearchedFields(ix), st.last)
	})
}

// Generation returns the generation of an index's postings.
func (s *Store) Generation(ctx context.Context, ix *service.Index) (generation int64, err error) {
	return generation, s.pool.QueryRow(ctx, "SELECT generation FROM rowan.accelerators WHERE index_id = $1 AND ready", ix.ID).Scan(&generation)
}

// AgeCounts makes the counts of an index's common words older by an interval.
func (s *Store) AgeCounts(ctx context.Context, ix *service.Index, by string) error {
	_, err := s.pool.Exec(ctx, "UPDATE rowan.accelerators SET counted_at = counted_at - $2::interval WHERE index_id = $1", ix.ID, by)
	return err
}

// Frequency returns the number of documents that searches assume to have a common lexeme.
func (s *Store) Frequency(ctx context.Context, ix *service.Index, lexeme string) (int64, error) {
	x, err := s.accelerator(ctx, ix.ID)
	if x == nil || err != nil {
		return -1, err
	}
	return x.frequencies[lexeme], nil
}

// BytesOfLexemes returns the approximate size of the remembered lexemes of an index in bytes.
func (s *Store) BytesOfLexemes(ctx context.Context, ix *service.Index) (int, error) {
	x, err := s.accelerator(ctx, ix.ID)
	if x == nil || err != nil {
		return 0, err
	}
	return x.bytes, nil
}

// KeepBeginnings limits how many occurrences of lexemes without postings a block keeps.
func (s *Store) KeepBeginnings(occurrences int) { s.limits.occurrences = occurrences }

// TakeUnproven makes searches accept pages of more than the given number of hits unproven after the last stage.
func (s *Store) TakeUnproven(hits int) { s.limits.unproven = hits }

// RememberLogged reads the lexemes of logged documents in the background, after meanwhile has run.
func (s *Store) RememberLogged(ctx context.Context, ix *service.Index, meanwhile func() error) error {
	x, err := s.accelerator(ctx, ix.ID)
	if err != nil {
		return err
	}
	plan, err := checkedPlan(ctx, s, ix)
	if err != nil {
		return err
	}
	a := newAccelerated(x, table.ShapeOf(ix), plan)
	a.limits = s.limits
	if err := meanwhile(); err != nil {
		return err
	}
	return (<-s.inBackground(ctx, "logged", func(ctx context.Context) (any, error) { return nil, s.readLogged(ctx, a) })).Err
}

// RebuildOutrun rebuilds the first block of an index; meanwhile runs after the step has begun.
func (s *Store) RebuildOutrun(ctx context.Context, ix *service.Index, meanwhile func()) error {
	return s.stepping(ctx, ix, func(b *postingsBuilder, st builtState) error {
		meanwhile()
		return b.rebuildBlock(ctx, st.generation, 0)
	})
}
