package store

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// blockBuilder builds the postings and the values of blocks, one after the other.
type blockBuilder struct {
	*postingsBuilder
	x       *accelerator
	formula impactFormula
	names   []string         // lexemes with postings, the empty one first
	places  map[string]int32 // of them
	lists   [][]posting
	fields  []field // whose values are kept
	// Of the document at hand: the summed frequency and the best rank in a title of each of its lexemes.
	tf, title []float32
	seen      []int32
	// counts are how many documents have each of the rarer lexemes, whose places come after those of names; last is the
	// offset of the last document that has.
	counts, last []int32
}

func newBlockBuilder(b *postingsBuilder, x *accelerator) *blockBuilder {
	bb := &blockBuilder{postingsBuilder: b, x: x, formula: newImpactFormula(service.SearchedFields(b.ix), x.averageLength),
		names: []string{everyDocument}, places: map[string]int32{}}
	for l := range x.frequencies {
		bb.places[l] = int32(len(bb.names))
		bb.names = append(bb.names, l)
	}
	bb.lists = make([][]posting, len(bb.names))
	bb.tf, bb.title = make([]float32, len(bb.names)), make([]float32, len(bb.names))
	rarer := len(x.rarer.counts)
	bb.counts, bb.last = make([]int32, rarer), make([]int32, rarer)
	for i := range rarer {
		bb.places[x.rarer.lexeme(i)] = int32(len(bb.names) + i)
	}
	for _, f := range b.sh.fields {
		if f.valued() {
			bb.fields = append(bb.fields, f)
		}
	}
	return bb
}

// build builds one block in one snapshot.
func (bb *blockBuilder) build(ctx context.Context, block int64) error {
	err := pgx.BeginTxFunc(ctx, bb.conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		first := block * int64(bb.x.blockSize)
		// What the transaction does not see stays in the log.
		if _, err := tx.Exec(ctx, "DELETE FROM "+bb.sh.touched()+" WHERE _seq >= $1 AND _seq < $2", first, first+int64(bb.x.blockSize)); err != nil {
			return err
		}
		for i := range bb.lists {
			bb.lists[i] = bb.lists[i][:0]
		}
		clear(bb.counts)
		for i := range bb.last {
			bb.last[i] = -1
		}
		values := make([]*valuesBuilder, len(bb.fields))
		for i := range values {
			values[i] = newValuesBuilder(bb.x.blockSize)
		}
		if err := bb.scan(ctx, tx, first, values); err != nil {
			return err
		}
		return bb.write(ctx, tx, block, values)
	})
	if err == nil {
		bb.store.counted.blocks.Add(1)
	}
	return err
}

// scan reads the documents of a block.
func (bb *blockBuilder) scan(ctx context.Context, tx pgx.Tx, first int64, values []*valuesBuilder) error {
	columns := []string{"_seq", "_boost"}
	vectors := searchBuilder{shape: bb.sh}
	for _, f := range bb.formula.fields {
		columns = append(columns, vectors.vector(f))
	}
	for _, f := range bb.fields {
		columns = append(columns, f.valueColumns()...)
	}
	formats := make(pgx.QueryResultFormats, len(columns))
	for i := range formats {
		formats[i] = 1
	}
	rows, err := tx.Query(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+bb.sh.table+" t WHERE _seq >= $1 AND _seq < $2 ORDER BY _seq",
		formats, first, first+int64(bb.x.blockSize))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		offset := int(int64(binary.BigEndian.Uint64(raw[0])) - first)
		boost := math.Float64frombits(binary.BigEndian.Uint64(raw[1]))
		raw = raw[2:]
		if err := bb.document(offset, boost, raw[:len(bb.formula.fields)]); err != nil {
			return err
		}
		raw = raw[len(bb.formula.fields):]
		for i, f := range bb.fields {
			exact, err := f.eachValue(raw[4*i:4*i+4], values[i].add)
			if err != nil {
				return err
			}
			values[i].full = values[i].full || !exact
			values[i].end(offset)
		}
	}
	return rows.Err()
}

// document adds the postings of a document.
func (bb *blockBuilder) document(offset int, boost float64, vectors [][]byte) error {
	length := 0
	bb.seen = bb.seen[:0]
	for i, f := range bb.formula.fields {
		length += tsvectorLength(vectors[i])
		err := eachLexeme(vectors[i], func(l []byte, o occurrences) {
			place, ok := bb.places[string(l)]
			if !ok {
				return
			}
			if rarer := int(place) - len(bb.names); rarer >= 0 {
				if bb.last[rarer] != int32(offset) {
					bb.last[rarer] = int32(offset)
					bb.counts[rarer]++
				}
				return
			}
			if bb.tf[place] == 0 {
				bb.seen = append(bb.seen, place)
			}
			times := min(o.n, len(ranks)-1)
			bb.tf[place] += float32(f.Weight * rankFrequencies[times])
			if f.Title {
				bb.title[place] = max(bb.title[place], float32(ranks[times]))
			}
		})
		if err != nil {
			return err
		}
	}
	for _, place := range bb.seen {
		impact := bb.formula.impact(boost, float64(bb.tf[place]), float64(bb.title[place]), length)
		bb.lists[place] = append(bb.lists[place], newPosting(offset, float32(impact)))
		bb.tf[place], bb.title[place] = 0, 0
	}
	bb.lists[0] = append(bb.lists[0], newPosting(offset, float32(boost)))
	return nil
}

// write puts the block into the place of what was there of it.
func (bb *blockBuilder) write(ctx context.Context, tx pgx.Tx, block int64, values []*valuesBuilder) error {
	if _, err := tx.Exec(ctx, "DELETE FROM "+bb.sh.postings()+" p USING unnest($1::text[]) AS l WHERE p.lexeme = l AND p.block = $2", bb.names, block); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM "+bb.sh.values()+" WHERE block = $1", block); err != nil {
		return err
	}
	next := 0
	_, err := tx.CopyFrom(ctx, pgx.Identifier{bb.sh.derived, fit(bb.sh.name, "_postings")}, []string{"lexeme", "block", "documents", "top", "postings"},
		pgx.CopyFromFunc(func() ([]any, error) {
			for next < len(bb.lists) && len(bb.lists[next]) == 0 {
				next++
			}
			if next == len(bb.lists) {
				return nil, nil
			}
			list := bb.lists[next]
			top, data := encodePostings(list, bb.x.blockSize)
			next++
			return []any{bb.names[next-1], int32(block), int32(len(list)), top, data}, nil
		}))
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO "+bb.sh.counts()+" (block, documents) VALUES ($1, $2) ON CONFLICT (block) DO UPDATE SET documents = excluded.documents", block, bb.counts); err != nil {
		return err
	}
	for i, f := range bb.fields {
		if data := values[i].encode(); data != nil {
			if _, err := tx.Exec(ctx, "INSERT INTO "+bb.sh.values()+" (field, block, sets) VALUES ($1, $2, $3)", f.Name, block, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// valueColumns are what the values of a field are read from: the key and the spelling of one value, the keys
// and the spellings of several.
func (f field) valueColumns() []string {
	columns := []string{"t." + f.key(), "t." + f.value(), "t." + f.keys(), "t." + f.all()}
	if f.info.Kind == mapping.KindBool || f.info.Kind == mapping.KindNumber {
		for i := range columns {
			columns[i] += []string{"::text", "::text", "::text[]", "::text[]"}[i]
		}
	}
	return columns
}

// eachValue yields the key and the spelling of every value in the binary forms of the valueColumns. exact is false where a
// number has too many digits for a key.
func (f field) eachValue(raw [][]byte, add func(key, spelling []byte)) (exact bool, err error) {
	exact = true
	if f.info.Kind == mapping.KindNumber {
		one := func(text []byte) {
			if text == nil {
				return
			}
			if f.Type == mapping.Float {
				n, _ := strconv.ParseFloat(string(text), 64) // PostgreSQL has written it
				add([]byte(floatKey(n)), nil)
				return
			}
			key, ok := numberKey(string(text))
			if !ok {
				exact = false
				return
			}
			add([]byte(key), nil)
		}
		one(raw[0])
		if raw[2] != nil {
			err = eachElement(raw[2], one)
		}
		return exact, err
	}
	if f.info.Kind == mapping.KindDate {
		one := func(key []byte) {
			if len(key) == 8 {
				add([]byte(orderedKey(int64(binary.BigEndian.Uint64(key)))), nil)
			}
		}
		one(raw[0])
		if raw[2] != nil {
			err = eachElement(raw[2], one)
		}
		return true, err
	}
	if raw[2] == nil {
		if raw[0] != nil {
			add(raw[0], raw[1])
		}
		return true, nil
	}
	var keys [][]byte
	if err := eachElement(raw[2], func(key []byte) { keys = append(keys, slices.Clone(key)) }); err != nil {
		return false, err
	}
	i := 0
	return true, eachElement(raw[3], func(spelling []byte) {
		if i < len(keys) && keys[i] != nil {
			add(keys[i], spelling)
		}
		i++
	})
}
