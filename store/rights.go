package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lacking explains what the role of the service needs if err says that it lacks a right.
func lacking(err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case ok && (e.Code == stateUndefinedObject || e.Code == stateDenied) && strings.Contains(e.Message, "plpgsql"):
		return fmt.Errorf("Rowan's functions need the language PL/pgSQL: CREATE EXTENSION plpgsql in the database, or GRANT USAGE ON LANGUAGE plpgsql TO the role of DATABASE_URL: %w", err)
	case !ok || e.Code != stateDenied:
		return err
	}
	return fmt.Errorf("the role of DATABASE_URL lacks a right. It must own the schemas rowan and app_… with everything in them (restore a dump as this role, with --no-owner), "+
		"and may have to create schemas: GRANT CREATE ON DATABASE … TO it: %w", err)
}

// errNoWrites is the reason why a server does not start on a standby.
var errNoWrites = errors.New("the database accepts no writes: it is a standby, or default_transaction_read_only is on. DATABASE_URL must point to the primary " +
	"(with several hosts, by target_session_attrs=read-write); standbys belong in DATABASE_REPLICA_URLS")

// errNoTriggers is the reason why a server does not start where foreign keys are not kept: what is deleted would leave rows of the catalog behind, and
// a dump could not be restored.
var errNoTriggers = errors.New("session_replication_role is replica, for the role or the database of DATABASE_URL: PostgreSQL then keeps no foreign keys. " +
	"RESET it (ALTER ROLE … RESET session_replication_role, ALTER DATABASE …)")

// makeCatalogSchema creates the schema of the catalog, in which goose keeps its versions. A role that only uses an existing schema need not have the
// right to create schemas, which even IF NOT EXISTS requires.
func makeCatalogSchema(ctx context.Context, pool *pgxpool.Pool) error {
	var readOnly, noTriggers, there bool
	if _, err := onPool(ctx, pool, func() (struct{}, error) {
		return struct{}{}, pool.QueryRow(ctx, "SELECT current_setting('transaction_read_only')::boolean, current_setting('session_replication_role') = 'replica', to_regnamespace('rowan') IS NOT NULL").
			Scan(&readOnly, &noTriggers, &there)
	}); err != nil {
		return err
	}
	switch {
	case readOnly:
		return errNoWrites
	case noTriggers:
		return errNoTriggers
	case there:
		return nil
	}
	_, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS rowan") // fails, and is run again, if another server is creating it
	return err
}
