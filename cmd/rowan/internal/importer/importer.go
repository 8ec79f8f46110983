// Package importer writes records into an index over HTTP: in batches, several at a time, each retried until
// the server has accepted it. It reports the location of every record that was refused, and keeps a
// checkpoint from which a later run can continue.
//
// Two rules make the result the same as if the records had been written one by one. Every record has an _id
// that depends only on the input, so that writing it again changes nothing; and two batches that share an _id
// are never under way together, so that the last record of an _id wins.
package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rowansearch/rowan/cmd/rowan/internal/records"
	"github.com/rowansearch/rowan/openapi/client"
	"github.com/rowansearch/rowan/service/document"
)

// Config says what to import and how. Fields are required unless they say otherwise.
type Config struct {
	Client *client.ClientWithResponses
	Index  string
	// Source names the input; generated ids depend on the name.
	Source string
	// IDField is the property that holds the _id; "" means _id itself, or a generated id for a record without one.
	IDField string
	// BatchRecords and BatchBytes limit a batch: whichever is reached first ends it. A batch has at least one record.
	BatchRecords, BatchBytes int
	// Parallel is the number of batches under way at the same time.
	Parallel int
	// KeepGoing passes over bad records; otherwise the first one stops the import.
	KeepGoing bool
	// Patience is how long a batch is retried while the server cannot be reached or is overloaded.
	Patience time.Duration
	// SaveCheckpoint, if not nil, is given the state at most once a second, and when the import ends before its input does.
	SaveCheckpoint func(Checkpoint) error
	// Resume is where to continue; its zero value is the beginning.
	Resume Checkpoint
	// Begin, if not nil, is called once, before the first batch is written, or at the end of an input without records.
	Begin func(context.Context) error
	// Schema, if not nil, is the schema of the index that Begin creates. Unless KeepGoing is set, a first batch that does
	// not fit it stops the import before Begin, so that no empty index with the wrong mappings stays behind.
	Schema *document.Schema
	// Offset, if not nil, returns how far the input has been read, in bytes.
	Offset func() int64
	// OnBad, OnProgress and OnRetry, if not nil, are called one at a time.
	OnBad      func(records.Bad)
	OnProgress func(Progress)
	OnRetry    func(err error, pause time.Duration)
}

// Progress is how far an import has come.
type Progress struct {
	// Written counts the records that the server has acknowledged, Bad those that the server or the reader
	// refused, and Skipped those that an earlier run had settled.
	Written, Bad, Skipped int64
	// Created and Updated divide Written by whether the document existed before.
	Created, Updated int64
	// Generated reports whether there were records without an _id, which got one.
	Generated bool
	// Offset is how far the input had been read, in bytes, with the last of the records that are settled for good. What is
	// read ahead counts, so it may be some 100 KiB further than they are.
	Offset int64
	// Settled is the line of the last record up to which all records are settled.
	Settled int64
}

// ErrStopped is returned when a bad record has stopped the import.
var ErrStopped = errors.New("stopped at a bad record")

// Run imports all records. It returns ErrStopped after a bad record unless cfg.KeepGoing is set, the
// context's error if that ended, and otherwise the error that stopped it. When a bad record stops the import,
// batches under way are finished first.
func Run(ctx context.Context, in records.Reader, cfg Config) (Progress, error) {
	r := &run{cfg: cfg, busy: newBusyIDs(), stop: make(chan struct{}), batches: make(chan *batch)}
	r.track, r.saved = newTracker(cfg.Resume), cfg.Resume
	var workers sync.WaitGroup
	for range cfg.Parallel {
		workers.Go(func() {
			for b := range r.batches {
				err := r.deliver(ctx, b.actions)
				r.settle(b, err)
				if err != nil {
					return // so that hand finds the import stopped, rather than a worker for the next batch
				}
			}
		})
	}
	if err := r.produce(ctx, in); err != nil {
		r.fail(err)
	}
	close(r.batches)
	workers.Wait()
	return r.finish(ctx)
}

// run is one import.
type run struct {
	cfg     Config
	busy    *busyIDs
	batches chan *batch

	stop     chan struct{} // closed once nothing more may begin
	stopOnce sync.Once
	begun    bool // Begin was called; used only by produce and what it calls

	mu       sync.Mutex // guards what follows, and the callbacks
	err      error      // why the import stopped
	progress Progress
	track    *tracker
	saved    Checkpoint
	savedAt  time.Time
}

// fail stops the import. The first error is kept.
func (r *run) fail(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = err
	}
	r.mu.Unlock()
	r.stopOnce.Do(func() { close(r.stop) })
}

// bad reports a bad record, and returns ErrStopped if it stops the import.
func (r *run) bad(b records.Bad) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.Bad++
	if r.cfg.OnBad != nil {
		r.cfg.OnBad(b)
	}
	if r.cfg.KeepGoing {
		return nil
	}
	return ErrStopped
}

// settle records the end of a batch.
func (r *run) settle(b *batch, err error) {
	r.busy.release(b.actions)
	if err != nil {
		r.fail(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.Generated = r.progress.Generated || b.generated
	if last := r.track.done(b); last != nil {
		r.progress.Offset, r.progress.Settled = last.offset, last.state.Line
	}
	if r.cfg.OnProgress != nil {
		r.cfg.OnProgress(r.progress)
	}
	if time.Since(r.savedAt) < time.Second {
		return
	}
	if err := r.save(); err != nil && r.err == nil {
		r.err = err
		r.stopOnce.Do(func() { close(r.stop) })
	}
}

func (r *run) save() error {
	if r.cfg.SaveCheckpoint == nil || r.track.state == r.saved {
		return nil
	}
	r.savedAt, r.saved = time.Now(), r.track.state
	if err := r.cfg.SaveCheckpoint(r.saved); err != nil {
		return fmt.Errorf("writing the checkpoint: %w", err)
	}
	return nil
}

func (r *run) finish(ctx context.Context) (Progress, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		return r.progress, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		r.err = cause
	}
	return r.progress, errors.Join(r.err, r.save())
}

// produce reads the records and hands them on in batches. It ends with the input, when the import is
// stopped, or with an error.
func (r *run) produce(ctx context.Context, in records.Reader) error {
	number, last, err := r.skip(in)
	if err != nil {
		return err
	}
	current := &batch{state: r.cfg.Resume}
	flush := func() bool {
		current.state.Records, current.state.Hash = number, hashRecord(last)
		if r.cfg.Offset != nil {
			current.offset = r.cfg.Offset()
		}
		ok := r.hand(ctx, current)
		current = &batch{seq: current.seq + 1, state: current.state}
		return ok
	}
	for {
		select {
		case <-r.stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		record, err := in.Next()
		read := textOf(record, err)
		if errors.Is(err, io.EOF) {
			flush()
			if number == 0 {
				return errors.Join(r.begin(ctx, nil), ctx.Err())
			}
			return ctx.Err()
		}
		var a action
		if err == nil {
			a, err = newAction(record, number+1, r.cfg.Source, r.cfg.IDField)
		}
		if bad, ok := errors.AsType[*records.Bad](err); ok {
			if err := r.bad(*bad); err != nil {
				flush() // the records before the bad one are good
				return err
			}
			number, last, current.state.Line = number+1, read, bad.Line
			continue
		}
		if err != nil {
			flush()
			return fmt.Errorf("reading the input: %w", err)
		}
		if len(current.actions) > 0 && current.bytes+len(a.json) > r.cfg.BatchBytes {
			if !flush() {
				return ctx.Err() // nil if a worker stopped the import
			}
		}
		number, last, current.state.Line = number+1, read, record.Line
		current.add(a)
		if len(current.actions) >= r.cfg.BatchRecords && !flush() {
			return ctx.Err()
		}
	}
}

// hand gives a batch to a worker once no batch under way shares an _id with it. It returns false if the
// import was stopped meanwhile.
func (r *run) hand(ctx context.Context, b *batch) bool {
	if len(b.actions) == 0 {
		r.settle(b, nil)
		return true
	}
	if err := r.begin(ctx, b.actions); err != nil {
		r.fail(err)
		return false
	}
	r.busy.acquire(b.actions)
	select {
	case r.batches <- b:
		return true
	case <-r.stop:
	case <-ctx.Done():
	}
	r.busy.release(b.actions)
	return false
}

// begin calls Begin before the first batch, unless that batch is bad.
func (r *run) begin(ctx context.Context, first []action) error {
	if r.begun || r.cfg.Begin == nil {
		return nil
	}
	r.begun = true
	if len(first) > 0 && r.cfg.Schema != nil && !r.cfg.KeepGoing {
		// The server judges what cannot be read here.
		if batch, err := document.ScanBatch(encode(first), r.cfg.Schema); err == nil && len(batch.Problems) > 0 {
			return r.refuse(batch.Problems, first)
		}
	}
	return r.cfg.Begin(ctx)
}

// refuse reports the problems of a batch that was never sent, and returns ErrStopped.
func (r *run) refuse(problems []document.Problem, actions []action) error {
	faults := make([]client.Fault, len(problems))
	for i, p := range problems {
		faults[i] = client.Fault{Location: p.Location, Message: p.Message, Value: p.Value}
	}
	messages := named(&client.Problem{Errors: faults}, len(actions))
	for i, a := range actions {
		if message, isBad := messages[i]; isBad {
			_ = r.bad(records.Bad{Line: a.line, Message: message}) // ErrStopped, which is returned once for all of them
		}
	}
	return ErrStopped
}

// skip passes over the records that an earlier run has settled. It returns their number and the text of the last one.
func (r *run) skip(in records.Reader) (number int64, last []byte, err error) {
	for number < r.cfg.Resume.Records {
		record, err := in.Next()
		last = textOf(record, err)
		if _, bad := errors.AsType[*records.Bad](err); err != nil && !bad {
			return number, nil, fmt.Errorf("the input has changed since the checkpoint was written: record %d cannot be read (%w); start without --resume", number+1, err)
		}
		number++
	}
	if number > 0 && hashRecord(last) != r.cfg.Resume.Hash {
		return number, nil, fmt.Errorf("the input has changed since the checkpoint was written: record %d is different; start without --resume", number)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.Skipped, r.progress.Settled = number, r.cfg.Resume.Line
	return number, last, nil
}

// textOf returns the text by which a checkpoint recognizes a record, or, if the reader has none, what is wrong with the record.
func textOf(record records.Record, err error) []byte {
	if bad, ok := errors.AsType[*records.Bad](err); ok {
		return []byte(bad.Message)
	}
	return record.Text
}

func hashRecord(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
