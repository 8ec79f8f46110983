package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/rowansearch/rowan/migrations"
)

// Migrate brings the catalog up to date. Any number of servers may call it at the same time. For an existing catalog, it logs the beginning and the
// end: a migration may take as long as loading the documents.
func (s *Store) Migrate(ctx context.Context) error {
	have, err := onPool(ctx, s.pool, func() (int64, error) { return catalogVersion(ctx, s.pool) })
	if err != nil {
		return lacking(err)
	}
	want, err := newestMigration()
	if err != nil {
		return err
	}
	if have == 0 || have >= want {
		return Migrate(ctx, s.pool)
	}
	began := time.Now()
	s.log.Info("migrating the catalog, which may compute documents anew; while another server does so, this one waits", "from", have, "to", want)
	if err := Migrate(ctx, s.pool); err != nil {
		return err
	}
	s.log.Info("the catalog is migrated", "duration", time.Since(began).Round(time.Millisecond))
	return nil
}

// migrationSeconds is how long a migration waits for that of another server.
const migrationSeconds = 300

// Migrate brings the catalog in pool's database up to date. Any number of servers may call it at the same time.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	return migrate(ctx, pool, migrationSeconds)
}

func migrate(ctx context.Context, pool *pgxpool.Pool, seconds uint64) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, seconds))
	if err != nil {
		return err
	}
	locker = patientLocker{locker, seconds}
	if err := retry(ctx, func() error { return makeCatalogSchema(ctx, pool) }); err != nil {
		return lacking(err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }() // the pool stays open
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithSessionLocker(locker), goose.WithTableName("rowan.migrations"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrating the catalog: %w", lacking(err))
	}
	return nil
}

// patientLocker adds to errors what it has waited for.
type patientLocker struct {
	lock.SessionLocker
	seconds uint64
}

// SessionLock takes the lock, waiting for whoever holds it.
func (l patientLocker) SessionLock(ctx context.Context, conn *sql.Conn) error {
	err := l.SessionLocker.SessionLock(ctx, conn)
	if err == nil || ctx.Err() != nil || state(err) != "" || connectionLost(err) {
		return err
	}
	return fmt.Errorf("another server, or rowan migrate, has been migrating this database for more than %d s: start again once its log says that the catalog is migrated "+
		"(in pg_locks, it holds the advisory lock with objid %d): %w", l.seconds, lock.DefaultLockID, err)
}
