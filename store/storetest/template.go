package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/rowansearch/rowan/migrations"
	"github.com/rowansearch/rowan/store"
)

// templateLock is the number of the advisory lock that is held while the template is created; nothing else must use it.
const templateLock = 0x726f77616e // "rowan"

// templates remembers that this process has seen the template.
type templates struct {
	mu    sync.Mutex
	ready bool
}

// templateName returns a name that changes with every change of a migration, so that a server that outlives the tests never provides an old schema.
var templateName = sync.OnceValues(func() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(migrations.FS, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.FS, path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	return templatePrefix + hex.EncodeToString(sum.Sum(nil))[:16], err
})

// cloneTemplate creates a database as a copy of the template.
func (s *server) cloneTemplate(ctx context.Context, name string) error {
	template, err := templateName()
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		if err := s.needTemplate(ctx, template); err != nil {
			return fmt.Errorf("cannot make the template of the test databases: %w", err)
		}
		err := s.exec(ctx, "CREATE DATABASE "+quote(name)+" TEMPLATE "+quote(template))
		// Tests of another version of the migrations may have dropped it in the meantime.
		var pgErr *pgconn.PgError
		if attempt == 3 || !errors.As(err, &pgErr) || pgErr.Code != "3D000" {
			return err
		}
		s.template.forget()
	}
}

func (t *templates) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ready = false
}

// needTemplate creates the template unless it exists. Of several processes on one server, one creates it and the others wait.
func (s *server) needTemplate(ctx context.Context, template string) error {
	s.template.mu.Lock()
	defer s.template.mu.Unlock()
	if s.template.ready {
		return nil
	}
	err := s.admin(ctx, func(conn *pgx.Conn) error {
		// The lock ends with the connection.
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
			return err
		}
		var ready bool
		err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", template).Scan(&ready)
		if err != nil || ready {
			return err
		}
		if err := dropOldTemplates(ctx, conn, template); err != nil {
			return err
		}
		return s.makeTemplate(ctx, conn, template)
	})
	s.template.ready = err == nil
	return err
}

// buildingName is the name of the template while it is being created.
const buildingName = templatePrefix + "building"

// makeTemplate creates the template. It gives the database its name last, so that one that is incomplete, or whose creator was killed, is not
// mistaken for a finished one. Connections to it are forbidden, because a database in use cannot be copied.
func (s *server) makeTemplate(ctx context.Context, conn *pgx.Conn, template string) error {
	if err := s.drop(ctx, buildingName); err != nil {
		return err
	}
	if err := s.createEmpty(ctx, buildingName); err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, s.urlOf(buildingName))
	if err != nil {
		return err
	}
	err = store.Migrate(ctx, pool)
	pool.Close()
	if err != nil {
		return err
	}
	for _, change := range []string{"WITH ALLOW_CONNECTIONS false", "RENAME TO " + quote(template)} {
		if _, err := conn.Exec(ctx, "ALTER DATABASE "+quote(buildingName)+" "+change); err != nil {
			return err
		}
	}
	return nil
}

// dropOldTemplates drops the templates of other versions of the migrations. Whoever works on such a version right now creates the template again
// (cloneTemplate).
func dropOldTemplates(ctx context.Context, conn *pgx.Conn, current string) error {
	rows, err := conn.Query(ctx, "SELECT datname FROM pg_database WHERE starts_with(datname, $1) AND datname <> $2", templatePrefix, current)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		// An error means that it is being copied or belongs to somebody else: it can stay.
		_, _ = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+quote(name))
	}
	return nil
}
