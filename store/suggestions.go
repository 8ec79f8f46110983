package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/suggestions"
)

// The suggestions of an index are the distinct values of its suggested fields. Values that differ only in case, accents or spaces are one, shown in
// its most frequent spelling. The contribution of each document is kept, so that the counts stay exact when it changes.

// writeSuggestions brings the suggestions up to date with what the documents of a step contribute. It queues its writes in last.
func (d *derivation) writeSuggestions(ctx context.Context, last *pgx.Batch) error {
	if len(d.gives) == 0 {
		return nil
	}
	seqs := slices.Sorted(maps.Keys(d.gives))
	rows, err := d.tx.Query(ctx, "SELECT _seq, suggestions FROM "+d.shape.Contributions()+" WHERE _seq = ANY($1)", seqs)
	if err != nil {
		return err
	}
	changes := map[string]int{} // change in the number of documents, by value
	var removed, stored []int64
	known := map[int64]bool{}
	var seq int64
	var values []string
	_, err = pgx.ForEachRow(rows, []any{&seq, &values}, func() error {
		known[seq] = true
		if slices.Equal(values, d.gives[seq]) {
			d.gives[seq] = nil
		} else {
			removed = append(removed, seq)
			for _, v := range values {
				changes[v]--
			}
			known[seq] = false
		}
		values = nil
		return nil
	})
	if err != nil {
		return err
	}
	var given []string
	for _, seq := range seqs {
		if known[seq] || len(d.gives[seq]) == 0 {
			continue
		}
		text, err := json.Marshal(d.gives[seq])
		if err != nil {
			return err
		}
		stored, given = append(stored, seq), append(given, string(text))
		for _, v := range d.gives[seq] {
			changes[v]++
		}
	}
	if len(removed) > 0 {
		last.Queue("DELETE FROM "+d.shape.Contributions()+" WHERE _seq = ANY($1)", removed)
	}
	if len(stored) > 0 {
		last.Queue("INSERT INTO "+d.shape.Contributions()+` (_seq, suggestions)
			SELECT s, ARRAY(SELECT jsonb_array_elements_text(g)) FROM unnest($1::bigint[], $2::jsonb[]) AS x(s, g)`, stored, given)
	}
	return d.countSuggestions(ctx, changes, last)
}

// countSuggestions adds changes to the counts. Only one transaction at a time writes there.
func (d *derivation) countSuggestions(ctx context.Context, changes map[string]int, last *pgx.Batch) error {
	maps.DeleteFunc(changes, func(_ string, n int) bool { return n == 0 })
	if len(changes) == 0 {
		return nil
	}
	values := slices.Sorted(maps.Keys(changes))
	keyOf := make(map[string]string, len(values))
	current := map[string]*suggestions.Row{}
	for _, v := range values {
		keyOf[v] = suggestions.Key(v)
		current[keyOf[v]] = &suggestions.Row{}
	}
	keys := slices.Sorted(maps.Keys(current))
	rows, err := d.tx.Query(ctx, "SELECT key, value, documents, spellings FROM "+d.shape.Suggestions()+" WHERE key = ANY($1)", keys)
	if err != nil {
		return err
	}
	counted, err := collectSuggestions(rows)
	if err != nil {
		return err
	}
	maps.Copy(current, counted)
	for _, v := range values {
		current[keyOf[v]].Change(v, changes[v])
	}
	var gone, shown []string
	var counts []int
	var spellings []*string
	kept := keys[:0]
	for _, key := range keys {
		s := current[key]
		s.Settle()
		if s.Documents <= 0 {
			gone = append(gone, key)
			continue
		}
		kept, shown, counts = append(kept, key), append(shown, s.Value), append(counts, s.Documents)
		var several *string
		if s.Spellings != nil {
			text, err := json.Marshal(s.Spellings)
			if err != nil {
				return err
			}
			several = new(string(text))
		}
		spellings = append(spellings, several)
	}
	if len(gone) > 0 {
		last.Queue("DELETE FROM "+d.shape.Suggestions()+" WHERE key = ANY($1)", gone)
	}
	if len(kept) == 0 {
		return nil
	}
	last.Queue("INSERT INTO "+d.shape.Suggestions()+` (key, value, documents, spellings)
		SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::jsonb[])
		ON CONFLICT (key) DO UPDATE SET value = excluded.value, documents = excluded.documents, spellings = excluded.spellings`,
		kept, shown, counts, spellings)
	return nil
}

// collectSuggestions returns the suggestions in rows by key.
func collectSuggestions(rows pgx.Rows) (map[string]*suggestions.Row, error) {
	list := map[string]*suggestions.Row{}
	var key string
	var row suggestions.Row
	_, err := pgx.ForEachRow(rows, []any{&key, &row.Value, &row.Documents, &row.Spellings}, func() error {
		copied := row
		list[key] = &copied
		row = suggestions.Row{}
		return nil
	})
	return list, err
}
