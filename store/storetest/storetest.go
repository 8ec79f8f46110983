// Package storetest provides a test with a database of its own on a real PostgreSQL.
//
// The server is, in this order: the one of TEST_DATABASE_URL; a container, if a Docker engine responds and has or can get the image; the embedded
// PostgreSQL of package embedded. A test is never skipped for lack of a server: it fails and says how to get one.
//
// A database is a copy of a template to which the migrations have been applied once; copying takes some 50 ms. It is dropped when the test ends. What
// a killed test process leaves behind is removed: the embedded server and its data by a watcher, within a second; the container by testcontainers'
// own watcher; and databases on the server of TEST_DATABASE_URL by the first test process that starts at least an hour later.
package storetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// maxConns is the size of a test's pool: enough to test concurrency, and few enough to run many tests at once on a server with PostgreSQL's default
// of 100 connections.
const maxConns = 8

// DB is the database of one test.
type DB struct {
	URL  string        // for pgx, psql and a server under test
	Pool *pgxpool.Pool // of a superuser, or of the user in TEST_DATABASE_URL; closed by the test's cleanup
}

// New returns a database to which all migrations have been applied.
func New(t testing.TB) *DB {
	t.Helper()
	return open(t, func(ctx context.Context, s *server, name string) error { return s.cloneTemplate(ctx, name) })
}

// Empty returns a database with nothing in it, for tests of the migrations themselves.
func Empty(t testing.TB) *DB {
	t.Helper()
	return open(t, func(ctx context.Context, s *server, name string) error { return s.createEmpty(ctx, name) })
}

func open(t testing.TB, create func(context.Context, *server, string) error) *DB {
	t.Helper()
	s, err := theServer()
	if err != nil {
		t.Fatalf("storetest: %v\nSet TEST_DATABASE_URL to a PostgreSQL 15 or newer whose user may create databases, start Docker, or install PostgreSQL.", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	name := databaseName(time.Now())
	if err := create(ctx, s, name); err != nil {
		t.Fatalf("storetest: %s: %v", s.kind, err)
	}
	// Cleanups run in reverse order: the pool closes before the database goes.
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			t.Errorf("storetest: %v", err)
		}
	})
	db := &DB{URL: s.urlOf(name)}
	config, err := pgxpool.ParseConfig(db.URL)
	if err != nil {
		t.Fatalf("storetest: %v", err)
	}
	config.MaxConns = maxConns
	db.Pool, err = pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		t.Fatalf("storetest: %v", err)
	}
	t.Cleanup(func() { closePool(t, db.Pool) })
	return db
}

// closePool closes a pool. It fails the test if the pool has a connection in use, for which Close would wait forever.
func closePool(t testing.TB, pool *pgxpool.Pool) {
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Errorf("storetest: the test has not given back %d of its connections: rows not closed, or a transaction not ended?", pool.Stat().AcquiredConns())
	}
}

const (
	databasePrefix = "rowan_test_"
	templatePrefix = "rowan_template_"
)

// databaseName returns rowan_test_<seconds since 1970>_<random>: the time distinguishes leftovers from databases in use.
func databaseName(now time.Time) string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return fmt.Sprintf("%s%d_%s", databasePrefix, now.Unix(), hex.EncodeToString(random))
}

// createdAt returns the time in a name that databaseName returned.
func createdAt(name string) (time.Time, bool) {
	rest, ok := strings.CutPrefix(name, databasePrefix)
	if !ok {
		return time.Time{}, false
	}
	text, _, ok := strings.Cut(rest, "_")
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0), ok && err == nil
}
