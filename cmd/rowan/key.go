package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rowansearch/rowan/service"
)

type keyCommands struct {
	Create keyCreateCommand `cmd:"" help:"Create a key and print it once."`
	List   keyListCommand   `cmd:"" help:"List the keys, without their secrets."`
	Reset  keyResetCommand  `cmd:"" help:"Give a key a new secret and print it; the old one stops working."`
	Delete keyDeleteCommand `cmd:"" help:"Delete a key."`
}

// keyFlags are the flags of all key commands.
type keyFlags struct {
	adminFlags
	Application string `env:"ROWAN_APPLICATION_ID" default:"demo" placeholder:"ID" help:"Application (${default})."`
}

type keyCreateCommand struct {
	keyFlags
	Type        string   `enum:"admin,search" default:"search" help:"admin: may do everything; search: may only search (${default})."`
	Description string   `help:"What the key is for."`
	Indices     []string `placeholder:"NAME" help:"Limit a search key to these indices and searches."`
	Filter      *string  `help:"Filter that is applied to every search with the key."`
	ExpiresAt   *string  `placeholder:"TIME" help:"When the key stops working, such as 2027-01-31T00:00:00Z. Default: never."`
}

// Validate refuses limits that limit nothing, which an empty shell variable would produce.
func (c *keyCreateCommand) Validate() error {
	if c.Indices != nil && !slices.ContainsFunc(c.Indices, func(name string) bool { return strings.TrimSpace(name) != "" }) {
		return errors.New("--indices names no index: omit it for a key that may search all")
	}
	if c.Filter != nil && strings.TrimSpace(*c.Filter) == "" {
		return errors.New("--filter is empty: omit it for a key without one")
	}
	return nil
}

// Run creates a key.
func (c *keyCreateCommand) Run(ctx context.Context, term terminal) error {
	return c.with(ctx, term, func(svc *service.Service) error {
		filter := ""
		if c.Filter != nil {
			filter = *c.Filter
		}
		key, secret, err := svc.CreateKey(ctx, service.NewKey{
			Application: c.Application, Type: service.KeyType(c.Type), Description: c.Description,
			Indices: c.Indices, Filter: filter, ExpiresAt: c.ExpiresAt,
		})
		if err != nil {
			return err
		}
		return term.secret(key.ID, secret)
	})
}

type keyListCommand struct{ keyFlags }

// Run lists the keys of an application.
func (c *keyListCommand) Run(ctx context.Context, term terminal) error {
	return c.with(ctx, term, func(svc *service.Service) error {
		// A missing application is an error, not a table without keys.
		if _, err := svc.ApplicationSettings(ctx, c.Application); err != nil {
			return err
		}
		keys, err := svc.Keys(ctx, c.Application)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(term.out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tTYPE\tCREATED\tLAST USED\tEXPIRES\tINDICES\tFILTER\tDESCRIPTION")
		for _, k := range keys {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Type, shortTime(&k.CreatedAt), shortTime(k.LastUsedAt),
				shortTime(k.ExpiresAt), orDash(strings.Join(k.Indices, ",")), orDash(oneLine(k.Filter)), orDash(oneLine(k.Description)))
		}
		return w.Flush()
	})
}

type keyResetCommand struct {
	keyFlags
	ID string `arg:"" help:"The key's id, as shown by key list."`
}

// Run gives a key a new secret.
func (c *keyResetCommand) Run(ctx context.Context, term terminal) error {
	return c.with(ctx, term, func(svc *service.Service) error {
		_, secret, err := svc.ResetKey(ctx, c.Application, c.ID)
		if err != nil {
			return err
		}
		return term.secret(c.ID, secret)
	})
}

type keyDeleteCommand struct {
	keyFlags
	ID string `arg:"" help:"The key's id, as shown by key list."`
}

// Run deletes a key.
func (c *keyDeleteCommand) Run(ctx context.Context, term terminal) error {
	return c.with(ctx, term, func(svc *service.Service) error {
		if err := svc.DeleteKey(ctx, c.Application, c.ID); err != nil {
			return err
		}
		return term.done("Deleted " + c.ID)
	})
}

func shortTime(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
