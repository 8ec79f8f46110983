package store

import (
	"context"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/table"
)

// write replaces the stored rows of the block.
func (bb *blockBuilder) write(ctx context.Context, tx pgx.Tx, block int64, values []*blockvalues.Builder) error {
	names := slices.Clone(bb.names)
	for _, f := range bb.searched {
		names = append(names, posting.LengthsOf+f.Name)
	}
	for _, f := range bb.keyed {
		names = append(names, posting.KeysOf+f.Name)
	}
	for _, l := range bb.names[1:] {
		names = append(names, posting.PositionsOf+l)
	}
	replaced := slices.Concat(names, posting.AllBeginnings)
	for _, f := range bb.sh.Fields {
		replaced = append(replaced, posting.KeysOf+f.Name, posting.PresentOf+f.Name)
	}
	if _, err := tx.Exec(ctx, "DELETE FROM "+bb.sh.Postings()+" p USING unnest($1::text[]) AS l WHERE p.lexeme = l AND p.block = $2", replaced, block); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM "+bb.sh.Values()+" WHERE block = $1", block); err != nil {
		return err
	}
	if len(bb.every) == 0 { // nothing is left of it: where documents come and go, this happens to more and more blocks
		_, err := tx.Exec(ctx, "DELETE FROM "+bb.sh.Counts()+" WHERE block = $1", block)
		return err
	}
	// The rows are produced one at a time: together they take megabytes.
	nextRow, stop := iter.Pull2(bb.beginnings.Rows)
	defer stop()
	next := 0
	_, err := tx.CopyFrom(ctx, pgx.Identifier{bb.sh.Derived, bb.sh.OfPostings("postings")}, []string{"lexeme", "block", "documents", "postings"},
		pgx.CopyFromFunc(func() ([]any, error) {
			for next < len(names) && bb.empty(next) {
				next++
			}
			if next == len(names) {
				if name, data, ok := nextRow(); ok {
					return []any{name, int32(block), int32(len(bb.every)), data}, nil
				}
				return nil, nil
			}
			next++
			documents, data := bb.encode(next - 1)
			return []any{names[next-1], int32(block), int32(documents), data}, nil
		}))
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO "+bb.sh.Counts()+" (block, documents) VALUES ($1, $2) ON CONFLICT (block) DO UPDATE SET documents = excluded.documents", block, bb.counts); err != nil {
		return err
	}
	if err := bb.writePresence(ctx, tx, block); err != nil {
		return err
	}
	return bb.writeValues(ctx, tx, block, values)
}

// writeValues writes the values of the fields that keep them, and the order of the fields that have too many.
func (bb *blockBuilder) writeValues(ctx context.Context, tx pgx.Tx, block int64, values []*blockvalues.Builder) error {
	var kept []table.Field
	for i, f := range bb.fields {
		var data []byte
		if valued(f) || bb.repeat(f, values[i]) {
			data = values[i].Encode()
		}
		if data != nil || valued(f) {
			kept = append(kept, f)
		}
		if !keyed(f) && (data == nil || bb.isOrdered(f.Name)) {
			if err := bb.writeOrder(ctx, tx, block, f); err != nil {
				return err
			}
		}
		if data != nil {
			if _, err := tx.Exec(ctx, "INSERT INTO "+bb.sh.Values()+" (field, block, sets) VALUES ($1, $2, $3)", f.Name, block, data); err != nil {
				return err
			}
		}
	}
	// The values of texts are only useful if all blocks have them.
	bb.fields = kept
	return nil
}

// empty reports whether a block has no i-th row.
func (bb *blockBuilder) empty(i int) bool {
	if i < len(bb.lists) {
		return i > 0 && bb.lists[i].Documents == 0
	}
	// A field without an order means that the block was built before there was one.
	i -= len(bb.lists)
	switch place := i - len(bb.lengthsIn) - len(bb.keys) + 1; {
	case place > 0:
		return !bb.limits.storesPositions(bb.names[place], bb.lists[place].Documents)
	case i >= len(bb.lengthsIn):
		return false
	}
	return !slices.ContainsFunc(bb.lengthsIn[i], func(length uint16) bool { return length > 0 })
}

// encode returns the i-th row of a block and how many documents it covers. The rows are: all documents, the lexemes, the lengths of the fields, the
// order of text fields, the positions of the lexemes.
func (bb *blockBuilder) encode(i int) (documents int, data []byte) {
	every := bb.every
	span, others := int(every[len(every)-1].Offset)+1, len(bb.lists)+len(bb.lengthsIn)
	switch {
	case i == 0:
		return len(every), posting.EncodeMeasures(every, bb.lengths, bb.boosts, bb.x.blockSize)
	case i < len(bb.lists):
		bb.list = bb.lists[i].AppendTo(bb.list[:0])
		return len(bb.list), bb.coder.Encode(bb.list, bb.x.blockSize)
	case i < others:
		return len(every), posting.AppendLengths(nil, bb.lengthsIn[i-len(bb.lists)][:span])
	case i < others+len(bb.keys):
		return len(every), bb.keys[i-others].Encode(span)
	default:
		list := bb.lists[i-others-len(bb.keys)+1]
		return list.Documents, list.Positions
	}
}
