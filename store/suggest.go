package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

const (
	// maxTails bounds the ends of a query, besides the whole of it, that suggestions may begin with.
	maxTails = 2
	// fewSuggestions is how many suggestions with a prefix are sorted; of more, the most frequent are looked for.
	fewSuggestions = 100
)

// Suggest returns up to limit suggestions of the index, as they are stored, in this order:
//
//   - those that begin with the whole of q;
//   - where these are fewer than limit (for a q of several words: where there are none), those that have its words anywhere, the last
//     one from three letters on, and rare ones also in two parts;
//   - those that begin with its last two words, then those that begin with its last word.
//
// In each group those in the most documents come first, then it is by alphabet. Case, accents and the number of spaces do not matter,
// but a space at the end of q ends its last word. whole is how many of them have more of q than its last words. It returns ErrStale
// where version is not that of the application's catalog any more.
func (s *Store) Suggest(ctx context.Context, ix *service.Index, version int64, q string, limit int) (list []string, whole int, err error) {
	if len(table.SuggestedOf(ix)) == 0 || limit <= 0 {
		return nil, 0, nil
	}
	ways := suggestionWays(ix.Settings.Language, q, s.frequent(ctx, ix))
	if len(ways) == 0 {
		return nil, 0, nil
	}
	err = s.followed(ctx, ix, func(ctx context.Context, r table.Relations, peek int) (logged int, err error) {
		list, whole, logged, err = s.suggest(ctx, ix, version, r, peek, ways, limit)
		return logged, err
	})
	if errors.Is(err, service.ErrStale) {
		s.forget(ix.Application)
	}
	return list, whole, err
}

// suggestionPrefixes are what suggestions for q begin with, in the order in which they are wanted: all of it, then its last words, if
// they are words. A bracket or quote that has just been opened says nothing of what comes after it.
func suggestionPrefixes(q string) []string {
	folded := analysis.Fold(q)
	words := strings.Fields(folded)
	if len(words) == 0 {
		return nil
	}
	end := ""
	if strings.TrimRight(folded, " \t\n\r") != folded {
		end = " "
	}
	var prefixes []string
	for i := range words {
		if i > 0 && i < len(words)-maxTails {
			continue
		}
		p := strings.Join(words[i:], " ") + end
		if i > 0 && len(analysis.Texts(p)) == 0 {
			continue
		}
		if len([]rune(p)) <= maxSuggestionKey {
			prefixes = append(prefixes, p)
		}
	}
	return prefixes
}

// foundSuggestion is a suggestion that was found.
type foundSuggestion struct {
	key, value string
	documents  int64
	behind     int // 1 where others come first that have the last word whole
}

// suggest looks suggestions up. logged is how long the change log is that the list leaves out. One statement takes for
// each prefix the best of the first few; only a prefix of more needs another.
func (s *Store) suggest(ctx context.Context, ix *service.Index, version int64, r table.Relations, most int, ways []suggestionWay, limit int) (list []string, whole, logged int, err error) {
	var a sqltext.Args
	var statements []string
	for i, way := range ways {
		statements = append(statements, way.sql(&a, r.Suggestions(), i, ways[0].prefix, limit))
	}
	batch := &pgx.Batch{}
	batch.Queue(peekSQL(r, most))
	batch.Queue(strings.Join(statements, "\nUNION ALL "), a.Values...)
	batch.Queue(catalogVersionSQL, ix.Application)
	results := s.readPool(ctx).SendBatch(ctx, batch)
	groups, sizes, peek, err := readSuggestions(ix, version, results, most, len(ways))
	if err = cmp.Or(err, results.Close()); err != nil {
		return nil, 0, 0, err
	}
	logged = peek.Rows
	var added []foundSuggestion
	if peek.added {
		logged = 0
		if added, err = s.addedSuggestions(ctx, r, peek.suggested(ways)); err != nil {
			return nil, 0, 0, err
		}
	}
	seen := map[string]bool{}
	for i, way := range ways {
		if len(list) == limit {
			break
		}
		if sizes[i] > fewSuggestions {
			if groups[i], err = s.mostSuggested(ctx, r, way.prefix, limit); err != nil {
				return nil, 0, 0, err
			}
		}
		if way.prefix == "" && len(groups[0]) >= way.enough(limit) {
			continue
		}
		for _, f := range added {
			if way.finds(f.key) {
				groups[i] = append(slices.DeleteFunc(groups[i], func(old foundSuggestion) bool { return old.key == f.key }), f)
			}
		}
		if way.narrow {
			groups[i] = way.narrowed(groups[i])
		}
		slices.SortFunc(groups[i], func(x, y foundSuggestion) int {
			return cmp.Or(cmp.Compare(x.behind, y.behind), cmp.Compare(y.documents, x.documents), strings.Compare(x.key, y.key))
		})
		for _, f := range groups[i] {
			if !seen[f.key] && len(list) < limit {
				seen[f.key] = true
				list = append(list, f.value)
			}
		}
		if !way.tail {
			whole = len(list)
		}
	}
	return list, whole, logged, nil
}

// addedSuggestions are suggestions with what documents that are not yet counted give, by key.
func (s *Store) addedSuggestions(ctx context.Context, r table.Relations, values map[string][]string) ([]foundSuggestion, error) {
	if len(values) == 0 {
		return nil, nil
	}
	rows, err := s.readPool(ctx).Query(ctx, "SELECT key, value, documents, spellings FROM "+r.Suggestions()+" WHERE key = ANY($1)", slices.Collect(maps.Keys(values)))
	if err != nil {
		return nil, err
	}
	counted, err := collectSuggestions(rows)
	if err != nil {
		return nil, err
	}
	var list []foundSuggestion
	for key, spellings := range values {
		one := counted[key]
		if one == nil {
			one = &suggestion{}
		}
		for _, value := range spellings {
			one.change(value, 1)
		}
		one.settle()
		list = append(list, foundSuggestion{key: key, value: one.value, documents: int64(one.documents)})
	}
	return list, nil
}

// readSuggestions reads the log, behind which most rows are looked at, and what was found in each of n ways: the best, and how
// many there are; ErrStale if the catalog has another version.
func readSuggestions(ix *service.Index, version int64, results pgx.BatchResults, most, n int) (groups [][]foundSuggestion, sizes []int, peek *peeked, err error) {
	rows, err := results.Query()
	if err != nil {
		return nil, nil, nil, err
	}
	if peek, err = readPeeked(ix, rows, most); err != nil {
		return nil, nil, nil, err
	}
	if rows, err = results.Query(); err != nil {
		return nil, nil, nil, err
	}
	groups, sizes = make([][]foundSuggestion, n), make([]int, n)
	var place, size int
	var f foundSuggestion
	_, err = pgx.ForEachRow(rows, []any{&place, &f.key, &f.value, &f.documents, &size}, func() error {
		groups[place], sizes[place] = append(groups[place], f), size
		return nil
	})
	if err == nil {
		var now int64
		if err = results.QueryRow().Scan(&now); err == nil && !service.MadeBy(version, now) {
			err = service.ErrStale
		}
	}
	return groups, sizes, peek, err
}

// between is the condition that a key begins with prefix. A space at the end of a prefix ends a word, which may
// be the last of the key: one range has both, because no character of a key sorts before the space. The planner does not see the
// prefix, whose plan is the same for all: it would take longer than to run it.
func between(a *sqltext.Args, prefix string) string {
	least := ">"
	from, before := analysis.BegunRange(prefix)
	if from == prefix {
		least, from = ">=", strings.TrimRight(prefix, " ")
	}
	return fmt.Sprintf("key %s (SELECT %s) AND key < (SELECT %s)", least, a.Add(from, "text"), a.Add(before, "text"))
}

// beginsWith tells the same of one key.
func beginsWith(key, prefix string) bool {
	return analysis.Begins(key, prefix) || key == strings.TrimRight(prefix, " ")
}

// manyDocuments is the number of documents from which suggestions are read one by one, in the order of that
// number: there are at most a 64th as many of them as documents.
const manyDocuments = 64

// mostSuggested returns the suggestions of most documents that begin with prefix, where very many do, and maybe
// more. Those of many documents are read until there are enough. Below that there are few different numbers of
// documents, each of many suggestions: the prefix is looked for in each number, from the greatest.
func (s *Store) mostSuggested(ctx context.Context, r table.Relations, prefix string, limit int) ([]foundSuggestion, error) {
	var a sqltext.Args
	condition := between(&a, prefix)
	rows, err := s.readPool(ctx).Query(ctx, fmt.Sprintf(`
WITH RECURSIVE number(n) AS (
  (SELECT documents FROM %[1]s WHERE documents < %[4]d ORDER BY documents DESC LIMIT 1)
  UNION ALL
  SELECT (SELECT documents FROM %[1]s WHERE documents < n ORDER BY documents DESC LIMIT 1) FROM number WHERE n IS NOT NULL)
(SELECT key, value, documents FROM %[1]s WHERE documents >= %[4]d AND %[2]s ORDER BY documents DESC, key LIMIT %[3]d)
UNION ALL
(SELECT x.key, x.value, x.documents FROM number CROSS JOIN LATERAL (
  SELECT key, value, documents FROM %[1]s WHERE documents = n AND %[2]s ORDER BY key LIMIT %[3]d) AS x LIMIT %[3]d)`,
		r.Suggestions(), condition, limit, manyDocuments), a.Values...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (f foundSuggestion, err error) {
		err = row.Scan(&f.key, &f.value, &f.documents)
		return f, err
	})
}
