package store

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/jackc/pgx/v5"
)

// blockTally goes through the blocks of an index and adds up what a search wants to know of them.
type blockTally struct {
	search  *accelerated
	changed map[int64][]int // offsets of changed documents, by block
	sums    []float32       // bounds of the documents of a block
	places  map[string]int  // of the lexemes
	// valuesBy are the values of the fields, by block.
	valuesBy map[int64][]*values

	total     int // documents found in the blocks
	documents int // documents of the blocks, where every one is looked at
	facets    []facetCounts
	ranked    []bounded
	threshold float32
	dropped   float32
}

// block is one block as it is read: the postings of each of the search's lexemes, the values of each of its fields.
type block struct {
	number   int64
	size     int
	postings []postings
	values   []*values
	exists   bitmap
}

// all returns a bitmap of the whole block.
func (b *block) all() bitmap {
	all := newBitmap(b.size)
	for i := range all {
		all[i] = math.MaxUint64
	}
	return all
}

func newBlockTally(a *accelerated, changed []int64) *blockTally {
	t := &blockTally{search: a, changed: map[int64][]int{}, sums: make([]float32, a.blockSize), places: map[string]int{},
		valuesBy: map[int64][]*values{}, facets: make([]facetCounts, len(a.plan.Facets)), threshold: -1, dropped: -1}
	for i, l := range a.lexemes {
		t.places[l] = i
	}
	size := int64(a.blockSize)
	for _, seq := range changed {
		t.changed[seq/size] = append(t.changed[seq/size], int(seq%size))
	}
	for i := range t.facets {
		t.facets[i] = facetCounts{}
	}
	return t
}

// read goes through all blocks. done is false where a field has too many values to be kept.
func (t *blockTally) read(ctx context.Context, tx pgx.Tx) (done bool, err error) {
	a := t.search
	if len(a.valued) > 0 {
		if err := t.readValues(ctx, tx); err != nil {
			return false, err
		}
	}
	// The order is that of the blocks, so that one is in memory at a time. The blocks are found by their
	// lexemes. CacheDescribe, because only what was described comes in binary form.
	rows, err := tx.Query(ctx, "SELECT lexeme, block, documents, top, postings FROM "+a.sh.postings()+
		" WHERE lexeme = ANY($1::text[]) ORDER BY block", pgx.QueryExecModeCacheDescribe, pgx.QueryResultFormats{1, 1, 1, 1, 1}, a.lexemes)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	b := &block{number: -1, size: a.blockSize}
	done = true
	for rows.Next() && done {
		raw := rows.RawValues()
		number := int64(binary.BigEndian.Uint32(raw[1]))
		if number != b.number {
			done = t.add(b)
			b = &block{number: number, size: a.blockSize, postings: make([]postings, len(a.lexemes))}
		}
		documents := int(binary.BigEndian.Uint32(raw[2]))
		top := math.Float32frombits(binary.BigEndian.Uint32(raw[3]))
		p, ok := decodePostings(documents, top, append([]byte(nil), raw[4]...), a.blockSize)
		if !ok {
			return false, nil
		}
		b.postings[t.places[string(raw[0])]] = p
	}
	if err := rows.Err(); err != nil {
		return false, err
	}
	return done && t.add(b), nil
}

func (t *blockTally) readValues(ctx context.Context, tx pgx.Tx) error {
	a := t.search
	places := map[string]int{}
	for i, name := range a.valued {
		places[name] = i
	}
	rows, err := tx.Query(ctx, "SELECT field, block, sets FROM "+a.sh.values()+" WHERE field = ANY($1::text[])",
		pgx.QueryExecModeCacheDescribe, pgx.QueryResultFormats{1, 1, 1}, a.valued)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		v, err := decodeValues(append([]byte(nil), raw[2]...), a.blockSize)
		if err != nil {
			return err
		}
		number := int64(binary.BigEndian.Uint32(raw[1]))
		if t.valuesBy[number] == nil {
			t.valuesBy[number] = make([]*values, len(a.valued))
		}
		t.valuesBy[number][places[string(raw[0])]] = v
	}
	return rows.Err()
}

// add adds up one block. It returns false if values that the search needs are not there.
func (t *blockTally) add(b *block) bool {
	if b.number < 0 {
		return true
	}
	a := t.search
	found := t.found(b)
	if found.empty() {
		return true
	}
	if len(a.valued) > 0 {
		if b.values = t.valuesBy[b.number]; b.values == nil {
			return false
		}
		for _, v := range b.values {
			if v == nil {
				return false
			}
		}
	}
	if a.filter != nil {
		found.and(a.filter(b))
	}
	t.total += found.count()
	for i, name := range a.plan.Facets {
		t.facets[i].count(b.values[a.value(name)], found)
	}
	if a.byScore && a.plan.Limit > 0 {
		t.bound(b, found)
	}
	return true
}

// found returns the documents of a block that have the words, without those that have changed.
func (t *blockTally) found(b *block) bitmap {
	var found bitmap
	if place, ok := t.places[everyDocument]; ok {
		found = newBitmap(b.size)
		b.postings[place].addTo(found)
		t.documents += b.postings[place].documents
	}
	for _, term := range t.search.terms {
		if !term.required {
			continue
		}
		has := newBitmap(b.size)
		for _, l := range term.lexemes {
			if p := b.postings[t.places[l]]; p.documents > 0 {
				p.addTo(has)
			}
		}
		if found == nil {
			found = has
		} else {
			found.and(has)
		}
	}
	for _, l := range t.search.excluded {
		if p := b.postings[t.places[l]]; p.documents > 0 {
			not := newBitmap(b.size)
			p.addTo(not)
			found.andNot(not)
		}
	}
	for _, offset := range t.changed[b.number] {
		found.clear(offset)
	}
	return found
}

// bound adds up the impacts of the found documents of a block, and offers those with the largest sums.
func (t *blockTally) bound(b *block, found bitmap) {
	clear(t.sums)
	for _, term := range t.search.terms {
		for i, l := range term.lexemes {
			if p := b.postings[t.places[l]]; p.documents > 0 {
				p.addImpacts(found, float32(term.weights[i]), t.sums)
			}
		}
	}
	first := b.number * int64(b.size)
	for i, w := range found {
		for ; w != 0; w &= w - 1 {
			offset := 64*i + bits.TrailingZeros64(w)
			if bound := t.sums[offset]; bound > t.threshold {
				t.offer(first+int64(offset), bound)
			} else {
				t.dropped = max(t.dropped, bound)
			}
		}
	}
}
