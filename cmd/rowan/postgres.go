package main

import (
	"context"
	"fmt"

	"github.com/rowansearch/rowan/store/embedded"
)

type postgresCommand struct {
	DataDir string `env:"ROWAN_DATA_DIR" default:"./data" placeholder:"FOLDER" help:"Where PostgreSQL keeps its data (${default})."`
	logFlags
}

// Run runs the data folder's PostgreSQL until it is told to stop.
func (c *postgresCommand) Run(ctx context.Context, term terminal) error {
	pg, err := embedded.Start(ctx, embedded.Options{DataDir: c.DataDir, Logger: c.logger(term.err)})
	if err != nil {
		return err
	}
	_ = term.printf("PostgreSQL %s runs on the data in %s. To look at it:\n\n  %s\n\n", pg.Version(), pg.DataDir(), pg.PSQL())
	select {
	case <-ctx.Done():
		return stopPostgres(pg)
	case <-pg.Done():
		return fmt.Errorf("PostgreSQL stopped unexpectedly: %w", pg.Err())
	}
}
