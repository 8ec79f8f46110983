package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// GetDocuments returns the documents of ix that exist among ids.
func (s *Store) GetDocuments(ctx context.Context, ix *service.Index, ids []string) (map[string]service.Document, error) {
	docs, err := reading(ctx, s, func(ctx context.Context) (map[string]service.Document, error) {
		rows, err := s.readPool(ctx).Query(ctx, documentsSQL(table.RelationsOf(ix.Application, ix.Name)), ids)
		return collectDocuments(ctx, rows, err, len(ids))
	})
	if gone(err) {
		s.forget(ix.Application)
		return nil, stale(err)
	}
	return docs, clientError(err)
}

// documentsSQL selects the documents with the given ids.
func documentsSQL(r table.Relations) string {
	return "SELECT _id, _body, _autocomplete FROM " + r.Table + " WHERE _id = ANY($1::text[])"
}

// collectDocuments reads what documentsSQL selects, at most n documents.
func collectDocuments(ctx context.Context, rows pgx.Rows, err error, n int) (map[string]service.Document, error) {
	if err != nil {
		return nil, err
	}
	docs := make(map[string]service.Document, n)
	var d service.Document
	_, err = pgx.ForEachRow(rows, []any{&d.ID, &d.Body, &d.Autocomplete}, func() error {
		docs[d.ID] = d
		size := d.Size()
		d = service.Document{}
		return service.Hold(ctx, size)
	})
	return docs, err
}
