package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/rowansearch/rowan/service"
)

type appCommands struct {
	Create appCreateCommand `cmd:"" help:"Create an application with an admin key and a search key."`
	List   appListCommand   `cmd:"" help:"List the applications."`
	Delete appDeleteCommand `cmd:"" help:"Delete an application with all of its indices and keys."`
}

// adminFlags are those of the commands that work on the database itself.
type adminFlags struct {
	databaseFlags
	logFlags
}

func (f adminFlags) with(ctx context.Context, term terminal, run func(*service.Service) error) error {
	return f.withService(ctx, f.logger(term.err), run)
}

type appCreateCommand struct {
	adminFlags
	ID string `arg:"" help:"1 to 40 characters of a-z, 0-9 and -, not ending in -a, -b or -c."`
}

// Run creates an application and prints its keys.
func (c *appCreateCommand) Run(ctx context.Context, term terminal) error {
	return c.with(ctx, term, func(svc *service.Service) error {
		if _, err := svc.CreateApplication(ctx, c.ID); err != nil {
			return err
		}
		made, err := createKeys(ctx, svc, c.ID, "", "")
		if err != nil {
			return err
		}
		term.printf("%s", made.table())
		term.printf("The keys are shown this once.\n")
		return nil
	})
}

type appListCommand struct{ adminFlags }

// Run lists the applications.
func (c *appListCommand) Run(ctx context.Context, term terminal) error {
	return c.with(ctx, term, func(svc *service.Service) error {
		applications, err := svc.Applications(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(term.out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "APPLICATION\tCREATED")
		for _, a := range applications {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", a.ID, a.CreatedAt.UTC().Format(time.RFC3339))
		}
		return w.Flush()
	})
}

type appDeleteCommand struct {
	adminFlags
	ID  string `arg:"" help:"The application."`
	Yes bool   `help:"Really delete it; there is no way back."`
}

// Run deletes an application.
func (c *appDeleteCommand) Run(ctx context.Context, term terminal) error {
	if !c.Yes {
		return errors.New("this deletes all indices, documents and keys of " + c.ID + " for good: add --yes to do it")
	}
	return c.with(ctx, term, func(svc *service.Service) error {
		if err := svc.DeleteApplication(ctx, c.ID); err != nil {
			return err
		}
		term.printf("Deleted %s.\n", c.ID)
		return nil
	})
}
