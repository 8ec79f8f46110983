package store

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// resultRow is a row of the plain statement's result. The meaning of its columns depends on the kind: searchsql.RowTotals, searchsql.RowHit,
// searchsql.RowFacet or searchsql.RowStats.
type resultRow struct {
	kind int
	// place is the index of a facet in the plan; in the totals, the number of documents with all words.
	place int
	// n is the number of documents.
	n     int64
	score float64
	// id is a hit's id, or the key of a facet value.
	id *string
	// body is a hit's body, or a facet value.
	body json.RawMessage
	// words are the suggestions of a hit; in the totals, the catalog's version or a number.
	words []*string
	// more is what else a hit carries, or the statistics of a facet.
	more json.RawMessage
}

// eachRow calls f for each row. The row is only valid until f returns; what it points to stays valid.
func eachRow(rows pgx.Rows, f func(r *resultRow) error) error {
	var r resultRow
	_, err := pgx.ForEachRow(rows, []any{&r.kind, &r.place, &r.n, &r.score, &r.id, &r.body, &r.words, &r.more}, func() error {
		defer func() { r = resultRow{} }()
		return f(&r)
	})
	return err
}

// madeBy reports whether the row of totals belongs to a catalog of the given version.
func (r *resultRow) madeBy(version int64) bool {
	if len(r.words) != 1 || r.words[0] == nil { // there is no such application
		return false
	}
	now, err := strconv.ParseInt(*r.words[0], 10, 64)
	return err == nil && service.MadeBy(version, now)
}

// hit reads a hit.
func (r *resultRow) hit(ctx context.Context) (service.FoundHit, error) {
	hit := service.FoundHit{Document: service.Document{ID: *r.id, Body: r.body}, Score: r.score}
	for _, w := range r.words {
		hit.Document.Autocomplete = append(hit.Document.Autocomplete, *w)
	}
	var extra struct {
		Place    []*string
		Boost    float64
		Words    []service.WordScore
		Adjacent bool
	}
	if err := json.Unmarshal(r.more, &extra); err != nil {
		return hit, err
	}
	hit.Place, hit.Boost, hit.Words, hit.Adjacent = extra.Place, extra.Boost, extra.Words, extra.Adjacent
	return hit, service.Hold(ctx, hit.Document.Size()+len(r.more))
}
