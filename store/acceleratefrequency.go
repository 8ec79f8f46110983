package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/tsquery"
)

// surelyCommon returns a number of documents that surely gives a lexeme postings, if there are any. It allows for errors, because the lexemes were
// chosen from a sample and are limited in number.
func (s *Store) surelyCommon(ctx context.Context, id int64) (int64, error) {
	x, err := s.accelerator(ctx, id)
	if x == nil || err != nil {
		return int64(s.limits.frequency), err
	}
	return x.surelyCommon(s.limits), nil
}

func (x *accelerator) surelyCommon(limits accelerationLimits) int64 {
	least := int64(limits.frequency)
	if len(x.frequencies) >= limits.lexemes {
		least = max(least, x.least)
	}
	return least * 5 / 4
}

// leastOfAll returns a document count that nearly all of the given frequencies reach.
func leastOfAll(frequencies []int64) int64 {
	if len(frequencies) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(frequencies))[len(frequencies)/50]
}

// covered reports whether a term without postings need not be counted: the lexemes that it is a prefix of are in at least least documents, more than
// it is in itself.
func (x *accelerator) covered(t service.Term, least int64, limits accelerationLimits) bool {
	for _, list := range t.Alternatives {
		for _, one := range list {
			if one.Documents == 0 && !one.OfQuery && one.Sequence[len(one.Sequence)-1].Prefix {
				return false
			}
		}
	}
	return least >= x.surelyCommon(limits)
}

// commonTerm returns those alternatives of a term all of whose lexemes have postings, and the tsquery of the others, which must be counted as well.
// ok is false if there are no such alternatives. Counting documents with common words in the table takes longer than searching for them. Rare whole
// values hardly make a common word less rare; they are left out unless no document has the word any more. begun are the alternatives that end in a
// prefix, without that prefix: more documents have them, and they count only if there are no others.
func (x *accelerator) commonTerm(t service.Term, fields []service.Field) (alternatives, begun [][]string, rest string, ok bool) {
	var others, wholes []service.Alternative
	var documents int64
	for _, f := range fields {
		for _, one := range t.Alternatives[f.Analysis] {
			if one.Documents > 0 || one.OfQuery {
				continue
			}
			if len(one.Sequence) == 1 && one.Sequence[0].Prefix {
				return nil, nil, "", false
			}
			lexemes := tsquery.LexemeTexts(one)
			switch {
			case len(lexemes) < len(one.Sequence) && tsquery.Sought(one) && x.common(one):
				begun = append(begun, lexemes)
			case x.rareWhole(one):
				wholes = append(wholes, one)
			case !x.common(one):
				others = append(others, one)
			case !slices.ContainsFunc(alternatives, func(known []string) bool { return slices.Equal(known, lexemes) }):
				alternatives = append(alternatives, lexemes)
				documents += x.frequencies[lexemes[0]]
			}
		}
	}
	if documents == 0 {
		others = append(others, wholes...)
	}
	// An alternative whose documents have all lexemes of another alternative is counted with that one.
	wider := func(lexemes []string) bool {
		return slices.ContainsFunc(alternatives, func(of []string) bool { return len(of) < len(lexemes) && containsAll(lexemes, of) })
	}
	others = slices.DeleteFunc(others, func(one service.Alternative) bool { return wider(tsquery.LexemeTexts(one)) })
	alternatives = slices.DeleteFunc(slices.Clone(alternatives), wider)
	if alternatives == nil {
		alternatives, begun = begun, nil
	}
	return alternatives, begun, tsquery.Any(others, false), alternatives != nil
}

func containsAll(list, of []string) bool {
	return !slices.ContainsFunc(of, func(one string) bool { return !slices.Contains(list, one) })
}

// rarerTerm returns how many documents have a term that is a single lexeme without postings, as counted along with the postings. Rare whole values
// are left out, as in commonTerm. ok is false for any other term, and for one that was not counted.
func (x *accelerator) rarerTerm(t service.Term, fields []service.Field, documents int64) (n int64, ok bool) {
	lexeme := ""
	for _, f := range fields {
		for _, one := range t.Alternatives[f.Analysis] {
			if one.Documents > 0 || one.OfQuery || x.rareWhole(one) && !strings.HasPrefix(one.Sequence[0].Text, analysis.PartMark) {
				continue
			}
			if len(one.Sequence) != 1 || one.Sequence[0].Prefix || lexeme != "" && lexeme != one.Sequence[0].Text {
				return 0, false
			}
			lexeme = one.Sequence[0].Text
		}
	}
	n, ok = x.rarer.Of(lexeme)
	return max(x.scaled(n, documents), 1), ok && n > 0
}

// scaled extrapolates n documents at the time when the postings were built to the given number of documents now.
func (x *accelerator) scaled(n, documents int64) int64 {
	return int64(float64(n) * float64(documents) / float64(max(x.documents, 1)))
}

// countCommon counts the documents that have all lexemes of at least one alternative, as their blocks have them: changes since then hardly affect how
// rare a word is. A single lexeme is assumed to have the same share of all documents as when the postings were built. The error is errRebuilt if the
// postings have been rebuilt since.
func (s *Store) countCommon(ctx context.Context, x *accelerator, sh table.Shape, p *service.Plan, alternatives [][]string, documents int64) (n int64, err error) {
	lexemes := slices.Concat(alternatives...)
	if len(lexemes) == 1 {
		return x.scaled(x.frequencies[lexemes[0]], documents), nil
	}
	return s.countInBlocks(ctx, x, sh, p, lexemes, func(t *blockTally, b *block) posting.Bitmap {
		any := t.space.Bitmap()
		for _, alternative := range alternatives {
			all := t.space.Full()
			for _, l := range alternative {
				all.And(t.hasOne(b, l))
			}
			any.Or(all)
		}
		return any
	})
}

// countInBlocks counts the documents that has returns for each block, from the postings of the given lexemes.
func (s *Store) countInBlocks(ctx context.Context, x *accelerator, sh table.Shape, p *service.Plan, lexemes []string, has func(t *blockTally, b *block) posting.Bitmap) (n int64, err error) {
	slices.Sort(lexemes)
	a := newAccelerated(x, sh, &service.Plan{Index: p.Index, Version: p.Version, Match: service.MatchAll})
	a.lexemes = slices.Compact(lexemes)
	t := newBlockTally(a, blockvalues.NewSpace(a.blockSize), changedDocuments{})
	err = s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		a.history = historyOf(ctx, conn)
		batch := a.beginSQL()
		postings := s.postingsCache.query(a, false)
		postings.queue(batch)
		results := conn.SendBatch(ctx, batch)
		err := a.begun(results)
		if err == nil {
			err = postings.read(results, t)
		}
		if err = cmp.Or(err, results.Close()); err != nil {
			return err
		}
		return postings.finish(ctx, conn, t)
	})
	if err != nil {
		return 0, err
	}
	for _, b := range t.blocks {
		n += int64(has(t, b).Count())
		t.space.GiveBack(0)
	}
	t.space.Release()
	return n, nil
}

// expected returns how many documents are expected to have all words if the words are independent, and how many have the rarest word. For a search
// for any word, both are a lower bound of the documents that have one.
func (a *accelerated) expected() (all, rarest float64) {
	documents := math.Max(float64(a.documents), 1)
	if a.any() {
		most := int64(0)
		for _, l := range a.lexemes {
			most = max(most, a.frequencies[l])
		}
		return float64(most), float64(most)
	}
	all, rarest = documents, documents
	for _, t := range a.terms {
		if t.required {
			n := 0.0
			for _, l := range t.lexemes {
				n += float64(a.frequencies[l])
			}
			n += t.begun
			for _, place := range t.phrases {
				least := documents
				for _, l := range a.phrases[place].lexemes {
					least = min(least, float64(a.frequencies[l]))
				}
				n += least
			}
			all *= min(n/documents, 1)
			rarest = min(rarest, n)
		}
	}
	return all, rarest
}

// documentsWith returns how many documents have a lexeme as counted along with the postings, because counting those of a frequent one takes longer
// than searching for it. It returns 0 if the lexeme was not counted or there are no postings.
func (x *accelerator) documentsWith(lexeme string) int64 {
	if x == nil {
		return 0
	}
	if n := x.frequencies[lexeme]; n > 0 {
		return n
	}
	n, _ := x.rarer.Of(lexeme)
	return n
}
