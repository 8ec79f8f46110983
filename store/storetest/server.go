package storetest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// server hosts the databases of this process's tests.
type server struct {
	kind string // what kind of server it is, for messages
	base *url.URL

	template templates
}

// theServer finds or starts the server of this process on the first call.
var theServer = sync.OnceValues(func() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute) // a download on a slow line
	defer cancel()
	if address := os.Getenv("TEST_DATABASE_URL"); address != "" {
		s, err := connectServer(ctx, "the server of TEST_DATABASE_URL", address)
		if err != nil {
			return nil, err
		}
		return s, s.sweep(ctx, time.Now())
	}
	address, dockerErr := startContainer(ctx)
	if dockerErr == nil {
		return connectServer(ctx, "the container", address)
	}
	address, err := startEmbedded(ctx)
	if err != nil {
		return nil, fmt.Errorf("neither Docker (%w) nor the embedded PostgreSQL can be used: %w", dockerErr, err)
	}
	return connectServer(ctx, "the embedded PostgreSQL", address)
})

// connectServer checks that a server is reachable and suitable.
func connectServer(ctx context.Context, kind, address string) (*server, error) {
	base, err := url.Parse(address)
	if err != nil || (base.Scheme != "postgres" && base.Scheme != "postgresql") {
		// The address may contain a password, so it is not shown.
		return nil, fmt.Errorf("%s: the address is not of the form postgres://user:password@host:port/database", kind)
	}
	s := &server{kind: kind, base: base}
	err = s.admin(ctx, func(conn *pgx.Conn) error {
		var version int
		var mayCreate bool
		err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, rolcreatedb OR rolsuper
			FROM pg_roles WHERE rolname = current_user`).Scan(&version, &mayCreate)
		switch {
		case err != nil:
			return err
		case version < 150000:
			return fmt.Errorf("its PostgreSQL %d is older than 15", version/10000)
		case !mayCreate:
			return errors.New("its user may not create databases: ALTER ROLE … CREATEDB")
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return s, nil
}

// urlOf returns the address of one of the server's databases.
func (s *server) urlOf(database string) string {
	u := *s.base
	u.Path = "/" + database
	return u.String()
}

// admin runs a function with a connection to the database in the server's own address.
func (s *server) admin(ctx context.Context, do func(*pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.base.String())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return do(conn)
}

func (s *server) exec(ctx context.Context, sql string) error {
	return s.admin(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql)
		return err
	})
}

// createEmpty uses template0, because a person may have put something into template1.
func (s *server) createEmpty(ctx context.Context, name string) error {
	return s.exec(ctx, "CREATE DATABASE "+quote(name)+" TEMPLATE template0 ENCODING 'UTF8'")
}

// drop also ends connections that a test has left open.
func (s *server) drop(ctx context.Context, name string) error {
	return s.exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
}

// sweep drops databases that killed test processes have left on a server that outlives them.
func (s *server) sweep(ctx context.Context, now time.Time) error {
	const inUse = time.Hour // longer than any test
	return s.admin(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE starts_with(datname, $1)`, databasePrefix)
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range names {
			if created, ok := createdAt(name); ok && now.Sub(created) > inUse {
				// Another process may be doing the same, and a database that cannot be dropped does no harm.
				_, _ = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
			}
		}
		return nil
	})
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
