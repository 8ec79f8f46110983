package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// CreateApplication creates an application and its schemas.
func (s *Store) CreateApplication(ctx context.Context, id string) (service.Application, error) {
	app := service.Application{ID: id}
	err := retry(ctx, func() error {
		return s.transact(ctx, func(tx pgx.Tx) error {
			err := tx.QueryRow(ctx, "INSERT INTO rowan.applications (id, version) VALUES ($1, "+sqltext.Moment+") ON CONFLICT DO NOTHING RETURNING created_at", id).Scan(&app.CreatedAt)
			if errors.Is(err, pgx.ErrNoRows) {
				return service.Errorf(service.CodeApplicationExists, "The application %q already exists.", id)
			}
			if err != nil {
				return err
			}
			return execAll(ctx, tx, []string{
				"CREATE SCHEMA IF NOT EXISTS " + sqltext.Quote(table.SchemaOf(id)),
				"COMMENT ON SCHEMA " + sqltext.Quote(table.SchemaOf(id)) + " IS " + sqltext.Literal("Indices of the Rowan application "+id+"."),
				"CREATE SCHEMA IF NOT EXISTS " + sqltext.Quote(table.DerivedSchemaOf(id)),
				"COMMENT ON SCHEMA " + sqltext.Quote(table.DerivedSchemaOf(id)) + " IS " + sqltext.Literal("What Rowan derives from the indices of "+id+"."),
			})
		})
	})
	return app, lacking(err)
}

// Applications lists the applications by id.
func (s *Store) Applications(ctx context.Context) ([]service.Application, error) {
	list, err := listOn(ctx, s.pool, pgx.RowToStructByPos[service.Application], "SELECT id, created_at FROM rowan.applications ORDER BY id")
	return list, clientError(err)
}

// DeleteApplication removes an application with its indices and keys.
func (s *Store) DeleteApplication(ctx context.Context, id string) error {
	// One index at a time: a single transaction that drops hundreds of tables would hold a lock on each.
	for {
		list, err := s.Indices(ctx, id)
		if err != nil {
			return err
		}
		for _, ix := range list {
			if err := s.DeleteIndex(ctx, ix); err != nil && !errors.Is(err, service.ErrStale) {
				return err
			}
		}
		err = s.inCatalog(ctx, id, func(tx pgx.Tx) error {
			var left bool
			if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM rowan.indices WHERE application_id = $1)", id).Scan(&left); err != nil {
				return err
			}
			if left {
				return service.ErrStale
			}
			if _, err := tx.Exec(ctx, "DELETE FROM rowan.applications WHERE id = $1", id); err != nil {
				return err
			}
			err := execAll(ctx, tx, []string{
				"DROP SCHEMA IF EXISTS " + sqltext.Quote(table.SchemaOf(id)), // without CASCADE: all that was Rowan's is gone
				"DROP SCHEMA IF EXISTS " + sqltext.Quote(table.DerivedSchemaOf(id)) + " CASCADE",
			})
			if state(err) == stateDependents {
				return service.Errorf(service.CodeIndexInUse, "The schema %s of the database contains objects that others have created. The application's indices are deleted; the application and its keys are kept. Move the objects to another schema or drop them, then try again.", table.SchemaOf(id)).Because(dependents(err))
			}
			return err
		})
		if !errors.Is(err, service.ErrStale) {
			return err
		}
	}
}

// ApplicationSettings returns the settings of an application.
func (s *Store) ApplicationSettings(ctx context.Context, application string) (service.ApplicationSettings, error) {
	settings, err := oneOn(ctx, s.pool, pgx.RowToStructByPos[service.ApplicationSettings], "SELECT per_page FROM rowan.applications WHERE id = $1", application)
	if errors.Is(err, pgx.ErrNoRows) {
		return settings, service.Errorf(service.CodeApplicationNotFound, "There is no application %q.", application)
	}
	return settings, clientError(err)
}

// PutApplicationSettings replaces the settings of an application.
func (s *Store) PutApplicationSettings(ctx context.Context, application string, settings service.ApplicationSettings) error {
	return s.inCatalog(ctx, application, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE rowan.applications SET per_page = $2 WHERE id = $1", application, settings.PerPage)
		return err
	})
}
