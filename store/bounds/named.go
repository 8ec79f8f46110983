package bounds

import (
	"cmp"
	"slices"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
)

// nameTitles determines which titles of a block the query names: see service.Plan.TitleLexemes. One term by itself mostly names each title of that
// length that has it, for which there is nothing to do.
func (t *Tally) nameTitles(b *Block) {
	for j := range t.naming {
		if t.naming[j].looked {
			t.naming[j].named = t.namedIn(b, j)
		}
	}
}

// naming is what a tally knows about the titles in a field that the query names.
type naming struct {
	most int // service.TitleLexemes
	// looked reports whether more than the length of a title with a lexeme of the query must be looked at. named are the documents of the current block
	// with titles that the query names, if so.
	looked bool
	named  posting.Bitmap
	space  [2]posting.Bitmap
}

// bitmap returns an empty bitmap. It is reused for every other i.
func (n *naming) bitmap(space *blockvalues.Space, i int) posting.Bitmap {
	b := &n.space[i%2]
	if *b == nil {
		*b = space.Bitmap()
	}
	clear(*b)
	return *b
}

// namedIn returns the found documents of a block whose title in a field, given by its index in the plan, the query names. A phrase may stand elsewhere.
func (t *Tally) namedIn(b *Block, field int) posting.Bitmap {
	var terms []Term
	for _, term := range t.query.Terms {
		if term.names[field] {
			terms = append(terms, term)
		}
	}
	// The rarest first: few documents have it in a short title, and only these are looked up in the others.
	slices.SortStableFunc(terms, func(x, y Term) int { return cmp.Compare(t.occurrences(b, x), t.occurrences(b, y)) })
	title, among := t.titleIn(b, field, 0), b.Found
	for i, term := range terms {
		has := t.naming[field].bitmap(t.space, i)
		for _, g := range term.groups {
			if g.names {
				t.eachWith(b, g, field, among, func(offset int) {
					if title.length(offset)+g.fewer <= title.most {
						has.Set(offset)
					}
				})
			}
		}
		if among = has; among.Empty() {
			break
		}
	}
	return among
}

// occurrences returns about how many documents of a block have a term.
func (t *Tally) occurrences(b *Block, term Term) (n int) {
	for _, g := range term.groups {
		if !g.names {
			continue
		}
		for _, w := range g.lexemes {
			n += b.Postings[t.query.Places[w.lexeme]].Documents
		}
		if len(g.prefixes) > 0 {
			n += t.space.Size
		}
	}
	return n
}

// eachWith calls take for the documents among the given ones that have a group in a field, some more than once.
func (t *Tally) eachWith(b *Block, g group, field int, among posting.Bitmap, take func(offset int)) {
	of := t.query.InPattern[field]
	lexeme := func(text string) {
		p := b.Postings[t.query.Places[text]]
		column := p.Column(of)
		if p.Documents == 0 || column < 0 {
			return
		}
		t.codes.Take(p, among)
		for i, offset := range t.codes.Offsets {
			if p.Patterns[int(t.codes.Codes[i])*p.Width()+column] > 0 {
				take(int(offset))
			}
		}
	}
	for _, w := range g.lexemes {
		if w.in[field] {
			lexeme(w.lexeme)
		}
	}
	for _, w := range g.prefixes {
		if !w.in[field] {
			continue
		}
		for _, l := range t.query.Begin(w.lexeme) {
			lexeme(l)
		}
		b.EachBegun(t.query.Places, w.lexeme, func(_ []byte, offset, in int, _ byte) {
			if in == of && among.Has(offset) {
				take(offset)
			}
		})
	}
	for _, w := range g.phrases {
		if w.in[field] && t.mayStand(b, w, field) {
			has := t.space.Clone(b.Phrases[w.phrase])
			has.And(among)
			has.Each(take)
		}
	}
}
