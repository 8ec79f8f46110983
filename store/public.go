package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// The schema public is searched for text-search configurations of others, but only if not everybody may create objects there, as in databases
// upgraded from PostgreSQL 14 or earlier: a function public.unnest(text[]) would match a call better than PostgreSQL's own, and would run with the
// rights of Rowan's role.

// publicIsOpen is the condition that everybody may create objects in the schema public.
const publicIsOpen = `EXISTS (SELECT FROM pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
	WHERE n.nspname = 'public' AND a.grantee = 0 AND a.privilege_type = 'CREATE')`

// checkPublic warns if this makes text-search configurations unavailable, which an index may have as its language.
func (s *Store) checkPublic(ctx context.Context) error {
	left, err := oneOn(ctx, s.pool, pgx.RowTo[*string], `SELECT string_agg(cfgname, ', ' ORDER BY cfgname) FROM pg_ts_config
		WHERE cfgnamespace = to_regnamespace('public') AND NOT pg_ts_config_is_visible(oid) AND `+publicIsOpen)
	if err != nil {
		return fmt.Errorf("cannot ask PostgreSQL who may create objects in the schema public: %w", err)
	}
	if left != nil {
		s.log.Warn("everybody may create objects in the schema public of the database, so its text-search configurations are not used, and indices that have one of them as their language cannot be searched. "+
			"REVOKE CREATE ON SCHEMA public FROM PUBLIC, and restart the servers", "configurations", *left)
	}
	return nil
}
