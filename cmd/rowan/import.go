package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rowansearch/rowan/cmd/rowan/internal/importer"
	"github.com/rowansearch/rowan/cmd/rowan/internal/records"
	"github.com/rowansearch/rowan/openapi/client"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

type importCommand struct {
	Index string `arg:"" help:"Index to write into."`
	File  string `arg:"" help:"JSON array, NDJSON or CSV with a header row, gzipped or not; - is standard input. A CSV cell is one string, number or boolean, according to its mapping (five digits or more in a date are milliseconds since 1970); an empty cell means no property. Arrays and objects need JSON."`
	serverFlags
	Key        string        `env:"ROWAN_ADMIN_KEY" placeholder:"KEY" help:"Admin key."`
	Format     string        `enum:"auto,json,ndjson,csv" default:"auto" help:"Format of the file: json (an array), ndjson or csv; auto detects it, and refuses what may be something else (${default})."`
	IDField    string        `name:"id-field" placeholder:"NAME" help:"Property to use as _id. Default: _id; documents without one then get an _id that is the same each time the file is imported."`
	Create     bool          `help:"Create the index if it does not exist."`
	Mapping    []string      `sep:"none" placeholder:"NAME:TYPE" help:"A mapping of the index to create, such as title:sentence. Can be repeated. Implies --create."`
	Mappings   string        `type:"existingfile" placeholder:"FILE" help:"JSON file with the mappings of the index to create. Implies --create."`
	BatchSize  int           `default:"1000" help:"Maximum number of documents in a batch, up to 10000 (${default})."`
	BatchBytes byteSize      `default:"8MiB" placeholder:"SIZE" help:"Maximum size of a batch (${default})."`
	Parallel   int           `default:"4" help:"Number of batches sent at the same time (${default})."`
	OnError    string        `enum:"stop,continue" default:"stop" help:"What to do on a bad record: stop, or continue with the others (${default}). The exit status is 1 either way."`
	Patience   time.Duration `default:"2m" help:"How long to retry while the server is unreachable or overloaded (${default})."`
	Resume     bool          `help:"Continue an earlier import of the same file that ended early."`
	Checkpoint string        `type:"path" placeholder:"FILE" help:"File that records the import's progress. Default: a file in the user's cache folder; none for standard input."`
}

// Validate refuses settings that cannot work.
func (c *importCommand) Validate() error {
	switch {
	case c.BatchSize < 1 || c.BatchSize > 10_000:
		return errors.New("--batch-size must be 1 to 10000")
	case c.Parallel < 1 || c.Parallel > 64:
		return errors.New("--parallel must be 1 to 64")
	case len(c.Mapping) > 0 && c.Mappings != "":
		return errors.New("give either --mapping or --mappings")
	case c.Resume && c.File == "-" && c.Checkpoint == "":
		return errors.New("to resume an import from standard input, give --checkpoint both times")
	}
	for _, text := range c.Mapping {
		if _, err := parseMapping(text); err != nil {
			return err
		}
	}
	return nil
}

// Run imports the file.
func (c *importCommand) Run(ctx context.Context, term terminal) error {
	api, err := c.client(c.Key, "admin")
	if err != nil {
		return err
	}
	in, size, err := c.open(term)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	input := untilDone(ctx, in)
	defer func() { _ = input.Close() }() // never fails
	counted := &countingReader{in: input}
	reader, err := records.NewReader(counted, records.Options{Format: records.Format(c.Format), Likely: c.likely(), Header: c.checkHeader})
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	wanted, err := c.wantedMappings()
	if err != nil {
		return err
	}
	mappings, there, err := c.findIndex(ctx, api, wanted)
	if err != nil {
		return err
	}
	reader.Type(columns(mappings))
	job := &importJob{command: c, term: term, meter: newMeter(term.err, size, true), missing: !there}
	config := importer.Config{
		Client: api, Index: c.Index, Source: filepath.Base(c.File), IDField: c.IDField,
		BatchRecords: c.BatchSize, BatchBytes: int(c.BatchBytes), Parallel: c.Parallel,
		KeepGoing: c.OnError == "continue", Patience: c.Patience,
		Offset: counted.n.Load, OnBad: job.bad, OnRetry: job.retry,
		OnProgress: func(p importer.Progress) { job.meter.set(p.Written, p.Offset) },
	}
	if !there {
		config.Begin = func(ctx context.Context) error {
			created, err := c.createIndex(ctx, api, mappings)
			if job.missing, job.created = job.missing && err != nil, created; created {
				job.meter.notef("Created the index %s.", c.Index)
			}
			return err
		}
		if len(document.CheckMappings(mappings, "")) == 0 { // the server says what is wrong with mappings
			config.Schema = document.NewSchema(mappings)
		}
	} else if c.creates() {
		term.notef("The index %s already exists; its mappings stay as they are.\n", c.Index)
	}
	if err := job.useCheckpoint(&config); err != nil {
		return err
	}
	if !there && config.Resume.Records > 0 {
		return fmt.Errorf("the index %s, into which an earlier import wrote, no longer exists: start without --resume", c.Index)
	}
	start := time.Now()
	progress, err := importer.Run(ctx, reader, config)
	job.meter.done()
	return job.report(progress, time.Since(start), c.unanswered(err))
}

// open opens the input, and returns its size in bytes, or 0 if that is unknown.
func (c *importCommand) open(term terminal) (io.ReadCloser, int64, error) {
	if c.File == "-" {
		return io.NopCloser(term.in), 0, nil
	}
	file, err := os.Open(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no file %s: give its path, or - to read standard input", c.File)
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder", c.File)
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	if !info.Mode().IsRegular() {
		return file, 0, nil
	}
	return file, info.Size(), nil
}

// untilDone returns a reader of in that ends with ctx, even while in is silent, as a terminal may be, or a command whose
// output is imported.
func untilDone(ctx context.Context, in io.Reader) io.ReadCloser {
	out, to := io.Pipe()
	go func() {
		_, err := io.Copy(to, in)
		_ = to.CloseWithError(err) // never fails
	}()
	context.AfterFunc(ctx, func() { _ = to.CloseWithError(ctx.Err()) })
	return out
}

// likely returns the format that the name of the file suggests, or "".
func (c *importCommand) likely() records.Format {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(c.File), ".gz")) {
	case ".csv":
		return records.CSV
	case ".ndjson", ".jsonl":
		return records.NDJSON
	}
	return ""
}

// checkHeader refuses columns with which every record would be refused.
func (c *importCommand) checkHeader(names []string) error {
	for i, name := range names {
		if err := document.CheckProperty(name); err != nil {
			return fmt.Errorf("column %d, %q: %w", i+1, name, err)
		}
	}
	if c.IDField != "" && !slices.Contains(names, c.IDField) {
		return fmt.Errorf("there is no column %q, which --id-field names", c.IDField)
	}
	return nil
}

// creates reports whether a missing index is to be created.
func (c *importCommand) creates() bool { return c.Create || len(c.Mapping) > 0 || c.Mappings != "" }

// findIndex returns the mappings of the index, or those to create it with; there reports whether it exists.
func (c *importCommand) findIndex(ctx context.Context, api *client.ClientWithResponses, wanted []mapping.Mapping) (mappings []mapping.Mapping, there bool, err error) {
	answer, err := api.GetIndexWithResponse(ctx, c.Index)
	problem, refused := errors.AsType[*client.Problem](err)
	switch {
	case refused && problem.Code == "index_not_found" && c.creates():
		return wanted, false, nil
	case refused && problem.Code == "index_not_found":
		return nil, false, fmt.Errorf("there is no index %s: add --create, and --mapping NAME:TYPE for the fields to filter, sort and facet by", c.Index)
	case err != nil:
		return nil, false, c.unanswered(err)
	case answer.JSON200 == nil:
		return nil, false, notRowan(answer.Status())
	}
	mappings = make([]mapping.Mapping, len(answer.JSON200.Mappings))
	for i, m := range answer.JSON200.Mappings {
		mappings[i] = mapping.Mapping{Name: m.Name, Type: mapping.Type(m.Type)}
	}
	return mappings, true, nil
}

// createIndex creates the index. One that somebody else has created meanwhile is accepted if CSV cells are read in the same way for it.
func (c *importCommand) createIndex(ctx context.Context, api *client.ClientWithResponses, wanted []mapping.Mapping) (created bool, err error) {
	body, err := json.Marshal(struct {
		Mappings []mapping.Mapping `json:"mappings"`
	}{wanted})
	if err != nil {
		return false, err
	}
	_, err = api.CreateIndexWithBodyWithResponse(ctx, c.Index, "application/json", bytes.NewReader(body))
	if problem, ok := errors.AsType[*client.Problem](err); ok && problem.Code == "index_exists" {
		mappings, _, err := c.findIndex(ctx, api, wanted)
		if err == nil && !maps.Equal(columns(mappings), columns(wanted)) {
			err = fmt.Errorf("somebody else has just created the index %s, with other mappings: run the command again to import into it", c.Index)
		}
		return false, err
	}
	return err == nil, c.unanswered(err)
}

// wantedMappings returns the mappings of the index to create.
func (c *importCommand) wantedMappings() ([]mapping.Mapping, error) {
	mappings := []mapping.Mapping{}
	for _, text := range c.Mapping {
		m, err := parseMapping(text)
		if err != nil {
			return nil, err
		}
		mappings = append(mappings, m)
	}
	if c.Mappings == "" {
		return mappings, nil
	}
	data, err := os.ReadFile(c.Mappings)
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(data, &mappings) == nil {
		return mappings, nil
	}
	// The body of a request that creates an index is accepted, too.
	var body struct {
		Mappings []mapping.Mapping `json:"mappings"`
	}
	if err := json.Unmarshal(data, &body); err != nil || body.Mappings == nil {
		return nil, fmt.Errorf(`%s contains no mappings: write [{"name":"title","type":"sentence"},…]`, c.Mappings)
	}
	return body.Mappings, nil
}

// parseMapping reads NAME:TYPE. The type comes after the last colon, as names may have colons.
func parseMapping(text string) (mapping.Mapping, error) {
	i := strings.LastIndexByte(text, ':')
	if i < 1 || i == len(text)-1 {
		return mapping.Mapping{}, fmt.Errorf("--mapping %s: write NAME:TYPE, such as title:sentence", text)
	}
	return mapping.Mapping{Name: text[:i], Type: mapping.Type(text[i+1:])}, nil
}

// columns returns how cells of CSV are written as JSON, by the types that the index has for them.
func columns(mappings []mapping.Mapping) map[string]records.Column {
	kinds := map[string]records.Column{"boost": records.NumberColumn} // boost has no mapping
	for _, m := range mappings {
		if !m.Type.Known() {
			continue // from a server newer than this command
		}
		switch m.Type.Info().Kind {
		case mapping.KindNumber:
			kinds[m.Name] = records.NumberColumn
		case mapping.KindBool:
			kinds[m.Name] = records.BoolColumn
		case mapping.KindDate:
			kinds[m.Name] = records.DateColumn
		}
	}
	return kinds
}

// countingReader counts the bytes that are read.
type countingReader struct {
	in io.Reader
	n  atomic.Int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.n.Add(int64(n))
	return n, err
}
