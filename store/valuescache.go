package store

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/blockvalues"
)

// valuesCache remembers decoded values of blocks. A row of values is identified by the transaction that wrote it, which each search sees in its
// snapshot; so the cache never provides outdated values.
type valuesCache struct {
	blocks remembered.Map[valuesKey, *blockvalues.Values]
}

type valuesKey struct {
	builtIn
	field string
	block blockVersion
}

// maxValuesCache bounds the remembered values in bytes.
const maxValuesCache = 24 << 20

func newValuesCache() valuesCache {
	return valuesCache{remembered.Map[valuesKey, *blockvalues.Values]{Room: maxValuesCache, Weigh: func(_ valuesKey, v *blockvalues.Values) int { return v.Bytes() }}}
}

// knownValues has the remembered values of fields, by block, in the order of the search's fields. A field without values in a block is nil.
type knownValues struct {
	blocks  map[int64][]*blockvalues.Values
	missing map[fieldBlock]uint32 // the writers of the rows that are not remembered
}

type fieldBlock struct {
	field  string
	number int64
}

// known returns the remembered values that are still current according to the rows of a snapshot, each a field, a block and its writer.
func (c *valuesCache) known(rows pgx.Rows, a *accelerated) (knownValues, error) {
	defer rows.Close()
	k := knownValues{blocks: map[int64][]*blockvalues.Values{}, missing: map[fieldBlock]uint32{}}
	for rows.Next() {
		raw := rows.RawValues()
		key := valuesKey{a.builtIn(), string(raw[0]), blockVersion{int64(binary.BigEndian.Uint32(raw[1])), binary.BigEndian.Uint32(raw[2])}}
		number := key.block.number
		if k.blocks[number] == nil {
			k.blocks[number] = make([]*blockvalues.Values, len(a.valued))
		}
		if v, ok := c.blocks.Get(key); ok {
			k.blocks[number][slices.Index(a.valued, key.field)] = v
		} else {
			k.missing[fieldBlock{key.field, number}] = key.block.writer
		}
	}
	return k, rows.Err()
}

// complete reads what is missing, in the same snapshot.
func (c *valuesCache) complete(ctx context.Context, db querier, a *accelerated, k *knownValues) error {
	if len(k.missing) == 0 {
		return nil
	}
	var fields []string
	var blocks []int32
	for key := range k.missing {
		fields, blocks = append(fields, key.field), append(blocks, int32(key.number))
	}
	rows, err := db.Query(ctx, "SELECT field, block, sets FROM unnest($1::text[], $2::int[]) AS w(field, block) JOIN "+a.sh.Values()+" USING (field, block)",
		pgx.QueryResultFormats{1, 1, 1}, fields, blocks)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		v, err := blockvalues.Decode(raw[2], a.blockSize)
		if err != nil {
			return err
		}
		key := fieldBlock{string(raw[0]), int64(binary.BigEndian.Uint32(raw[1]))}
		k.blocks[key.number][slices.Index(a.valued, key.field)] = v
		c.blocks.Put(valuesKey{a.builtIn(), key.field, blockVersion{key.number, k.missing[key]}}, v)
	}
	k.missing = nil
	return rows.Err()
}
