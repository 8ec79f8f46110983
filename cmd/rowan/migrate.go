package main

import (
	"context"

	"github.com/rowansearch/rowan/service"
)

type migrateCommand struct {
	databaseFlags
	logFlags
}

// Run brings the database up to date.
func (c *migrateCommand) Run(ctx context.Context, term terminal) error {
	return c.withService(ctx, c.logger(term.err), func(*service.Service) error {
		return term.done("The database is up to date")
	})
}
