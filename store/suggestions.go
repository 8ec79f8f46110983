package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service/analysis"
)

// The suggestions of an index are the distinct values of its suggested fields. Values that differ only in case,
// accents or spaces are one, shown as most documents spell it. What each document gives is kept, so that the
// counts stay exact when it changes.

// maxSuggestionKey bounds what suggestions are told apart by, in letters: folding may lengthen them, and an
// entry of an index has its bounds.
const maxSuggestionKey = 200

// suggestionKey is what suggestions are compared and found by.
func suggestionKey(value string) string {
	key := strings.Join(strings.Fields(analysis.Fold(value)), " ")
	if letters := []rune(key); len(letters) > maxSuggestionKey {
		key = string(letters[:maxSuggestionKey])
	}
	return key
}

// distinctSuggestions leaves out what a document gives in another spelling already.
func distinctSuggestions(values []string) []string {
	if len(values) < 2 {
		return values
	}
	var list []string
	seen := map[string]bool{}
	for _, v := range values {
		if key := suggestionKey(v); !seen[key] {
			seen[key] = true
			list = append(list, v)
		}
	}
	return list
}

// writeSuggestions brings the suggestions up to date with what the documents of a step give; what it writes is left
// to a batch.
func (d *derivation) writeSuggestions(ctx context.Context, last *pgx.Batch) error {
	if len(d.gives) == 0 {
		return nil
	}
	seqs := slices.Sorted(maps.Keys(d.gives))
	rows, err := d.tx.Query(ctx, "SELECT _seq, suggestions FROM "+d.shape.Contributions()+" WHERE _seq = ANY($1)", seqs)
	if err != nil {
		return err
	}
	changes := map[string]int{} // documents more or fewer, by value
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

// suggestion is one row of the suggestions.
type suggestion struct {
	value     string
	documents int
	spellings map[string]int // how often each; nil when value is the only one
}

// change adds n documents that spell it so.
func (s *suggestion) change(value string, n int) {
	if s.spellings == nil && (s.documents == 0 || s.value == value) {
		s.value = value
		s.documents += n
		return
	}
	if s.spellings == nil {
		s.spellings = map[string]int{s.value: s.documents}
	}
	s.documents += n
	if s.spellings[value] += n; s.spellings[value] == 0 {
		delete(s.spellings, value)
	}
}

// settle chooses the spelling that is shown: the most frequent, then the first.
func (s *suggestion) settle() {
	if s.spellings == nil {
		return
	}
	best := ""
	for value, n := range s.spellings {
		if m := s.spellings[best]; best == "" || n > m || n == m && value < best {
			best = value
		}
	}
	s.value = best
	if len(s.spellings) == 1 {
		s.spellings = nil
	}
}

// countSuggestions adds changes to the counts. Only one transaction at a time writes there.
func (d *derivation) countSuggestions(ctx context.Context, changes map[string]int, last *pgx.Batch) error {
	maps.DeleteFunc(changes, func(_ string, n int) bool { return n == 0 })
	if len(changes) == 0 {
		return nil
	}
	values := slices.Sorted(maps.Keys(changes))
	keyOf := make(map[string]string, len(values))
	current := map[string]*suggestion{}
	for _, v := range values {
		keyOf[v] = suggestionKey(v)
		current[keyOf[v]] = &suggestion{}
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
		current[keyOf[v]].change(v, changes[v])
	}
	var gone, shown []string
	var counts []int
	var spellings []*string
	kept := keys[:0]
	for _, key := range keys {
		s := current[key]
		s.settle()
		if s.documents <= 0 {
			gone = append(gone, key)
			continue
		}
		kept, shown, counts = append(kept, key), append(shown, s.value), append(counts, s.documents)
		var several *string
		if s.spellings != nil {
			text, err := json.Marshal(s.spellings)
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

// collectSuggestions reads suggestions by key.
func collectSuggestions(rows pgx.Rows) (map[string]*suggestion, error) {
	list := map[string]*suggestion{}
	var key string
	var row suggestion
	_, err := pgx.ForEachRow(rows, []any{&key, &row.value, &row.documents, &row.spellings}, func() error {
		copied := row
		list[key] = &copied
		row = suggestion{}
		return nil
	})
	return list, err
}
