package store

import (
	"context"
	"math"
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// termCounts determines how many documents have each term of a plan. Earlier counts are remembered, terms with postings are counted from these; the
// rest may be counted together with the search if it only needs them for ranking.
type termCounts struct {
	store *Store
	plan  *service.Plan
	shape table.Shape
	known frequencies
	terms []termCount // for each term of the plan
	asked []string    // tsqueries that remain to be counted
	of    []int       // the index of the term that each of these belongs to; ofQuery for the whole query as one value
	whole termCount   // of the whole query as one value
	rare  bool        // a required term has no postings although common ones do
}

// ofQuery stands in place of a term for the whole query as one value.
const ofQuery = -1

// termCount is the number of documents with one term.
type termCount struct {
	query string // what must be counted; "" if nothing
	new   bool   // not counted before
	n     int64  // documents that match query, as far as they are counted
	least int64  // documents that have the term in any case
	near  int64  // documents with a word that the term may be a misspelling or a prefix of although it is itself a word
	stays int64  // replaces n unless n is 0: the count made along with the postings
	whole bool   // the whole query as one value contains it, too
	found int64  // documents that have the term, once everything is counted
}

// newTermCounts counts what can be counted without reading the table.
func (s *Store) newTermCounts(ctx context.Context, p *service.Plan, sh table.Shape, f frequencies) (*termCounts, error) {
	c := &termCounts{store: s, plan: p, shape: sh, known: f, terms: make([]termCount, len(p.Terms))}
	var x *accelerator
	for i, term := range p.Terms {
		t := &c.terms[i]
		t.query, t.least, t.near = uncounted(term, p.Fields)
		if query := wholeQuery(term, p.Fields); query != "" {
			c.whole.query, t.whole = query, true
		}
		if t.query == "" {
			continue
		}
		if n, ok := s.termCount(c.key(t.query), f); ok && !p.Recount {
			t.n = n
			continue
		}
		t.new = true
		if x == nil {
			var err error
			if x, err = s.accelerator(ctx, p.Index.ID); err != nil {
				return nil, err
			}
		}
		rest, err := c.countCommon(ctx, x, i)
		if err != nil {
			return nil, err
		}
		if rest != "" {
			c.asked, c.of = append(c.asked, rest), append(c.of, i)
		}
	}
	c.askForWhole()
	c.look()
	if len(c.asked) == 0 {
		c.remember()
	}
	return c, nil
}

// askForWhole adds the whole query as one value to what is asked, if it matters whether documents have it: if, as far as is known, no document has
// some term otherwise.
func (c *termCounts) askForWhole() {
	w := &c.whole
	if w.query == "" {
		return
	}
	n, known := c.store.termCount(c.key(w.query), c.known)
	if known && !c.plan.Recount {
		w.n = n
		return
	}
	if slices.ContainsFunc(c.terms, func(t termCount) bool { return t.whole && max(t.n, t.least, t.near) == 0 }) {
		w.new = true
		c.asked, c.of = append(c.asked, w.query), append(c.of, ofQuery)
	}
}

func (c *termCounts) key(query string) wordKey {
	return wordKey{c.plan.Index.ID, c.plan.Index.Version, query}
}

// countCommon counts the parts of a term that have postings, and returns the query for the rest.
func (c *termCounts) countCommon(ctx context.Context, x *accelerator, place int) (rest string, err error) {
	t := &c.terms[place]
	if x == nil {
		return t.query, nil
	}
	if of, ok := x.begunTerm(c.plan.Terms[place], c.plan.Fields, c.store.limits); ok && !c.plan.Recount {
		n, err := c.store.countBegun(ctx, x, c.shape, c.plan, of)
		switch {
		case c.store.withoutPostings(c.plan.Index, err):
			return t.query, nil
		case err != nil:
			return "", err
		case n > 0:
			t.n = n
			return "", nil
		}
	}
	alternatives, begun, rest, ok := x.commonTerm(c.plan.Terms[place], c.plan.Fields)
	if !ok {
		c.rare = c.rare || !c.plan.Terms[place].Optional && max(t.least, t.near) == 0
		n, ok := x.rarerTerm(c.plan.Terms[place], c.plan.Fields, c.known.documents)
		switch {
		case !ok && x.covered(c.plan.Terms[place], t.least, c.store.limits):
			t.new = false // this says nothing about the term for other searches
			return "", nil
		case !ok:
		case c.plan.Recount:
			t.stays = n
		default:
			t.n = n
			return "", nil
		}
		return t.query, nil
	}
	n, err := c.store.countCommon(ctx, x, c.shape, c.plan, alternatives, c.known.documents)
	if err == nil && n == 0 && begun != nil {
		n, err = c.store.countCommon(ctx, x, c.shape, c.plan, begun, c.known.documents)
	}
	if c.store.withoutPostings(c.plan.Index, err) {
		return t.query, nil
	}
	t.n = n
	return rest, err
}

// take takes the counts of the queries asked for.
func (c *termCounts) take(counts []int64) {
	for i, n := range counts {
		if c.of[i] == ofQuery {
			c.whole.n = n
			continue
		}
		t := &c.terms[c.of[i]]
		t.n += n
		if t.n > 0 && t.stays > 0 {
			t.n = t.stays
		}
	}
	c.asked = nil
	c.remember()
}

// finish counts what remains.
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
	for _, t := range append(c.terms, c.whole) {
		if t.new {
			c.store.terms.Put(c.key(t.query), documentsWith{t.n, c.known.state})
		}
	}
}

// rarities sets the rarity of each term, after everything has been counted. It returns how many documents are expected to have all required words,
// assuming that words are independent.
func (c *termCounts) rarities() (expected float64) {
	p, documents := c.plan, float64(c.known.documents)
	expected = max(documents, 1)
	for i, t := range c.terms {
		n := max(t.n, t.least)
		found := max(n, t.near)
		if t.whole && found == 0 {
			found = c.whole.n
		}
		if n == 0 {
			n = found
		}
		c.terms[i].found = found
		if total := max(documents, float64(found), 1); !p.Terms[i].Optional {
			expected *= float64(found) / total
		}
		p.Terms[i].Missing = found == 0 && t.query != ""
		p.Terms[i].Rarity, p.Terms[i].Carried = searchsql.Rarity(n, max(c.known.documents, n, 1)), searchsql.Rarity(found, max(c.known.documents, found, 1))
	}
	c.boundStopped()
	c.look()
	return expected
}

// likely returns about how many documents a search finds at most. expected is how many are expected to have all words.
func (c *termCounts) likely(expected float64) float64 {
	if c == nil {
		return math.Inf(1)
	}
	if c.plan.Match != service.MatchAny {
		return expected
	}
	sum, light := 0.0, c.plan.Light()
	for i, t := range c.terms {
		if !light[i] {
			sum += float64(t.found)
		}
	}
	return min(sum, float64(c.known.documents))
}

// stoppedRarity is the maximum rarity of a stop word beside other words: that of a word in half of the documents. Its real frequency is unknown,
// because most fields omit it, and those that keep it, such as names, rarely contain it. Of the movies whose titles have a stop word, 5.7 % did not
// come first for their whole title where this was the rarity of a word in four documents of five, and 1.5 % do not so.
var stoppedRarity = math.Log(1 + 1)

func (c *termCounts) boundStopped() {
	terms := c.plan.Terms
	if !slices.ContainsFunc(terms, func(t service.Term) bool { return !t.Optional }) {
		return
	}
	for i, t := range terms {
		if t.Optional && t.Stopped {
			terms[i].Rarity, terms[i].Carried = min(t.Rarity, stoppedRarity), min(t.Carried, stoppedRarity)
		}
	}
}
