package store

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// If a field has nearly as many values as documents, as prices and instants often have, blocks do not keep its values. They keep the order of their
// documents by the field instead, in the same form as for texts: posting.TextKeys.

// isOrdered reports whether the blocks keep the order of a field.
func (bb *blockBuilder) isOrdered(name string) bool {
	_, ok := bb.ordered[name]
	return ok
}

// writeOrder writes the order of the documents of a block by the values of a field.
func (bb *blockBuilder) writeOrder(ctx context.Context, tx pgx.Tx, block int64, f table.Field) error {
	if !bb.isOrdered(f.Name) {
		bb.ordered[f.Name] = block
	}
	if bb.order == nil {
		bb.order = posting.NewKeysBuilder(bb.x.blockSize)
	}
	bb.order.Reset()
	first := block * int64(bb.x.blockSize)
	least, most := searchsql.FirstValue(f, false), searchsql.FirstValue(f, true)
	if f.Info.Kind == mapping.KindNumber {
		least, most = least+"::text", most+"::text"
	}
	rows, err := tx.Query(ctx, fmt.Sprintf("SELECT _seq, %s, %s FROM %s t WHERE _seq >= $1 AND _seq < $2", least, most, bb.sh.Table),
		pgx.QueryResultFormats{1, 1, 1}, first, first+int64(bb.x.blockSize))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		least, exact := blockvalues.KeyInOrder(f, raw[1])
		most, exactMost := blockvalues.KeyInOrder(f, raw[2])
		bb.order.Rounded = bb.order.Rounded || !exact || !exactMost
		bb.order.Add(int(int64(binary.BigEndian.Uint64(raw[0]))-first), least, most)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	span := int(bb.every[len(bb.every)-1].Offset) + 1
	_, err = tx.Exec(ctx, "INSERT INTO "+bb.sh.Postings()+" (lexeme, block, documents, postings) VALUES ($1, $2, $3, $4)", posting.KeysOf+f.Name, block, len(bb.every), bb.order.Encode(span))
	return err
}

// withoutOrder returns the block number before which blocks have to be built again: they were built before some field was found to need an order.
func (bb *blockBuilder) withoutOrder() (block int64) {
	for _, since := range bb.ordered {
		block = max(block, since)
	}
	return block
}

// readOrdered reads for which fields all blocks (with some: any block) keep the order.
func (x *accelerator) readOrdered(ctx context.Context, db rowQuerier, r table.Relations, some bool) error {
	var names []string
	var all []bool
	err := db.QueryRow(ctx, fmt.Sprintf(`SELECT coalesce(array_agg(substr(lexeme, 2)), '{}'), coalesce(array_agg(n = (SELECT count(*) FROM %[1]s WHERE lexeme = '')), '{}')
		FROM (SELECT lexeme, count(*) AS n FROM %[1]s WHERE lexeme > $1 AND lexeme < $2 GROUP BY lexeme) AS o`, r.Postings()), pgx.QueryExecModeExec, posting.KeysOf, "\x03").Scan(&names, &all)
	if err != nil {
		return err
	}
	x.ordered = map[string]bool{}
	for i, name := range names {
		if some || all[i] {
			x.ordered[name] = true
		}
	}
	return nil
}

// keyed reports whether blocks keep the order of a field as text keys. For other texts, the order follows from their values; for a category, whose
// values are its levels, it does not, because the smallest level may not be a whole value.
func keyed(f table.Field) bool {
	return f.HasKey() && (!valued(f) || f.Info.Kind == mapping.KindLevels)
}
