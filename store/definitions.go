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

// FindSearch returns a defined search, or nil.
func (s *Store) FindSearch(ctx context.Context, application, search string) (*service.SearchDefinition, error) {
	rows, _ := s.pool.Query(ctx, selectSearch+" AND s.name = $2", application, lookedFor(search))
	d, err := pgx.CollectExactlyOneRow(rows, scanSearch)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return d, clientError(err)
}

// SearchDefinitions lists the defined searches by name.
func (s *Store) SearchDefinitions(ctx context.Context, application string) ([]service.SearchDefinition, error) {
	rows, _ := s.pool.Query(ctx, selectSearch+" ORDER BY s.name", application)
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (service.SearchDefinition, error) {
		d, err := scanSearch(row)
		return *d, err
	})
	return list, clientError(err)
}

// PutSearch defines a search or replaces it.
func (s *Store) PutSearch(ctx context.Context, application string, d service.SearchDefinition) (created bool, err error) {
	err = s.inCatalog(ctx, application, func(tx pgx.Tx) error {
		var taken bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM rowan.indices WHERE application_id = $1 AND name = $2)", application, d.Name).Scan(&taken); err != nil {
			return err
		}
		if taken {
			return service.Errorf(service.CodeNameTaken, "There is an index %q; a search and an index cannot have the same name.", d.Name)
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
		return nil
	})
	return created, err
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
