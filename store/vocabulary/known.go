package vocabulary

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// known returns how many documents have each of the words that some document has and that are no stop words.
func (found *Found) known(ctx context.Context, ix Index, r table.Relations, words []string) (map[string]int64, error) {
	known, err := found.counted(ctx, ix, r, words)
	if err != nil || len(known) == 0 {
		return known, err
	}
	stems, err := ix.Stems(ctx, slices.Collect(maps.Keys(known)))
	maps.DeleteFunc(known, func(word string, _ int64) bool { return stems[word] == "" })
	return known, err
}

// counted returns how many documents have each of the words that some document has, stop words included.
func (found *Found) counted(ctx context.Context, ix Index, r table.Relations, words []string) (map[string]int64, error) {
	counted := make(map[string]int64, len(words))
	for _, word := range words {
		counted[word] = found.log.Words[word]
	}
	if len(counted) == 0 {
		return counted, nil
	}
	st := sqltext.Statement{SQL: fmt.Sprintf("SELECT 1, word, documents FROM %s WHERE word = ANY((SELECT $1::text[])::text[])", r.Words()), Args: []any{slices.Sorted(maps.Keys(counted))}, Prepared: true}
	err := ix.Ask(ctx, st, func(_ int, word string, documents int64) { counted[word] += documents })
	maps.DeleteFunc(counted, func(_ string, documents int64) bool { return documents <= 0 })
	return counted, err
}

// begunBy returns which of the given texts some word begins with.
func (found *Found) begunBy(ctx context.Context, ix Index, r table.Relations, beginnings []string) (map[string]bool, error) {
	begun := map[string]bool{}
	if len(beginnings) == 0 {
		return begun, nil
	}
	for word := range found.log.Words {
		for _, beginning := range beginnings {
			begun[beginning] = begun[beginning] || strings.HasPrefix(word, beginning)
		}
	}
	st := sqltext.Statement{SQL: fmt.Sprintf(`SELECT b.place::int, b.beginning, 0::bigint FROM unnest((SELECT $1::text[])) WITH ORDINALITY AS b(beginning, place)
WHERE EXISTS (SELECT FROM %s w WHERE w.word >= b.beginning AND w.word < b.beginning || chr(1114111))`, r.Words()), Args: []any{beginnings}, Prepared: true}
	err := ix.Ask(ctx, st, func(_ int, beginning string, _ int64) { begun[beginning] = true })
	return begun, err
}
