package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/suggestions"
	"github.com/rowansearch/rowan/store/table"
)

// Suggest returns up to limit suggestions of the index, as they are stored, in this order:
//
//   - those that begin with the whole of q;
//   - if these are fewer than limit (for a q of several words: if there are none), those that have its words anywhere, the last one from three letters
//     on, and rare ones also as two words;
//   - those that begin with its last two words, then those that begin with its last word.
//
// In each group, those in the most documents come first, then the order is alphabetical. If q is one word, those that have it anywhere and are among
// the most frequent of all precede those that begin with q and are in less than a tenth as many documents. Case, accents and the number of spaces do
// not matter, but a space at the end of q ends its last word. whole is the number of suggestions returned that match more of q than its last words.
// Suggest returns ErrStale if the application's catalog is no longer at version.
func (s *Store) Suggest(ctx context.Context, ix *service.Index, version int64, q string, limit int) (list []string, whole int, err error) {
	if len(table.SuggestedOf(ix)) == 0 || limit <= 0 {
		return nil, 0, nil
	}
	ways := suggestions.Ways(ix.Settings.Language, q, s.frequent(ctx, ix))
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

// suggest looks suggestions up. logged is the length of the change log that the list does not cover. One statement returns, for each prefix, the best
// suggestions if few have it; only a prefix of more needs another statement.
func (s *Store) suggest(ctx context.Context, ix *service.Index, version int64, r table.Relations, most int, ways []suggestions.Way, limit int) (list []string, whole, logged int, err error) {
	st := suggestions.Statement(r, ways, limit)
	batch := &pgx.Batch{}
	batch.Queue(peekSQL(r, most))
	batch.Queue(st.SQL, st.Args...)
	batch.Queue(catalogVersionSQL, ix.Application)
	results := s.readPool(ctx).SendBatch(ctx, batch)
	groups, sizes, peek, err := readSuggestions(ix, version, results, most, len(ways))
	if err = cmp.Or(err, results.Close()); err != nil {
		return nil, 0, 0, err
	}
	logged = peek.Rows
	var added []suggestions.Suggestion
	if peek.added {
		logged = 0
		if added, err = s.addedSuggestions(ctx, r, peek.suggested(ways)); err != nil {
			return nil, 0, 0, err
		}
	}
	var all []suggestions.Suggestion
	for i, way := range ways {
		if way.Prefix != "" && len(all) >= limit {
			continue
		}
		if suggestions.IsMany(sizes[i]) {
			if groups[i], err = s.mostSuggested(ctx, r, way.Prefix, limit); err != nil {
				return nil, 0, 0, err
			}
		}
		if !way.Wanted(len(groups[0]), limit) {
			continue
		}
		if all = way.AddTo(all, way.Settle(groups[i], added)); !way.Tail {
			whole = min(len(all), limit)
		}
	}
	for _, f := range all[:min(len(all), limit)] {
		list = append(list, f.Value)
	}
	return list, whole, logged, nil
}

// addedSuggestions returns the suggestions with the given spellings, by key, as they will be once their documents are counted.
func (s *Store) addedSuggestions(ctx context.Context, r table.Relations, values map[string][]string) ([]suggestions.Suggestion, error) {
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
	var list []suggestions.Suggestion
	for key, spellings := range values {
		one := counted[key]
		if one == nil {
			one = &suggestions.Row{}
		}
		for _, value := range spellings {
			one.Change(value, 1)
		}
		one.Settle()
		list = append(list, suggestions.Suggestion{Key: key, Value: one.Value, Documents: int64(one.Documents)})
	}
	return list, nil
}

// readSuggestions reads the log, with the documents of up to most rows, and what each of n ways found: the best suggestions and how many there are.
// It returns ErrStale if the catalog has another version.
func readSuggestions(ix *service.Index, version int64, results pgx.BatchResults, most, n int) (groups [][]suggestions.Suggestion, sizes []int, peek *peeked, err error) {
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
	groups, sizes = make([][]suggestions.Suggestion, n), make([]int, n)
	var place, size int
	var f suggestions.Suggestion
	_, err = pgx.ForEachRow(rows, []any{&place, &f.Key, &f.Value, &f.Documents, &size}, func() error {
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

// mostSuggested returns the suggestions in the most documents with a prefix of very many, and maybe more.
func (s *Store) mostSuggested(ctx context.Context, r table.Relations, prefix string, limit int) ([]suggestions.Suggestion, error) {
	st := suggestions.MostStatement(r, prefix, limit)
	rows, err := s.readPool(ctx).Query(ctx, st.SQL, st.Args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (f suggestions.Suggestion, err error) {
		err = row.Scan(&f.Key, &f.Value, &f.Documents)
		return f, err
	})
}
