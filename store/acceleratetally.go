package store

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/bounds"
	"github.com/rowansearch/rowan/store/facets"
	"github.com/rowansearch/rowan/store/posting"
)

// blockTally goes through the blocks of an index and collects what a search needs of them.
type blockTally struct {
	search  *accelerated
	ahead   *ahead // requested before the snapshot existed, nil if that was in vain
	space   *blockvalues.Space
	looked  []int64         // documents that are examined themselves
	changed map[int64][]int // offsets of documents that are not found, whatever the blocks say, by block
	values  knownValues
	codes   posting.CodeList
	places  map[string]int // of the lexemes
	blocks  []*block
	bounds  *bounds.Tally

	total    int // number of matching documents in the blocks
	every    int // those that have all words
	enough   int // those that match without the facets' own conditions
	rarities []float64
	facets   facets.Counts
}

// block is one block as read: the postings of each of the search's lexemes and the values of each of its fields.
type block struct {
	blockVersion
	bounds.Block
	size      int
	documents int
	values    []*blockvalues.Values
	tied      tiedMembers
}

func newBlockTally(a *accelerated, space *blockvalues.Space, c changedDocuments) *blockTally {
	t := &blockTally{search: a, space: space, looked: c.looked, changed: map[int64][]int{}, places: map[string]int{},
		facets: facets.NewCounts(a.plan)}
	for i, l := range a.lexemes {
		t.places[l] = i
	}
	size := int64(a.blockSize)
	for _, seq := range c.all {
		t.changed[seq/size] = append(t.changed[seq/size], int(seq%size))
	}
	t.bounds = bounds.New(a.boundsQuery(t.places), space)
	return t
}

// boundsQuery returns the search as bounds depend on it; places has the indices of the lexemes.
func (a *accelerated) boundsQuery(places map[string]int) bounds.Query {
	q := bounds.Query{Plan: a.plan, Ranking: a.ranking, InPattern: a.inPattern, Places: places, Begin: a.beginWith}
	for _, term := range a.terms {
		q.Terms = append(q.Terms, term.bound)
	}
	for _, p := range a.phrases {
		q.Phrases = append(q.Phrases, p.lexemes)
	}
	return q
}

// bounded returns the blocks from which bounds are computed.
func (t *blockTally) bounded() []*bounds.Block {
	blocks := make([]*bounds.Block, len(t.blocks))
	for i, b := range t.blocks {
		blocks[i] = &b.Block
	}
	return blocks
}

// takeBlocks reads the list of blocks.
func (t *blockTally) takeBlocks(rows pgx.Rows) error {
	a := t.search
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		b := newBlock(a, blockVersion{int64(binary.BigEndian.Uint32(raw[0])), binary.BigEndian.Uint32(raw[1])})
		b.documents = int(binary.BigEndian.Uint32(raw[2]))
		t.blocks = append(t.blocks, b)
	}
	return rows.Err()
}

func newBlock(a *accelerated, v blockVersion) *block {
	return &block{blockVersion: v, size: a.blockSize,
		Block: bounds.Block{First: v.number * int64(a.blockSize), Postings: make([]posting.List, len(a.lexemes))}}
}

// block returns the block with the given number, nil if there is none.
func (t *blockTally) block(number int64) *block {
	i, ok := t.placeOf(number)
	if !ok {
		return nil
	}
	return t.blocks[i]
}

// placeOf returns the index of a block in t.blocks.
func (t *blockTally) placeOf(number int64) (i int, ok bool) {
	return slices.BinarySearchFunc(t.blocks, number, func(b *block, number int64) int { return int(b.number - number) })
}

// find finds the documents of each block that have the words.
func (t *blockTally) find() {
	for _, b := range t.blocks {
		b.Found = t.found(b, true)
		t.total += b.Found.Count()
	}
}

// documents returns the number of documents in the blocks, matching or not.
func (t *blockTally) documents() (n int) {
	for _, b := range t.blocks {
		n += b.documents
	}
	return n
}

// filter applies the filter and counts the facets. done is false if the blocks cannot answer, for example because a field has too many values to be
// kept.
func (t *blockTally) filter(ctx context.Context, db querier) (done bool, err error) {
	a := t.search
	if err := a.cache.valuesCache.complete(ctx, db, a, &t.values); err != nil {
		return false, err
	}
	t.total, t.every, t.enough = 0, 0, 0
	for _, b := range t.blocks {
		if b.Found.Empty() {
			continue
		}
		// PostgreSQL's time limit covers its statements only, not what is done here.
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if !t.takeValues(b) || !t.setAside(b) || !t.setAsideOfFacets(b) || len(t.looked) > a.mostLooked {
			return false, nil
		}
		if a.filter != nil {
			b.Found = a.filter(b, b.Found)
		}
		own := map[string]posting.Bitmap{}
		for name, of := range a.own {
			own[name] = of(b, b.Found)
		}
		if t.countFacets(b, own) > a.limits.facetValues {
			return false, nil
		}
		t.enough += b.Found.Count()
		for _, bits := range own {
			b.Found.And(bits)
		}
		t.total += b.Found.Count()
		if a.any() {
			b.Every.And(b.Found)
			t.every += b.Every.Count()
		} else {
			t.every = t.total
		}
	}
	return true, nil
}

// countFacets counts the facets in a block. own are the documents that satisfy each facet's own condition: a facet counts those that satisfy the
// conditions of all other facets. It returns the number of distinct values so far, except for those counted from the order of their fields.
func (t *blockTally) countFacets(b *block, own map[string]posting.Bitmap) (values int) {
	defer t.space.GiveBack(t.space.Given())
	a := t.search
	for i, name := range a.plan.Facets {
		among := b.Found
		if len(own) > 0 {
			among = t.space.Clone(b.Found)
			for other, bits := range own {
				if other != name {
					among.And(bits)
				}
			}
		}
		if a.countsOrder(name) {
			t.facets[i].CountKeys(a.keysIn(b, name), among)
		} else {
			t.facets[i].Count(b.values[a.value(name)], among, t.space)
		}
		values += len(t.facets[i].Values)
	}
	return values
}

// takeValues sets the values of a block; ok is false if the block lacks those of some field.
func (t *blockTally) takeValues(b *block) (ok bool) {
	b.values = t.values.blocks[b.number]
	return len(b.values) == len(t.search.valued) && !slices.Contains(b.values, nil)
}

// found returns the documents of a block that have the words, without those that have changed. Unless phrases are verified, it returns all that may
// match.
func (t *blockTally) found(b *block, verified bool) posting.Bitmap {
	kept := t.space.Bitmap()
	if t.search.any() {
		b.Every = t.space.Full()
	}
	defer t.space.GiveBack(t.space.Given())
	copy(kept, t.foundInSpace(b, verified))
	return kept
}

func (t *blockTally) foundInSpace(b *block, verified bool) posting.Bitmap {
	var found posting.Bitmap
	if t.search.everything {
		found = t.hasOne(b, posting.EveryDocument)
	}
	if t.search.any() {
		found = t.foundAny(b)
	}
	for _, term := range t.search.terms {
		switch {
		case !term.required || t.search.any():
		case found == nil:
			found = t.has(b, term)
		case len(term.lexemes) == 1 && len(term.phrases) == 0 && len(term.in) == 0 && len(term.prefixes) == 0:
			t.keepIn(found, b.Postings[t.places[term.lexemes[0]]])
		default:
			found.And(t.has(b, term))
		}
	}
	for _, term := range t.search.excluded {
		if verified {
			found.AndNot(t.has(b, term))
		} else {
			found.AndNot(t.hasLexeme(b, term))
		}
	}
	for _, offset := range t.changed[b.number] {
		found.Clear(offset)
	}
	return found
}

// keepIn removes from found the documents that are not among the postings.
func (t *blockTally) keepIn(found posting.Bitmap, p posting.List) {
	if p.Sought(found.Count(), len(found)*64) {
		p.KeepIn(found)
		return
	}
	has := t.space.Bitmap()
	p.AddTo(has)
	found.And(has)
}

// has returns the documents of a block that have a term.
func (t *blockTally) has(b *block, term acceleratedTerm) posting.Bitmap {
	has := t.hasLexeme(b, term)
	for _, place := range term.phrases {
		has.Or(b.Phrases[place])
	}
	return has
}

// hasLexeme returns the documents of a block that have one of a term's lexemes in a field in which it counts.
func (t *blockTally) hasLexeme(b *block, term acceleratedTerm) posting.Bitmap {
	has := t.space.Bitmap()
	for _, l := range term.lexemes {
		p := b.Postings[t.places[l]]
		switch in := term.in[l]; {
		case p.Documents == 0:
		case in == nil:
			p.AddTo(has)
		default:
			t.addIn(has, p, in)
		}
	}
	for _, prefix := range term.prefixes {
		in := term.prefixIn[prefix]
		t.eachBegun(b, prefix, func(_ []byte, offset, field int, _ byte) {
			if in == nil || in[field] {
				has.Set(offset)
			}
		})
	}
	return has
}

// addIn adds the documents that have a lexeme in one of the given fields.
func (t *blockTally) addIn(has posting.Bitmap, p posting.List, in []bool) {
	wanted := make([]bool, len(p.Patterns)/p.Width())
	for field := range in {
		column := p.Column(field)
		if !in[field] || column < 0 {
			continue
		}
		for code := range wanted {
			wanted[code] = wanted[code] || p.Patterns[code*p.Width()+column] > 0
		}
	}
	if !slices.Contains(wanted, false) {
		p.AddTo(has)
		return
	}
	t.codes.Take(p, t.space.Full())
	for i, offset := range t.codes.Offsets {
		if wanted[t.codes.Codes[i]] {
			has.Set(int(offset))
		}
	}
}

// hasOne returns the documents of a block that have a lexeme.
func (t *blockTally) hasOne(b *block, lexeme string) posting.Bitmap {
	has := t.space.Bitmap()
	if p := b.Postings[t.places[lexeme]]; p.Documents > 0 {
		p.AddTo(has)
	}
	return has
}

// foundAny returns the documents of a block whose words carry enough of the query's rarity, and reduces b.every to those of them that have all words.
func (t *blockTally) foundAny(b *block) posting.Bitmap {
	found := t.space.Bitmap()
	if t.rarities == nil {
		t.rarities = make([]float64, b.size)
	}
	clear(t.rarities)
	for _, term := range t.search.terms {
		has := t.has(b, term)
		if !term.optional {
			b.Every.And(has)
		}
		if term.carried > 0 {
			has.Each(func(offset int) { t.rarities[offset] += term.carried })
		}
		found.Or(has)
	}
	if t.search.plan.Threshold > 0 {
		least := t.search.plan.LeastCarried()
		found.Each(func(offset int) {
			if t.rarities[offset] < least {
				found.Clear(offset)
			}
		})
	}
	b.Every.And(found)
	return found
}
