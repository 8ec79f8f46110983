package store

import (
	"context"
	"math"

	"github.com/rowansearch/rowan/service"
)

// termCounts finds out how many documents have each term of a plan. What was counted before is remembered, what has
// postings is counted from these; the rest may be counted together with the search, where that needs it only to rank.
type termCounts struct {
	store   *Store
	plan    *service.Plan
	shape   shape
	known   *frequencies
	queries []string // of the terms, what has to be counted of them
	least   []int64  // of the terms, documents that have them all the same
	unknown []int    // terms that nobody has counted yet
	counts  []int64  // of these, as far as they are counted
	asked   []string // what is left to be counted
	of      []int    // which of the unknown terms that belongs to
	rare    bool     // a term that must be there has no postings where common ones do
}

// newTermCounts counts what can be counted without the table.
func (s *Store) newTermCounts(ctx context.Context, p *service.Plan, sh shape, f *frequencies) (*termCounts, error) {
	c := &termCounts{store: s, plan: p, shape: sh, known: f, queries: make([]string, len(p.Terms)), least: make([]int64, len(p.Terms))}
	for i, t := range p.Terms {
		c.queries[i], c.least[i] = uncounted(t, p.Fields)
	}
	s.freqMu.Lock()
	for i, q := range c.queries {
		if _, ok := f.terms[q]; !ok && q != "" {
			c.unknown = append(c.unknown, i)
		}
	}
	s.freqMu.Unlock()
	if len(c.unknown) == 0 {
		return c, nil
	}
	c.counts = make([]int64, len(c.unknown))
	x, err := s.accelerator(ctx, p.Index.ID)
	if err != nil {
		return nil, err
	}
	for i, place := range c.unknown {
		query := c.queries[place]
		if x != nil {
			alternatives, rest, ok := x.commonTerm(p.Terms[place], p.Fields)
			if ok {
				c.counts[i], err = s.countCommon(ctx, x, sh, alternatives)
				switch {
				case gone(err): // they are being built anew
					s.forgetAccelerator(p.Index.ID)
					x = nil
				case err != nil:
					return nil, err
				default:
					query = rest
				}
			} else if !p.Terms[place].Optional && c.least[place] == 0 {
				c.rare = true
			}
		}
		if query != "" {
			c.asked, c.of = append(c.asked, query), append(c.of, i)
		}
	}
	if len(c.asked) == 0 {
		c.remember()
	}
	return c, nil
}

// take takes the counts of what was asked.
func (c *termCounts) take(counts []int64) {
	for i, n := range counts {
		c.counts[c.of[i]] += n
	}
	c.asked = nil
	c.remember()
}

// finish counts what is left.
func (c *termCounts) finish(ctx context.Context) error {
	if len(c.asked) == 0 {
		return nil
	}
	counts, err := c.store.count(ctx, c.shape, c.asked)
	if err == nil {
		c.take(counts)
	}
	return err
}

func (c *termCounts) remember() {
	c.store.freqMu.Lock()
	defer c.store.freqMu.Unlock()
	if len(c.known.terms) > maxTerms {
		clear(c.known.terms)
	}
	for i, place := range c.unknown {
		c.known.terms[c.queries[place]] = c.counts[i]
	}
}

// rarities fills in the rarity of each term: ln(1 + (N - n + ½) / (n + ½)) for n of N documents, the idf of
// BM25 as Lucene has it, never negative. It returns how many documents are likely to have all words that must be there:
// as many as if each were in any document as likely as in another. Everything is counted by then.
func (c *termCounts) rarities() (expected float64) {
	c.store.freqMu.Lock()
	defer c.store.freqMu.Unlock()
	f, p := c.known, c.plan
	expected = max(float64(f.documents), 1)
	for i := range p.Terms {
		n := float64(max(f.terms[c.queries[i]], c.least[i]))
		total := max(float64(f.documents), n, 1)
		if !p.Terms[i].Optional {
			expected *= n / total
		}
		p.Terms[i].Rarity = math.Log(1 + (total-n+0.5)/(n+0.5))
	}
	return expected
}
