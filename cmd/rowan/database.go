package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/embedded"
)

// stopTimeout is how long PostgreSQL may take to stop.
const stopTimeout = 30 * time.Second

// withService runs run with the service over the database that the flags name, after it has brought the
// catalog up to date. It is for commands beside a server: if a server is running on the data folder, its
// database is used as it is.
func (f databaseFlags) withService(ctx context.Context, logger *slog.Logger, run func(*service.Service) error) (err error) {
	address := f.DatabaseURL
	if address == "" {
		var release func() error
		if address, release, err = f.ownDatabase(ctx, logger); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, release()) }()
	}
	st, err := store.Open(ctx, store.Config{URL: address, Logger: logger})
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.Migrate(ctx); err != nil {
		return err
	}
	return run(service.New(st, service.Config{Logger: logger}))
}

// place names the database for the person at the terminal.
func (f databaseFlags) place() string {
	if f.DatabaseURL != "" {
		return "the database of DATABASE_URL"
	}
	return "the database of the data folder " + f.DataDir + ", as DATABASE_URL is not set"
}

// ownDatabase returns the address of the data folder's PostgreSQL: of the running one, or else of one that it
// starts and release stops.
func (f databaseFlags) ownDatabase(ctx context.Context, logger *slog.Logger) (address string, release func() error, err error) {
	pg, err := embedded.Start(ctx, embedded.Options{DataDir: f.DataDir, Logger: logger})
	if err == nil {
		return pg.URL(), func() error { return stopPostgres(pg) }, nil
	}
	if _, ok := errors.AsType[*embedded.InUseError](err); !ok {
		return "", nil, err
	}
	address, attachErr := embedded.RunningURL(f.DataDir)
	if attachErr != nil {
		return "", nil, fmt.Errorf("%w; and connecting to it failed: %w", err, attachErr)
	}
	return address, func() error { return nil }, nil
}

func stopPostgres(pg *embedded.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := pg.Stop(ctx); err != nil {
		return fmt.Errorf("stopping PostgreSQL: %w", err)
	}
	return nil
}
