package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// Indices returns an application's indices by name, without their stop words and synonyms.
func (s *Store) Indices(ctx context.Context, application string) ([]*service.Index, error) {
	list, err := listOn(ctx, s.pool, scanIndex, selectListed+" WHERE i.application_id = $1 ORDER BY i.name", application)
	return list, clientError(err)
}

// IndexStats counts the documents of an index and the bytes of its tables and indexes.
func (s *Store) IndexStats(ctx context.Context, ix *service.Index) (service.IndexStats, error) {
	r := table.RelationsOf(ix.Application, ix.Name)
	st, err := oneOn(ctx, s.pool, pgx.RowToStructByPos[service.IndexStats], "SELECT count(*), pg_total_relation_size("+sqltext.Literal(r.Table)+") FROM "+r.Table)
	if gone(err) {
		s.forget(ix.Application)
		return st, stale(err)
	}
	return st, clientError(err)
}

// IndexSizes returns the bytes of the tables and indexes of each index, by its name.
func (s *Store) IndexSizes(ctx context.Context, application string) (map[string]int64, error) {
	type size struct {
		Name  string
		Bytes int64
	}
	// A table that is being dropped has no size any more.
	list, err := listOn(ctx, s.pool, pgx.RowToStructByPos[size], `SELECT c.relname::text, coalesce(pg_total_relation_size(c.oid), 0)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`, table.SchemaOf(application))
	sizes := make(map[string]int64, len(list))
	for _, of := range list {
		sizes[of.Name] = of.Bytes
	}
	return sizes, clientError(err)
}

// CreateIndex creates an index with its table.
func (s *Store) CreateIndex(ctx context.Context, application, index string, mappings []mapping.Mapping) error {
	ix := &service.Index{Application: application, Name: index, Mappings: mappings,
		Settings: service.IndexSettings{Language: service.DefaultLanguage}}
	sh := table.ShapeOf(ix)
	err := s.inCatalog(ctx, application, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `INSERT INTO rowan.indices (application_id, name, language, version)
			VALUES ($1, $2, $3, `+sqltext.Moment+`) ON CONFLICT DO NOTHING RETURNING id`, application, index, ix.Settings.Language).Scan(&ix.ID)
		if errors.Is(err, pgx.ErrNoRows) {
			return service.Errorf(service.CodeIndexExists, "The index %q already exists; PUT changes its mappings.", index)
		}
		if err != nil {
			return err
		}
		var taken bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM rowan.searches WHERE application_id = $1 AND name = $2)", application, index).Scan(&taken); err != nil {
			return err
		}
		if taken {
			return service.Errorf(service.CodeNameTaken, "There is a search %q, and an index cannot have the name of a search. Choose another name.", index)
		}
		// Names must be compared here: some tables are created only if they do not exist, others later.
		rows, _ := tx.Query(ctx, "SELECT name FROM rowan.indices WHERE application_id = $1 AND name <> $2 AND octet_length(name) >= $3", application, index, table.LeastCut)
		others, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, other := range others {
			if table.CutAlike(index, other) {
				return tablesTaken(index, fmt.Errorf("the tables of the index %q have the same names once these are cut to PostgreSQL's limit", other))
			}
		}
		if err := insertMappings(ctx, tx, ix.ID, sh); err != nil {
			return err
		}
		statements := slices.Concat(
			[]string{"CREATE SCHEMA IF NOT EXISTS " + sqltext.Quote(sh.Schema), "CREATE SCHEMA IF NOT EXISTS " + sqltext.Quote(sh.Derived)},
			sh.CreateDerived(), sh.CreateTable(sh.Table), sh.CreateIndexes(sh.Table), createTriggers(sh, ix.ID))
		return execAll(ctx, tx, statements)
	})
	if state(err) == stateDuplicateTable {
		return tablesTaken(index, err) // a table that somebody else has created in the schema
	}
	return err
}

func tablesTaken(index string, cause error) error {
	return service.Errorf(service.CodeNameTaken, "The database already contains something with a name that the tables of the index %q need. Choose another index name, or rename the existing object.", index).Because(cause)
}

func insertMappings(ctx context.Context, tx pgx.Tx, id int64, sh table.Shape) error {
	names, types, columns := make([]string, len(sh.Fields)), make([]string, len(sh.Fields)), make([]string, len(sh.Fields))
	for i, f := range sh.Fields {
		names[i], types[i], columns[i] = f.Name, string(f.Type), f.Column
	}
	_, err := tx.Exec(ctx, `INSERT INTO rowan.mappings (index_id, position, name, type, column_name)
		SELECT $1, o - 1, n, t, c FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS m(n, t, c, o)`, id, names, types, columns)
	return err
}

// lockIndex returns the statement that takes an index's lock in a transaction: shared for writers of documents, exclusive for exchanging the table.
// It is an advisory lock, because row locks of each writer on one catalog row would themselves be writes.
func lockIndex(id int64, exclusive bool) (sql string, arg int64) {
	if exclusive {
		return "SELECT pg_advisory_xact_lock(" + lockClass + ", $1::int)", id
	}
	return "SELECT pg_advisory_xact_lock_shared(" + lockClass + ", $1::int)", id
}

// takeIndex takes an index's lock exclusively. lockTimeout is a statement that limits the wait for it and for the tables.
func takeIndex(ctx context.Context, tx pgx.Tx, id int64, lockTimeout string) error {
	if _, err := tx.Exec(ctx, lockTimeout); err != nil {
		return err
	}
	sql, arg := lockIndex(id, true)
	_, err := tx.Exec(ctx, sql, arg)
	return err
}

// lockClass distinguishes Rowan's advisory locks from those of others ("rown").
const lockClass = "1919907694"

// DeleteIndex removes an index.
func (s *Store) DeleteIndex(ctx context.Context, ix *service.Index) error {
	err := s.withTable(ctx, func(lockTimeout string) error {
		return s.inCatalog(ctx, ix.Application, func(tx pgx.Tx) error {
			if err := takeIndex(ctx, tx, ix.ID, lockTimeout); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, "DELETE FROM rowan.indices WHERE id = $1", ix.ID)
			if err != nil {
				return err
			}
			if tag.RowsAffected() == 0 {
				return service.ErrStale
			}
			return execAll(ctx, tx, table.ShapeOf(ix).Drop())
		})
	})
	if err == nil {
		s.dropped(ix.ID)
	}
	return err
}

// ClearIndex removes all documents of an index.
func (s *Store) ClearIndex(ctx context.Context, ix *service.Index) error {
	return s.withTable(ctx, func(lockTimeout string) error {
		return s.inCatalog(ctx, ix.Application, func(tx pgx.Tx) error {
			if err := takeIndex(ctx, tx, ix.ID, lockTimeout); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, "UPDATE rowan.indices SET version = "+nextVersionSQL+", rebuilding = false, accelerated = false WHERE id = $1 AND version = $2", ix.ID, ix.Version)
			if err != nil {
				return err
			}
			if tag.RowsAffected() == 0 {
				return service.ErrStale // another server may have changed the mappings, which the new table must have
			}
			// A new table instead of TRUNCATE: TRUNCATE is not MVCC-safe, so a search that began before it would find the table empty.
			sh := table.ShapeOf(ix)
			grants, err := grantsOn(ctx, tx, sh)
			if err != nil {
				return err
			}
			statements := slices.Concat(sh.Drop(), sh.CreateDerived(), sh.CreateTable(sh.Table), sh.CreateIndexes(sh.Table), createTriggers(sh, ix.ID), grants)
			if err := execAll(ctx, tx, statements); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, "DELETE FROM rowan.accelerators WHERE index_id = $1", ix.ID)
			return err
		})
	})
}
