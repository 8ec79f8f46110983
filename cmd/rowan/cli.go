package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

const description = `Rowan is a document search service on PostgreSQL.

Settings come from flags, then from the environment, then from defaults. "rowan serve --help" lists those of the service.`

// commands are the commands of rowan.
type commands struct {
	Serve    serveCommand    `cmd:"" help:"Run the service."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the database up to date, as serve does when it starts."`
	App      appCommands     `cmd:"" help:"Create, list and delete applications."`
	Key      keyCommands     `cmd:"" help:"Create, list, reset and delete API keys."`
	Import   importCommand   `cmd:"" help:"Write a file of documents into an index."`
	Export   exportCommand   `cmd:"" help:"Read all documents of an index, as NDJSON."`
	Search   searchCommand   `cmd:"" help:"Search from the shell."`
	Openapi  openapiCommand  `cmd:"" help:"Print the OpenAPI document."`
	Health   healthCommand   `cmd:"" help:"Check whether a server is healthy (exit status)."`
	Postgres postgresCommand `cmd:"" help:"Run only the PostgreSQL of the data folder."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
}

// terminal is where a command reads and writes.
type terminal struct {
	in  io.Reader
	out io.Writer // results
	err io.Writer // progress, logs and errors
}

// printf writes to the output.
func (t terminal) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(t.out, format, args...)
	return err
}

// done writes what was done. If it cannot be written, the error says so, because the command itself has not failed.
func (t terminal) done(what string) error {
	if err := t.printf("%s.\n", what); err != nil {
		return fmt.Errorf("%s, but this could not be written: %w", what, err)
	}
	return nil
}

// secret writes the secret of a key, which is shown this once.
func (t terminal) secret(id, secret string) error {
	if _, err := fmt.Fprintln(t.out, secret); err != nil {
		return fmt.Errorf("the secret could not be written and is lost; \"rowan key reset %s\" creates another: %w", id, err)
	}
	return nil
}

// notef writes to the error output.
func (t terminal) notef(format string, args ...any) { _, _ = fmt.Fprintf(t.err, format, args...) }

// errReported ends a command whose failure has already been reported.
var errReported = errors.New("reported")

// run runs rowan with the given arguments and returns its exit status.
func run(args []string, term terminal) int {
	ignoreEmptyEnvironment()
	parser, err := newParser(&commands{}, term, os.Exit)
	if err != nil {
		term.notef("rowan: %v\n", err)
		return exitFailure
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := parse(parser, args)
	if err != nil {
		term.notef("rowan: %v\nRun \"rowan --help\", or \"rowan <command> --help\".\n", err)
		return exitUsage
	}
	endings := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		endings = append(endings, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings...)
	defer stop()
	// The first signal asks to stop; after it the default action is restored, so that a second one ends the process.
	context.AfterFunc(ctx, stop)
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(term); err != nil {
		if !errors.Is(err, errReported) {
			term.notef("rowan: %s\n", explain(err))
		}
		return exitFailure
	}
	return exitOK
}

// newParser returns the parser that fills c.
func newParser(c *commands, term terminal, exit func(int)) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("rowan"), kong.Description(description), kong.Writers(term.out, term.err), kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
}

// ignoreEmptyEnvironment unsets the empty variables among ours, because composed environments use them for
// unset ones (ROWAN_BASE_DOMAIN=${DOMAIN:-}).
func ignoreEmptyEnvironment() {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if value == "" && (strings.HasPrefix(name, "ROWAN_") || strings.HasPrefix(name, "DATABASE_")) {
			_ = os.Unsetenv(name) // cannot fail: the name comes from the environment
		}
	}
}
