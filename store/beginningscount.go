package store

import (
	"context"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/table"
)

// A number, or the first letters of a model, is a prefix of arbitrary lexemes, and the documents with any of these must be counted together, not word
// by word as in the vocabulary. To count them in the table, PostgreSQL would read each document.

// begunTerm has what the documents of a prefix term are counted by: lexemes with postings, and prefixes.
type begunTerm struct{ lexemes, prefixes, rows []string }

// begunTerm returns what must be counted for a term that is a prefix of words in many documents. Rare whole values are left out, as in commonTerm. ok
// is false for any other term, or if blocks cannot tell.
func (x *accelerator) begunTerm(t service.Term, fields []service.Field, limits accelerationLimits) (of begunTerm, ok bool) {
	var others []string
	for _, f := range fields {
		for _, one := range t.Alternatives[f.Analysis] {
			if one.Documents > 0 || one.OfQuery || x.rareWhole(one) {
				continue
			}
			if len(one.Sequence) != 1 {
				return of, false
			}
			l := one.Sequence[0]
			if _, common := x.frequencies[l.Text]; common && !l.Prefix {
				of.lexemes = append(of.lexemes, l.Text)
				continue
			}
			if !l.Prefix {
				others = append(others, l.Text)
				continue
			}
			rows, ok := posting.BeginningNames(l.Text)
			if !ok {
				return of, false
			}
			if !slices.Contains(of.prefixes, l.Text) {
				of.prefixes, of.rows = append(of.prefixes, l.Text), append(of.rows, rows...)
				of.lexemes = append(of.lexemes, x.commonWith(l.Text)...)
			}
		}
	}
	if slices.ContainsFunc(others, func(l string) bool {
		return !slices.ContainsFunc(of.prefixes, func(prefix string) bool { return strings.HasPrefix(l, prefix) })
	}) {
		return of, false
	}
	slices.Sort(of.lexemes)
	of.lexemes = slices.Compact(of.lexemes)
	// For fewer documents, the search reads the vectors in the round trip in which they are counted.
	documents := int64(0)
	for _, l := range of.lexemes {
		documents += x.frequencies[l]
	}
	return of, len(of.prefixes) > 0 && len(of.lexemes) <= maxExpansions && documents > limits.begun
}

// commonWith returns the lexemes with postings that begin with a prefix.
func (x *accelerator) commonWith(prefix string) (list []string) {
	for lexeme := range x.frequencies {
		if strings.HasPrefix(lexeme, prefix) {
			list = append(list, lexeme)
		}
	}
	slices.Sort(list)
	return list
}

// countBegun counts the documents that have such a term, as their blocks have them; it returns 0 if a block has too many lexemes to tell.
func (s *Store) countBegun(ctx context.Context, x *accelerator, sh table.Shape, p *service.Plan, of begunTerm) (n int64, err error) {
	tooMany := false
	n, err = s.countInBlocks(ctx, x, sh, p, slices.Concat(of.lexemes, of.rows, []string{posting.BeginningsOf}), func(t *blockTally, b *block) posting.Bitmap {
		tooMany = tooMany || t.tooMany()
		any := t.space.Bitmap()
		for _, l := range of.lexemes {
			if p := b.Postings[t.places[l]]; p.Documents > 0 {
				p.AddTo(any)
			}
		}
		for _, prefix := range of.prefixes {
			t.eachBegun(b, prefix, func(_ []byte, offset, _ int, _ byte) { any.Set(offset) })
		}
		return any
	})
	if tooMany {
		n = 0
	}
	return n, err
}
