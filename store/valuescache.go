package store

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/jackc/pgx/v5"
)

// valuesCache remembers decoded values of blocks. A row of them is known by the transaction that wrote it, which
// the snapshot of each search shows; so what is remembered is never out of date.
type valuesCache struct {
	valuesMu sync.Mutex
	blocks   map[valuesKey]*values
	bytes    int
}

type valuesKey struct {
	generation int64
	field      string
	block      int64
	writer     uint32
}

// maxValuesCache bounds the remembered values in bytes; beyond it all are forgotten, which costs milliseconds.
const maxValuesCache = 24 << 20

// read returns the values of fields, in their order, by block. A block without a field has nil in its place.
func (c *valuesCache) read(ctx context.Context, tx pgx.Tx, a *accelerated) (map[int64][]*values, error) {
	places := map[string]int{}
	for i, name := range a.valued {
		places[name] = i
	}
	rows, err := tx.Query(ctx, "SELECT field, block, xmin FROM "+a.sh.values()+" WHERE field = ANY((SELECT $1::text[])::text[])",
		pgx.QueryExecModeCacheStatement, pgx.QueryResultFormats{1, 1, 1}, a.valued)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[int64][]*values{}
	writers := map[valuesKey]uint32{}
	var fields []string
	var blocks []int32
	c.valuesMu.Lock()
	for rows.Next() {
		raw := rows.RawValues()
		k := valuesKey{a.generation, string(raw[0]), int64(binary.BigEndian.Uint32(raw[1])), binary.BigEndian.Uint32(raw[2])}
		if found[k.block] == nil {
			found[k.block] = make([]*values, len(a.valued))
		}
		if v, ok := c.blocks[k]; ok {
			found[k.block][places[k.field]] = v
			continue
		}
		fields, blocks = append(fields, k.field), append(blocks, int32(k.block))
		writers[valuesKey{field: k.field, block: k.block}] = k.writer
	}
	c.valuesMu.Unlock()
	if err := rows.Err(); err != nil || len(fields) == 0 {
		return found, err
	}
	rows, err = tx.Query(ctx, "SELECT field, block, sets FROM unnest($1::text[], $2::int[]) AS w(field, block) JOIN "+a.sh.values()+" USING (field, block)",
		pgx.QueryExecModeCacheStatement, pgx.QueryResultFormats{1, 1, 1}, fields, blocks)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		v, err := decodeValues(append([]byte(nil), raw[2]...), a.blockSize)
		if err != nil {
			return nil, err
		}
		k := valuesKey{field: string(raw[0]), block: int64(binary.BigEndian.Uint32(raw[1]))}
		found[k.block][places[k.field]] = v
		k.generation, k.writer = a.generation, writers[k]
		c.keep(k, v, 2*len(raw[2]))
	}
	return found, rows.Err()
}

func (c *valuesCache) keep(k valuesKey, v *values, bytes int) {
	c.valuesMu.Lock()
	defer c.valuesMu.Unlock()
	if c.blocks == nil || c.bytes+bytes > maxValuesCache {
		c.blocks, c.bytes = map[valuesKey]*values{}, 0
	}
	if _, ok := c.blocks[k]; !ok {
		c.blocks[k] = v
		c.bytes += bytes
	}
}
