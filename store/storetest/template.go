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

// templateLock is the number of the advisory lock under which a template is made: any, but one that nothing
// else uses.
const templateLock = 0x726f77616e // "rowan"

// templates remembers that this process has seen the template.
type templates struct {
	mu    sync.Mutex
	ready bool
}

// templateName changes with every change of a migration, so that a server that outlives the tests never
// serves an old schema.
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

// cloneTemplate makes a database that is a copy of the template.
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
		// Tests of another state of the migrations, on the same server, may have dropped it meanwhile.
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

// needTemplate makes the template unless it is there. Of several processes on one server one makes it and
// the others wait.
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

// buildingName is that of the template while it is made.
const buildingName = templatePrefix + "building"

// makeTemplate gives the database its name at last, so that one that is being made, or whose maker was
// killed, is not taken for finished. Nobody may connect to it, because a database in use cannot be copied.
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

// dropOldTemplates drops the templates of other states of the migrations, which are of no use any more; whoever
// works on such a state right now makes theirs anew (cloneTemplate).
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
		// An error means that it is being copied, or is somebody else's: it can stay.
		_, _ = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+quote(name))
	}
	return nil
}
