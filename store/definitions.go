package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

const selectSearch = `
SELECT s.name, s.index_name, s.per_page, s.facets, s.filter, s.sort, s.match, s.typo_tolerance,
       (SELECT jsonb_object_agg(f.field, f.weight) FROM rowan.search_fields f WHERE f.application_id = s.application_id AND f.search_name = s.name)
FROM rowan.searches s WHERE s.application_id = $1`

func scanSearch(row pgx.CollectableRow) (*service.SearchDefinition, error) {
	d := &service.SearchDefinition{}
	err := row.Scan(&d.Name, &d.Index, &d.PerPage, &d.Facets, &d.Filter, &d.Sort, &d.Match, &d.TypoTolerance, &d.Fields)
	return d, err
}

// FindSearch returns a defined search, or nil if there is none.
func (s *Store) FindSearch(ctx context.Context, application, search string) (*service.SearchDefinition, error) {
	d, err := oneOn(ctx, s.lookups(), scanSearch, selectSearch+" AND s.name = $2", application, lookedFor(search))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return d, clientError(err)
}

// SearchDefinitions lists the defined searches by name.
func (s *Store) SearchDefinitions(ctx context.Context, application string) ([]service.SearchDefinition, error) {
	list, err := listOn(ctx, s.pool, func(row pgx.CollectableRow) (service.SearchDefinition, error) {
		d, err := scanSearch(row)
		return *d, err
	}, selectSearch+" ORDER BY s.name", application)
	return list, clientError(err)
}

// Limits for all defined searches of an application together: they are listed in one answer, and each server keeps those that are used in memory.
const (
	maxDefinitions     = 10000
	maxDefinitionBytes = 4 << 20 // of facets, filters and sort expressions
)

// PutSearch creates or replaces a defined search.
func (s *Store) PutSearch(ctx context.Context, application string, d service.SearchDefinition) (created bool, err error) {
	err = s.inCatalog(ctx, application, func(tx pgx.Tx) error {
		if err := checkSearchNames(ctx, tx, application, d); err != nil {
			return err
		}
		facets := d.Facets
		if facets == nil {
			facets = []string{}
		}
		err := tx.QueryRow(ctx, `INSERT INTO rowan.searches (application_id, name, index_name, per_page, facets, filter, sort, match, typo_tolerance)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (application_id, name) DO UPDATE SET index_name = excluded.index_name, per_page = excluded.per_page, facets = excluded.facets,
				filter = excluded.filter, sort = excluded.sort, match = excluded.match, typo_tolerance = excluded.typo_tolerance, updated_at = now()
			RETURNING xmax = 0`, application, d.Name, d.Index, d.PerPage, facets, d.Filter, d.Sort, string(d.Match), d.TypoTolerance).Scan(&created)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM rowan.search_fields WHERE application_id = $1 AND search_name = $2", application, d.Name); err != nil {
			return err
		}
		for field, weight := range d.Fields {
			if _, err := tx.Exec(ctx, "INSERT INTO rowan.search_fields VALUES ($1, $2, $3, $4)", application, d.Name, field, weight); err != nil {
				return err
			}
		}
		var full bool
		if err := tx.QueryRow(ctx, `SELECT count(*) > $2 OR sum(octet_length(facets::text) + coalesce(octet_length(filter::text), 0) + octet_length(sort)) > $3
			FROM rowan.searches WHERE application_id = $1`, application, maxDefinitions, maxDefinitionBytes).Scan(&full); err != nil {
			return err
		}
		if full {
			return service.Errorf(service.CodeInvalidRequest, "An application may have at most %d defined searches, with at most %d MiB of facets, filters and sort expressions together. "+
				"Delete searches that nobody uses any more.", maxDefinitions, maxDefinitionBytes>>20)
		}
		return nil
	})
	return created, err
}

// checkSearchNames rejects a definition that has the name of an index, or is over another search, or has another search over it: a search is over an
// index, which need not exist yet. Concurrent creations and deletions of indices and searches wait for this transaction.
func checkSearchNames(ctx context.Context, tx pgx.Tx, application string, d service.SearchDefinition) error {
	var index, overSearch bool
	var below *string
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM rowan.indices WHERE application_id = $1 AND name = $2),
			$2 = $3 OR EXISTS (SELECT FROM rowan.searches WHERE application_id = $1 AND name = $3),
			(SELECT min(name) FROM rowan.searches WHERE application_id = $1 AND index_name = $2
				AND NOT EXISTS (SELECT FROM rowan.searches WHERE application_id = $1 AND name = $2))`, // an earlier version took it
		application, d.Name, d.Index).Scan(&index, &overSearch, &below)
	switch {
	case err != nil:
		return err
	case index:
		return service.Errorf(service.CodeNameTaken, "There is an index %q, and a search cannot have the name of an index. Choose another name.", d.Name)
	case overSearch:
		return service.Errorf(service.CodeInvalidRequest, "The search does not fit.").
			With(service.FieldError{Location: "body.index", Message: "is the name of a search, but must be the name of an index", Value: d.Index})
	case below != nil:
		return service.Errorf(service.CodeNameTaken, "The search %q is defined over an index called %q, so a search cannot take that name. Choose another name, or first define %[1]q over another index.", *below, d.Name)
	}
	return nil
}

// DeleteSearch removes a defined search.
func (s *Store) DeleteSearch(ctx context.Context, application, search string) error {
	return s.inCatalog(ctx, application, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "DELETE FROM rowan.searches WHERE application_id = $1 AND name = $2", application, lookedFor(search))
		if err == nil && tag.RowsAffected() == 0 {
			return service.Errorf(service.CodeSearchNotFound, "There is no search %q.", search)
		}
		return err
	})
}
