package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/store/embedded"
)

type appCommands struct {
	Create appCreateCommand `cmd:"" help:"Create an application with an admin key and a search key."`
	List   appListCommand   `cmd:"" help:"List the applications."`
	Delete appDeleteCommand `cmd:"" help:"Delete an application with all of its indices and keys."`
}

// adminFlags are the flags of the commands that work directly on the database.
type adminFlags struct {
	databaseFlags
	logFlags
}

// with runs run with the service over an existing database: looking for an application in a newly created one would only hide
// that another database was meant.
func (f adminFlags) with(ctx context.Context, term terminal, run func(*service.Service) error) error {
	if f.DatabaseURL == "" && !embedded.HasData(f.DataDir) {
		return fmt.Errorf("there is no data in %s, and DATABASE_URL is not set: set it to the database of the service, or give the service's --data-dir", f.DataDir)
	}
	err := f.withService(ctx, f.logger(term.err), run)
	switch service.ErrorCode(err) {
	case service.CodeApplicationNotFound:
		return adviseError{err, `"rowan app list" lists the applications in ` + f.place() + "."}
	case service.CodeKeyNotFound:
		return adviseError{err, `"rowan key list" lists the ids of keys. An id is not the key itself.`}
	}
	return err
}

type appCreateCommand struct {
	adminFlags
	ID string `arg:"" help:"1 to 40 characters of a-z, 0-9 and -, not ending in -a, -b or -c."`
}

// Validate refuses an invalid id.
func (c *appCreateCommand) Validate() error {
	if err := document.CheckApplicationID(c.ID); err != nil {
		return fmt.Errorf("the id of an application %w", err)
	}
	return nil
}

// Run creates an application and prints its keys.
func (c *appCreateCommand) Run(ctx context.Context, term terminal) error {
	return c.withService(ctx, c.logger(term.err), func(svc *service.Service) error {
		if _, err := svc.CreateApplication(ctx, c.ID); err != nil {
			return err
		}
		made, err := createKeys(ctx, svc, c.ID, "", "")
		if err == nil {
			err = term.printf("%sThe keys are shown only this once.\n", made.table())
		}
		if err != nil {
			return adviseError{err, fmt.Sprintf("The application was created, but not its keys, or they could not be shown: \"rowan key create --application %s --type admin\" creates one.", c.ID)}
		}
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
	Yes bool   `help:"Confirm the deletion, which cannot be undone."`
}

// Validate asks for a flag that nobody types by accident, once it knows what is to be deleted.
func (c *appDeleteCommand) Validate() error {
	if !c.Yes && c.ID != "" {
		return fmt.Errorf("this permanently deletes all indices, documents and keys of %q: add --yes to confirm", c.ID)
	}
	return nil
}

// Run deletes an application.
func (c *appDeleteCommand) Run(ctx context.Context, term terminal) error {
	return c.with(ctx, term, func(svc *service.Service) error {
		if err := svc.DeleteApplication(ctx, c.ID); err != nil {
			return c.stopped(ctx, svc, err)
		}
		return term.done("Deleted " + c.ID)
	})
}

// stopped adds to the error that ended the deletion how far it got: the error itself is about a single index.
func (c *appDeleteCommand) stopped(ctx context.Context, svc *service.Service, err error) error {
	left, unknown := svc.Indices(ctx, c.ID, "")
	if unknown != nil || len(left) == 0 {
		return err
	}
	return adviseError{err, fmt.Sprintf("Indices are deleted one by one, then the application and its keys. Still left: %d, the first of them %s. Run the same command again to continue.", len(left), left[0].Name)}
}
