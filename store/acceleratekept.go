package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/table"
)

// For texts such as names and titles, the order is kept. Their values are kept as well where they repeat, as people's names do, and answer facets and
// filters. They are useless if some block lacks them.

// readFields reads for which fields all blocks have the values, and for which all blocks (with some: any block) keep the order.
func (x *accelerator) readFields(ctx context.Context, db rowQuerier, r table.Relations, some bool) error {
	if err := x.readOrdered(ctx, db, r, some); err != nil {
		return err
	}
	return x.readKept(ctx, db, r)
}

// readKept reads for which fields all blocks have the values.
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

// enoughToRepeat is the number of values of a text in a block that is enough to decide whether they repeat.
const enoughToRepeat = 1000

// repeat reports whether the values of a text in a block are kept. Once values are seen to repeat, this is not decided again: the last block may have
// few documents.
func (bb *blockBuilder) repeat(f table.Field, values *blockvalues.Builder) bool {
	if !bb.repeats[f.Name] && values.Added >= enoughToRepeat {
		bb.repeats[f.Name] = values.Different() <= values.Added/2
		return bb.repeats[f.Name]
	}
	return true
}
