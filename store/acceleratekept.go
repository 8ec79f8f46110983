package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/table"
)

// Of texts, as names and titles are, the order is kept. Their values are, too, where they repeat, as the names of the same people do: facets
// and filters can be answered from these. Of no use are those that some block does not have.

// readFields reads of which fields all blocks have the values, and of which they keep the order, or, with some, any of them does.
func (x *accelerator) readFields(ctx context.Context, db rowQuerier, r table.Relations, some bool) error {
	if err := x.readOrdered(ctx, db, r, some); err != nil {
		return err
	}
	return x.readKept(ctx, db, r)
}

// readKept reads of which fields all blocks have the values.
func (x *accelerator) readKept(ctx context.Context, db rowQuerier, r table.Relations) error {
	var blocks int
	var names []string
	err := db.QueryRow(ctx, `WITH built AS (SELECT block FROM `+r.Postings()+` WHERE lexeme = '')
		SELECT (SELECT count(*) FROM built), coalesce(array_agg(field), '{}') FROM (
			SELECT field FROM `+r.Values()+` JOIN built USING (block) GROUP BY field HAVING count(*) = (SELECT count(*) FROM built)) AS kept`, pgx.QueryExecModeExec).Scan(&blocks, &names)
	if err != nil || blocks == 0 {
		return err
	}
	x.kept = map[string]bool{}
	for _, name := range names {
		x.kept[name] = true
	}
	return nil
}

// mostColumns bounds the columns that are read of a document: PostgreSQL selects 1,664 at most.
const mostColumns = 1600

// keepTexts has the values of texts kept, too: of those that all blocks there are have, and of no more than can be read at once.
func (bb *blockBuilder) keepTexts() {
	room := mostColumns - len(bb.columns())
	for _, f := range bb.keyed {
		if n := len(f.ValueColumns()); f.Info.Kind != mapping.KindLevels && (bb.x.kept == nil || bb.x.kept[f.Name]) && room >= n {
			bb.fields, room = append(bb.fields, f), room-n
		}
	}
}

// enoughToRepeat is the number of values of a text in a block from which it is seen whether they repeat.
const enoughToRepeat = 1000

// repeat tells whether the values of a text in a block are to be kept. It is decided once whether they repeat: a last block has few documents.
func (bb *blockBuilder) repeat(f table.Field, values *blockvalues.Builder) bool {
	if !bb.repeats[f.Name] && values.Added >= enoughToRepeat {
		bb.repeats[f.Name] = values.Different() <= values.Added/2
		return bb.repeats[f.Name]
	}
	return true
}
