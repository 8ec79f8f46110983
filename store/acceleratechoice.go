package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/lexemes"
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/tsquery"
)

// choose chooses the lexemes of an index whose last document has the given number.
func (b *postingsBuilder) choose(ctx context.Context, fields []service.Field, last int64) (x *accelerator, err error) {
	// The size is measured again: an index that has just been filled would otherwise be sampled as the small one that it was.
	pages, err := pagesOf(ctx, b.conn, b.sh)
	if err != nil {
		return nil, err
	}
	x = &accelerator{blockSize: b.limits.blockSize, formula: formulaOf(fields)}
	documents, averageLength, err := measureTable(ctx, b.conn, b.sh, pages)
	if err != nil {
		return nil, err
	}
	x.averageLength = averageLength
	var rarer map[string]int64
	if x.frequencies, rarer, err = b.chooseLexemes(ctx, documents, last); err != nil {
		return nil, err
	}
	counted, counts := inOrder(rarer)
	x.rarer, err = lexemes.NewCounts(counted, counts)
	return x, err
}

// inOrder returns lexemes in byte order with their counts. The slices are never nil, which would be NULL.
func inOrder(of map[string]int64) (lexemes []string, counts []int64) {
	lexemes = slices.AppendSeq(make([]string, 0, len(of)), maps.Keys(of))
	slices.Sort(lexemes)
	counts = make([]int64, len(lexemes))
	for i, l := range lexemes {
		counts[i] = of[l]
	}
	return lexemes, counts
}

// maxCounted bounds the lexemes that are counted in each block: each takes 4 bytes per block and about 20 bytes in each server.
const maxCounted = 65536

// chooseLexemes returns the common lexemes and the rarer ones that are counted, with their estimated numbers of documents, from a sample of whole
// pages. documents is about how many documents there are, last is the number of the last one: much larger where many documents have come and gone.
func (b *postingsBuilder) chooseLexemes(ctx context.Context, documents, last int64) (common, rarer map[string]int64, err error) {
	share := min(100, 100*float64(sampledDocuments)/float64(max(documents, 1)))
	rows, err := b.conn.Query(ctx, fmt.Sprintf("SELECT %s FROM %s TABLESAMPLE SYSTEM (%g)", b.sh.AllLexemes(""), b.sh.Table, share), pgx.QueryResultFormats{1})
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	common = map[string]int64{}
	for rows.Next() {
		if err := pgbinary.EachLexeme(rows.RawValues()[0], func(l []byte, _ pgbinary.Occurrences) { common[string(l)]++ }); err != nil {
			return nil, nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	rarer = map[string]int64{}
	frequency := b.limits.frequencyOf(last)
	for l, seen := range common {
		n := int64(float64(seen) * 100 / share)
		common[l] = n
		if n >= frequency {
			continue
		}
		delete(common, l)
		// Nobody asks for the count of a whole value, and a single document in a small sample says little.
		if n >= int64(b.limits.counted) && (seen > 1 || share == 100) && !tsquery.IsWhole(l) {
			rarer[l] = n
		}
	}
	for l, n := range leastOf(common, b.limits.lexemes) {
		delete(common, l)
		rarer[l] = n
	}
	for l := range leastOf(rarer, maxCounted) {
		delete(rarer, l)
	}
	return common, rarer, nil
}

// leastOf returns the lexemes beyond the limit most frequent ones.
func leastOf(counts map[string]int64, limit int) map[string]int64 {
	least := map[string]int64{}
	if len(counts) <= limit {
		return least
	}
	list := slices.Collect(maps.Keys(counts))
	slices.SortFunc(list, func(x, y string) int { return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y)) })
	for _, l := range list[limit:] {
		least[l] = counts[l]
	}
	return least
}
