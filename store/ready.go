package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"

	"github.com/rowansearch/rowan/migrations"
)

// Check is the result of checking one of the things that a server needs.
type Check struct {
	// Name is database, migrations, connections or "replica" with its host and port.
	Name string
	// OK is false if something is missing.
	OK bool
	// Needed says that nothing can be served without it.
	Needed bool
	// Detail says what was found; it never contains an address with a password, or a statement.
	Detail string
	// BehindBytes is how much of the primary's log a replica still had to replay; nil for other checks and if unknown.
	BehindBytes *int64
}

// readyTimeout is how long PostgreSQL may take to answer, and how long to wait for a connection.
const readyTimeout = time.Second

// Ready checks what the store needs: that PostgreSQL answers, that its catalog is at the version of this binary or a newer one, that each pool has a
// free connection within a second, and the state of the replicas. It takes at most two seconds.
func (s *Store) Ready(ctx context.Context) []Check {
	database := Check{Name: "database", Needed: true, Detail: "does not answer"}
	catalog := Check{Name: "migrations", Needed: true, Detail: "not known while the database does not answer"}
	free := Check{Name: "connections", Needed: true, OK: true, Detail: "free"}
	s.withReadyConn(ctx, s.pool, "writes", &free, func(ctx context.Context, conn *pgxpool.Conn) {
		database.ask(ctx, conn)
		if database.OK {
			catalog.OK, catalog.Detail = migrated(ctx, conn)
		}
	})
	s.withReadyConn(ctx, s.reads, "searches", &free, func(ctx context.Context, conn *pgxpool.Conn) {
		if database.OK {
			return
		}
		if database.ask(ctx, conn); database.OK { // writes have all connections of their pool
			catalog.OK, catalog.Detail = migrated(ctx, conn)
		}
	})
	checks := []Check{database, catalog, free}
	for _, r := range s.Replicas() {
		c := Check{Name: "replica " + r.Name, OK: r.Ready, Detail: "takes part"}
		if r.Behind >= 0 {
			c.BehindBytes = &r.Behind
		}
		if !r.Ready {
			c.Detail = "left out: unreachable, behind, or not a standby of the primary; the log says which. The primary serves instead"
		}
		checks = append(checks, c)
	}
	return checks
}

// withReadyConn runs f on a connection, or sets free to the reason why there is none.
func (s *Store) withReadyConn(ctx context.Context, pool *pgxpool.Pool, what string, free *Check, f func(ctx context.Context, conn *pgxpool.Conn)) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	conn, err := onPool(ctx, pool, func() (*pgxpool.Conn, error) { return pool.Acquire(ctx) })
	if err == nil {
		defer conn.Release()
		f(ctx, conn)
		return
	}
	free.OK, free.Detail = false, "none to the database for "+what
	if full(err) {
		free.Detail = fmt.Sprintf("PostgreSQL has none left for %s (max_connections, or the limit of the role, the database or a pooler)", what)
	}
	if st := pool.Stat(); errors.Is(err, context.DeadlineExceeded) && st.AcquiredConns() == st.MaxConns() {
		free.Detail = fmt.Sprintf("all %d for %s were in use for %s", st.MaxConns(), what, readyTimeout)
	}
}

// ask pings PostgreSQL.
func (c *Check) ask(ctx context.Context, conn *pgxpool.Conn) {
	began := time.Now()
	if conn.Ping(ctx) == nil {
		c.OK, c.Detail = true, fmt.Sprintf("answered within %s", time.Since(began).Round(10*time.Microsecond))
	}
}

// migrated compares the catalog with the migrations of this binary.
func migrated(ctx context.Context, conn *pgxpool.Conn) (ok bool, detail string) {
	want, err := newestMigration()
	if err != nil {
		return false, "the migrations of this binary cannot be read"
	}
	have, err := catalogVersion(ctx, conn)
	if err != nil {
		return false, "the version of the catalog cannot be read"
	}
	if have < want {
		return false, fmt.Sprintf("the catalog is at version %d, this binary needs %d: run rowan migrate, or restart rowan serve", have, want)
	}
	return true, fmt.Sprintf("the catalog is at version %d, this binary needs %d", have, want)
}

// catalogVersion returns the version of the last migration of the catalog; 0 if there is no catalog yet.
func catalogVersion(ctx context.Context, db rowQuerier) (have int64, err error) {
	err = db.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM rowan.migrations WHERE is_applied").Scan(&have)
	if gone(err) {
		return 0, nil
	}
	return have, err
}

// newestMigration returns the version of the last migration in this binary.
func newestMigration() (newest int64, err error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, err
		}
		newest = max(newest, version)
	}
	return newest, err
}
