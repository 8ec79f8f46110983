package bounds

import (
	"math/bits"

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

// bitmap returns an empty bitmap, in the place of the one before the last.
func (n *naming) bitmap(space *blockvalues.Space) posting.Bitmap {
	n.space[0], n.space[1] = n.space[1], n.space[0]
	if n.space[0] == nil {
		n.space[0] = space.Bitmap()
	}
	clear(n.space[0])
	return n.space[0]
}

// namedIn returns the found documents of a block whose title in a field, given by its index in the plan, the query names. A phrase may stand elsewhere.
func (t *Tally) namedIn(b *Block, field int) posting.Bitmap {
	naming, title := &t.naming[field], t.titleIn(b, field, 0)
	// Few titles are that short, and only these are looked up in the postings.
	among := naming.bitmap(t.space)
	title.short(b.Found, among)
	for _, term := range t.query.Terms {
		if !term.names[field] {
			continue
		}
		if among.Empty() {
			break
		}
		has := naming.bitmap(t.space)
		for _, g := range term.groups {
			if g.names {
				t.eachWith(b, g, field, among, func(offset int) {
					if title.length(offset)+g.fewer <= title.most {
						has.Set(offset)
					}
				})
			}
		}
		among = has
	}
	return among
}

// short adds those of the documents to a list whose title has a length that the query can name.
func (l titleLengths) short(of, list posting.Bitmap) {
	for i, w := range of {
		for ; w != 0; w &= w - 1 {
			offset := 64*i + bits.TrailingZeros64(w)
			if n := l.length(offset); n > 0 && n <= l.most {
				list.Set(offset)
			}
		}
	}
}

// eachWith calls take for the documents among the given ones that have a group in a field, some more than once.
func (t *Tally) eachWith(b *Block, g group, field int, among posting.Bitmap, take func(offset int)) {
	defer t.space.GiveBack(t.space.Given())
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
