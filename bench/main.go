// Command bench measures Rowan as its clients see it: it starts the built binary with a PostgreSQL of its own,
// speaks to it over HTTP only, and does the same work in plain SQL on the same server in the same run. The
// result is a section of docs/performance.md.
//
// It knows nothing of Rowan's packages but the embedded server. The tables of an index it looks at from outside,
// as a DBA would: to wait until the background worker has caught up, and for COPY.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// command is the command line.
type command struct {
	Name      string   `placeholder:"NAME" help:"Name of the section in the report. Default: that of the data."`
	Docs      string   `placeholder:"FILE" type:"existingfile" help:"Documents, NDJSON, gzipped or not. Default: generated ones. Also the documents of judged sets that have none."`
	Queries   string   `placeholder:"FILE" type:"existingfile" help:"Queries for latency, one per line. Queries that a class lacks are made from the documents' words."`
	Relevance []string `placeholder:"DIR" type:"existingdir" help:"A judged set: queries.tsv, qrels.tsv, docs.ndjson.gz, known-items.tsv, known-items-typo.tsv, each if it is there. Repeat it for more."`
	Mapping   []string `placeholder:"FIELD:TYPE" sep:"none" help:"A mapping, repeated; SET/FIELD:TYPE for one judged set only."`
	Language  []string `placeholder:"LANGUAGE" help:"Language of the documents, as Rowan and PostgreSQL call it; SET/LANGUAGE for one judged set only, repeated. Default: english."`
	IDField   string   `name:"id-field" default:"id" help:"Property that names a document (${default})."`
	Parts     []string `placeholder:"PART,…" help:"Parts to run: relevance, latency, writes. Default: relevance if judged sets are given, the others if documents without judged sets or queries are."`
	Generate  int      `default:"20000" help:"How many documents to generate if none are given (${default})."`
	Seed      uint64   `default:"1" help:"Seed of all that is random (${default})."`
	Quick     bool     `help:"Less of everything: under a minute, for a look."`

	Rowan       string        `default:"./rowan" help:"The program to measure (${default})."`
	DatabaseURL string        `name:"database-url" placeholder:"URL" help:"PostgreSQL to use; a database is created there and dropped again. Default: an embedded one in a temporary folder."`
	Report      string        `default:"docs/performance.md" help:"File that the table is written into, \"-\" for standard output (${default})."`
	AtMost      time.Duration `name:"at-most" default:"30m" help:"When to give up (${default})."`
}

const (
	partRelevance = "relevance"
	partLatency   = "latency"
	partWrites    = "writes"
)

func main() {
	var c command
	kong.Parse(&c, kong.Name("bench"), kong.Description("Measures Rowan over HTTP, beside plain SQL."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// Validate checks what the types cannot.
func (c *command) Validate() error {
	for _, p := range c.Parts {
		if !slices.Contains([]string{partRelevance, partLatency, partWrites}, p) {
			return fmt.Errorf("--parts: %q is none of relevance, latency, writes", p)
		}
	}
	if c.Generate < 1000 || c.Generate > 10_000_000 {
		return errors.New("--generate: give a number from 1000 to 10000000")
	}
	return nil
}

// has tells whether a part is to be run.
func (c *command) has(part string) bool {
	if len(c.Parts) > 0 {
		return slices.Contains(c.Parts, part)
	}
	if part == partRelevance {
		return len(c.Relevance) > 0
	}
	return len(c.Relevance) == 0 || c.Queries != ""
}

func (c *command) run(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.AtMost, fmt.Errorf("not done after %s (--at-most)", c.AtMost))
	defer cancel()
	begin := time.Now()
	env, err := start(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.stop()) }()

	size := full
	if c.Quick {
		size = quick
	}
	r := &report{name: c.Name}
	var data []string
	if c.has(partRelevance) {
		for _, dir := range c.Relevance {
			say("relevance: %s", filepath.Base(dir))
			set, err := c.judgedSet(dir)
			if err != nil {
				return err
			}
			r.fields(&set.corpus)
			if err := env.relevance(ctx, r, set); err != nil {
				return cause(ctx, err)
			}
			data = append(data, set.name)
		}
	}
	if c.has(partLatency) || c.has(partWrites) {
		corpus, err := c.corpus()
		if err != nil {
			return err
		}
		data = append(data, corpus.name)
		r.fields(corpus)
		if c.has(partLatency) {
			if err := env.latency(ctx, r, corpus, size); err != nil {
				return cause(ctx, err)
			}
		}
		if c.has(partWrites) {
			if err := env.writes(ctx, r, corpus, size); err != nil {
				return cause(ctx, err)
			}
		}
	}
	if r.name == "" {
		r.name = strings.Join(slices.Compact(data), "-")
	}
	r.head(env, time.Since(begin), c.Quick)
	return r.write(c.Report)
}

// cause prefers what ended the context to the error that followed from it.
func cause(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil {
		return why
	}
	return err
}

// say tells a person what is going on.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// size bounds what is measured.
type size struct {
	queries   int           // of a class
	cell      time.Duration // for one figure, at most
	documents int           // of a write test in batches of 1,000
	singles   int           // of a write test in batches of 1
	rounds    int           // of the comparison with COPY
	visible   int           // documents written and looked for
	limit     int           // of documents loaded, 0: all
}

var (
	full  = size{queries: 60, cell: 4 * time.Second, documents: 20000, singles: 1000, rounds: 12, visible: 100}
	quick = size{queries: 10, cell: 200 * time.Millisecond, documents: 2000, singles: 50, rounds: 2, visible: 10, limit: 4000}
)
