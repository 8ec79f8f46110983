package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// blockBuilder builds the postings and values of blocks, one block at a time.
type blockBuilder struct {
	*postingsBuilder
	x        *accelerator
	searched []service.Field
	names    []string         // lexemes with postings, the empty one first
	places   map[string]int32 // of the lexemes, also the rarer ones
	every    []posting.Entry  // all documents
	lists    []posting.Buffer // of the lexemes
	list     []posting.Entry  // one of them
	// beginnings holds the lexemes without postings.
	beginnings posting.BeginningsBuilder
	// from is where the positions of each lexeme in the current document begin.
	from   []int32
	coder  posting.Coder
	fields []table.Field // whose values are kept
	// repeats holds the names of text fields whose values are known to repeat.
	repeats map[string]bool
	keyed   []table.Field // text fields whose order is kept, in keys
	keys    []*posting.KeysBuilder
	presenceBuilder
	// ordered maps the names of those fields whose order is kept, too, to the first block in which it is; order builds one of these.
	ordered map[string]int64
	order   *posting.KeysBuilder
	// Of the current document: how often each lexeme occurs in each field, lexeme by lexeme, and which lexemes occur at all.
	times []byte
	exact []byte // the counts of a lexeme before rounding
	seen  []int32
	// lengths and boosts are those of the documents, by offset; lengthsIn has the lengths of each field.
	lengths   []uint16
	lengthsIn [][]uint16
	boosts    []float32
	// counts is how many documents have each of the rarer lexemes, whose places follow those of names; last is the offset of the last document that has
	// it.
	counts, last []int32
}

func newBlockBuilder(b *postingsBuilder, x *accelerator) *blockBuilder {
	bb := &blockBuilder{postingsBuilder: b, x: x, searched: service.SearchedFields(b.ix), names: []string{posting.EveryDocument}, places: map[string]int32{}, ordered: map[string]int64{}}
	for name := range x.ordered {
		bb.ordered[name] = 0
	}
	for l := range x.frequencies {
		bb.places[l] = int32(len(bb.names))
		bb.names = append(bb.names, l)
	}
	bb.repeats = maps.Clone(x.kept)
	if bb.repeats == nil {
		bb.repeats = map[string]bool{}
	}
	bb.lists, bb.from = make([]posting.Buffer, len(bb.names)), make([]int32, len(bb.names))
	bb.times = make([]byte, len(bb.names)*len(bb.searched))
	bb.beginnings.Most = b.limits.occurrences
	bb.lengths, bb.boosts = make([]uint16, x.blockSize), make([]float32, x.blockSize)
	for range bb.searched {
		bb.lengthsIn = append(bb.lengthsIn, make([]uint16, x.blockSize))
	}
	rarer := len(x.rarer.Documents)
	bb.counts, bb.last = make([]int32, rarer), make([]int32, rarer)
	for i := range rarer {
		bb.places[x.rarer.Lexeme(i)] = int32(len(bb.names) + i)
	}
	bb.takeFields()
	if x.tellsPresence() {
		bb.presenceBuilder = newPresenceBuilder(b.sh)
	}
	return bb
}

// build builds one block in one snapshot.
func (bb *blockBuilder) build(ctx context.Context, block int64) error {
	err := pgx.BeginTxFunc(ctx, bb.conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		first := block * int64(bb.x.blockSize)
		if err := bb.stay(ctx, tx); err != nil {
			return err
		}
		if err := bb.takeLogged(ctx, tx, block); err != nil {
			return err
		}
		for i := range bb.lists {
			bb.lists[i].Reset()
		}
		bb.every = bb.every[:0]
		bb.coder.Patterns.Reset(len(bb.searched))
		bb.beginnings.Reset()
		for i := range bb.lengthsIn {
			clear(bb.lengthsIn[i])
		}
		for _, k := range bb.keys {
			k.Reset()
		}
		bb.presenceBuilder.reset()
		clear(bb.counts)
		for i := range bb.last {
			bb.last[i] = -1
		}
		values := make([]*blockvalues.Builder, len(bb.fields))
		for i := range values {
			values[i] = blockvalues.NewBuilder(bb.x.blockSize, bb.limits.values)
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

// takeLogged removes the documents of a block from the log. Rows that the transaction does not see stay. For a block that is built beside those in
// use, it records what to remove when the new blocks come into use.
func (bb *blockBuilder) takeLogged(ctx context.Context, tx pgx.Tx, block int64) error {
	const ofBlock = " WHERE _seq >= $1 AND _seq < $2"
	first := block * int64(bb.x.blockSize)
	end := first + int64(bb.x.blockSize)
	switch bb.sh.Set {
	case table.PostingsInUse:
		rows, _ := tx.Query(ctx, "DELETE FROM "+bb.sh.Touched()+ofBlock+" RETURNING _seq", first, end)
		documents, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		bb.renewal.take(block, documents)
		return err
	case table.PostingsOfNext:
		return nil // nobody writes to that table
	}
	var seq int64
	var writer uint32
	var documents []int64
	var writers []uint32
	rows, _ := tx.Query(ctx, "SELECT _seq, xmin FROM "+bb.sh.Touched()+ofBlock, first, end)
	_, err := pgx.ForEachRow(rows, []any{&seq, &writer}, func() error {
		documents, writers = append(documents, seq), append(writers, writer)
		return nil
	})
	bb.renewal.see(block, documents, writers)
	return err
}

// stay ensures that the postings in use remain those of this generation until the transaction ends. It must be the transaction's first statement:
// whoever removes the postings locks the table first, and may then rename others to take their place.
func (bb *blockBuilder) stay(ctx context.Context, tx pgx.Tx) error {
	if bb.sh.Set != table.PostingsInUse {
		return nil
	}
	if _, err := tx.Exec(ctx, "LOCK TABLE "+bb.sh.Table+" IN ACCESS SHARE MODE"); err != nil {
		return err
	}
	var there bool
	err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM rowan.accelerators WHERE index_id = $1 AND generation = $2)", bb.ix.ID, bb.x.generation).Scan(&there)
	if err == nil && !there {
		err = service.ErrStale
	}
	return err
}

// mostColumns bounds the columns that are read of a document: PostgreSQL selects at most 1,664.
const mostColumns = 1600

// takeFields chooses the fields whose values or order are kept, as far as they fit into one statement. Texts come last, and only those for which all
// existing blocks have values. Of other fields, the blocks know nothing.
func (bb *blockBuilder) takeFields() {
	room := mostColumns - len(bb.columns())
	for _, f := range bb.sh.Fields {
		if n := len(f.ValueColumns()); valued(f) && room >= n {
			bb.fields, room = append(bb.fields, f), room-n
		}
		if keyed(f) && room >= 2 {
			bb.keyed, bb.keys, room = append(bb.keyed, f), append(bb.keys, posting.NewKeysBuilder(bb.x.blockSize)), room-2
		}
	}
	for _, f := range bb.keyed {
		if n := len(f.ValueColumns()); f.Info.Kind != mapping.KindLevels && (bb.x.kept == nil || bb.x.kept[f.Name]) && room >= n {
			bb.fields, room = append(bb.fields, f), room-n
		}
	}
}

// columns returns what is read of each document.
func (bb *blockBuilder) columns() []string {
	columns := []string{"_seq", "_boost"}
	vectors := searchsql.Builder{Shape: bb.sh}
	for _, f := range bb.searched {
		columns = append(columns, vectors.Vector(f))
	}
	for _, f := range bb.fields {
		columns = append(columns, f.ValueColumns()...)
	}
	for _, f := range bb.keyed {
		columns = append(columns, searchsql.FirstValue(f, false), searchsql.FirstValue(f, true))
	}
	return append(columns, bb.presenceBuilder.column())
}

// scan reads the documents of a block.
func (bb *blockBuilder) scan(ctx context.Context, tx pgx.Tx, first int64, values []*blockvalues.Builder) error {
	columns := bb.columns()
	formats := make(pgx.QueryResultFormats, len(columns))
	for i := range formats {
		formats[i] = 1
	}
	rows, err := tx.Query(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+bb.sh.Table+" t WHERE _seq >= $1 AND _seq < $2 ORDER BY _seq",
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
		if err := bb.document(offset, boost, raw[:len(bb.searched)]); err != nil {
			return err
		}
		raw = raw[len(bb.searched):]
		for i, f := range bb.fields {
			exact, err := blockvalues.EachValue(f, raw[4*i:4*i+4], values[i].Add)
			if err != nil {
				return err
			}
			values[i].Full = values[i].Full || !exact
			values[i].End(offset)
		}
		raw = raw[4*len(bb.fields):]
		for i, k := range bb.keys {
			k.Add(offset, raw[2*i], raw[2*i+1])
		}
		if err := bb.presenceBuilder.add(offset, raw[2*len(bb.keys)]); err != nil {
			return err
		}
	}
	return rows.Err()
}

// document adds the postings of a document.
func (bb *blockBuilder) document(offset int, boost float64, vectors [][]byte) error {
	length, fields := 0, len(bb.searched)
	bb.seen = bb.seen[:0]
	for i, vector := range vectors {
		one := pgbinary.CountLexemes(vector)
		bb.lengthsIn[i][offset] = uint16(min(one, math.MaxUint16))
		length += one
		err := pgbinary.EachLexeme(vector, func(l []byte, o pgbinary.Occurrences) {
			place, ok := bb.places[string(l)]
			if !ok || int(place) >= len(bb.names) {
				bb.beginnings.Add(l, offset, i, o.Count)
			}
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
			times := bb.timesOf(place)
			if bytes.Count(times, []byte{0}) == fields {
				bb.seen = append(bb.seen, place)
				bb.from[place] = int32(len(bb.lists[place].Positions))
			}
			if times[i] = posting.ManyTimes; o.Count < posting.AboutTimes {
				times[i] = byte(o.Count)
			}
			list := &bb.lists[place]
			list.Positions = posting.AppendPositions(list.Positions, o)
		})
		if err != nil {
			return err
		}
	}
	for _, place := range bb.seen {
		times := bb.timesOf(place)
		bb.exact = append(bb.exact[:0], times...)
		pattern, err := bb.coder.Patterns.Place(times)
		if err != nil {
			return err
		}
		if !bytes.Equal(bb.exact, times) {
			bb.lists[place].Positions = posting.RoundPositions(bb.lists[place].Positions, int(bb.from[place]), bb.exact, times)
		}
		bb.lists[place].Add(posting.Entry{Offset: uint16(offset), Pattern: pattern})
		clear(times)
	}
	bb.every = append(bb.every, posting.Entry{Offset: uint16(offset)})
	bb.lengths[offset], bb.boosts[offset] = uint16(min(length, math.MaxUint16)), float32(boost)
	return nil
}

// timesOf returns how often a lexeme occurs in each field of the current document.
func (bb *blockBuilder) timesOf(place int32) []byte {
	fields := len(bb.searched)
	return bb.times[int(place)*fields : (int(place)+1)*fields]
}
