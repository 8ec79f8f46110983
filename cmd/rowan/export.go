package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rowansearch/rowan/cmd/rowan/internal/retry"
	"github.com/rowansearch/rowan/openapi/client"
)

type exportCommand struct {
	Index string `arg:"" help:"Index to read."`
	serverFlags
	Key      string        `env:"ROWAN_ADMIN_KEY" placeholder:"KEY" help:"Admin key."`
	Output   string        `short:"o" placeholder:"FILE" help:"File to write; gzipped if its name ends in .gz. Default: standard output (also -)."`
	Filter   string        `help:"Export only documents that match this filter."`
	PageSize int           `default:"1000" help:"Documents per request, 1 to 1000 (${default})."`
	Patience time.Duration `default:"2m" help:"How long to retry while the server is unreachable or overloaded (${default})."`
}

// Validate refuses settings that cannot work.
func (c *exportCommand) Validate() error {
	if c.PageSize < 1 || c.PageSize > 1000 {
		return errors.New("--page-size must be 1 to 1000")
	}
	return nil
}

// Run exports the index.
func (c *exportCommand) Run(ctx context.Context, term terminal) error {
	api, err := c.client(c.Key, "admin")
	if err != nil {
		return err
	}
	written, err := c.write(ctx, api, term)
	if err == nil {
		term.notef("Exported %s of %s.\n", counted(written, "document"), c.Index)
	}
	return err
}

// write writes all documents to the output, and returns how many once they are there.
func (c *exportCommand) write(ctx context.Context, api *client.ClientWithResponses, term terminal) (written int64, err error) {
	if c.Output == "" || c.Output == "-" {
		return c.export(ctx, api, term, term.out)
	}
	output, mode := c.Output, os.FileMode(0o666) // reduced by the umask
	if target, err := filepath.EvalSymlinks(output); err == nil {
		output = target
	}
	if there, err := os.Stat(output); err == nil {
		if there.IsDir() {
			return 0, fmt.Errorf("%s is a folder: --output must name a file", c.Output)
		}
		if mode = there.Mode().Perm(); !there.Mode().IsRegular() {
			// A pipe or a device must not be replaced.
			file, err := os.OpenFile(output, os.O_WRONLY, 0)
			if err != nil {
				return 0, err
			}
			return c.exportTo(ctx, api, term, file)
		}
	}
	// Written under another name until it is complete, so that nothing takes a part for the whole. Another export may be writing
	// the same file, so each has a name of its own.
	partial := output + "." + rand.Text()[:8] + ".part"
	file, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no folder %s: create it, or write elsewhere", filepath.Dir(output))
	}
	if err != nil {
		return 0, err
	}
	if written, err = c.exportTo(ctx, api, term, file); err == nil {
		return written, os.Rename(partial, output)
	}
	return 0, errors.Join(err, os.Remove(partial))
}

// exportTo exports to file and closes it.
func (c *exportCommand) exportTo(ctx context.Context, api *client.ClientWithResponses, term terminal, file *os.File) (written int64, err error) {
	if !strings.HasSuffix(c.Output, ".gz") {
		written, err = c.export(ctx, api, term, file)
		return written, cmp.Or(err, file.Close())
	}
	zipped := gzip.NewWriter(file)
	written, err = c.export(ctx, api, term, zipped)
	return written, cmp.Or(err, zipped.Close(), file.Close()) // closing repeats the error of writing
}

// export writes all documents to out, in the order of their ids. It pages by cursor, so documents that come and go
// meanwhile shift nothing.
func (c *exportCommand) export(ctx context.Context, api *client.ClientWithResponses, term terminal, out io.Writer) (int64, error) {
	e := &exporter{command: c, api: api, out: bufio.NewWriterSize(out, 1<<18), meter: newMeter(term.err, 0, false), size: c.PageSize}
	defer e.meter.done()
	for {
		err := retry.Do(ctx, c.Patience, func(err error, pause time.Duration) {
			e.meter.notef("Retrying in %s: %v", pause.Round(10*time.Millisecond), err)
		}, func() error { return e.first(e.fitting(ctx)) })
		if err = errors.Join(err, e.failed); err != nil {
			return 0, c.failure(err)
		}
		if e.cursor == "" {
			return e.written, e.out.Flush()
		}
		e.meter.expect(e.total)
	}
}

// failure words an error for an export, which searches, but asks for an index.
func (c *exportCommand) failure(err error) error {
	if problem, ok := errors.AsType[*client.Problem](err); ok && problem.Code == "search_not_found" {
		return fmt.Errorf("there is no index %s: GET /v1/index and the dashboard list those of %s", c.Index, c.Application)
	}
	return c.unanswered(err)
}

// exporter is one export.
type exporter struct {
	command *exportCommand
	api     *client.ClientWithResponses
	out     *bufio.Writer
	meter   *meter
	size    int     // documents of a page
	cursor  string  // to the next page; "" before the first, and after the last
	last    *string // id of the last document written; nil: none yet
	written int64
	total   int64
	reached bool  // the server has answered
	failed  error // an error that must not be retried, such as one of writing
}

// first keeps an error from being retried if no server has answered yet: most likely the address is wrong.
func (e *exporter) first(err error) error {
	if e.reached = e.reached || !client.Unreachable(err); !e.reached {
		e.failed = err
		return nil
	}
	return err
}

// fitting writes the documents of a page, and halves its size while the server refuses it as too large.
func (e *exporter) fitting(ctx context.Context) error {
	for {
		err := e.page(ctx)
		if p, ok := errors.AsType[*client.Problem](err); !ok || p.Code != "too_large" || e.size <= 1 {
			return err
		}
		e.size /= 2 // the documents of that page were too large together
	}
}

// page writes the documents of one page, each as it arrives. After an error it requests the same page again, and continues
// after the last document written.
func (e *exporter) page(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{"sort": "_id", "per_page": e.size, "filter": e.command.Filter, "cursor": e.cursor})
	if err != nil {
		return err
	}
	answer, err := e.api.SearchWithBody(client.Streaming(ctx), e.command.Index, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	dec := json.NewDecoder(bufio.NewReaderSize(answer.Body, 1<<16))
	next := "" // the last page has no cursor
	err = members(dec, func(name string) error {
		switch name {
		case "hits":
			return members(dec, func(id string) error { return e.hit(dec, id) })
		case "total":
			return dec.Decode(&e.total)
		case "cursor":
			return dec.Decode(&next)
		}
		var other json.RawMessage
		return dec.Decode(&other)
	})
	if err == nil {
		e.cursor = next
	}
	return err
}

func (e *exporter) hit(dec *json.Decoder, id string) error {
	var line []byte
	err := members(dec, func(name string) error {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		switch name {
		case "_score", "_highlight", "_explanation", "autocomplete":
			return nil // made by the service
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return err
		}
		if line == nil {
			line = append(line, '{')
		} else {
			line = append(line, ',')
		}
		line = append(append(append(line, quoted...), ':'), value...)
		return nil
	})
	if err != nil || e.failed != nil || e.last != nil && id <= *e.last {
		return err
	}
	if _, e.failed = e.out.Write(append(line, '}', '\n')); e.failed != nil {
		return nil
	}
	e.last = &id
	e.written++
	e.meter.set(e.written, e.written)
	return nil
}

// members calls f with the name of each member of the next object; f must read the value.
func members(dec *json.Decoder, f func(name string) error) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("expected a JSON object, found %v", token)
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // the decoder accepts only strings as names
		if err := f(name); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}
