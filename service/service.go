// Package service is the domain of Rowan and its use cases: indices, documents, batches, searches, keys.
// It owns the types, the error codes, the query and filter languages, and the small interfaces that it
// needs from a database. It knows neither HTTP nor SQL.
//
// The comments of its methods name the error codes that they return. Besides, each may return unavailable, and what waits for its
// turn (documents, batches, searches, suggestions) too_many_requests.
package service

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"time"

	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/singleflight"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/service/turns"
)

// Config holds what an operator may set. The zero value has the defaults.
type Config struct {
	Logger *slog.Logger
	Limits Limits
	// SearchTimeout is how long a search may take until its answer is made; 0 sets no limit to what the service does after the
	// store has found the hits.
	SearchTimeout time.Duration
	// SlowSearch is how long a search may take without a line in the log; 0 means that none is logged.
	SlowSearch time.Duration
	// Watcher adds the plan to that line; nil adds none.
	Watcher Watcher
	// Observers are told of each search.
	Observers []Observer
	// SuggestionObservers are told of each request for suggestions.
	SuggestionObservers []SuggestionObserver
	// Tracer makes a span of each search, batch and request for suggestions; nil makes none.
	Tracer trace.Tracer
}

// Service runs the use cases. Make one with New; it is safe for concurrent use.
type Service struct {
	store   Store
	log     *slog.Logger
	config  Config
	keys    keyCache
	answers *answers
	// What is let in at once: searches, and operations on documents.
	searching, handling *gate
	bodies              *gate // in bytes
	// reshapes are changes of mappings and settings, one at a time of each index.
	reshapes turns.ByKey
	// schemas holds the prepared mappings of recently written indices.
	schemas remembered.Map[versionKey, *document.Schema]
	// words holds the prepared stop words and synonyms of recently searched ones.
	words remembered.Map[versionKey, *wordSettings]
	// health is the question to the database that all health checks of the moment share.
	health singleflight.Group
}

// New makes a service over a store.
func New(store Store, config Config) *Service {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	config.Limits = config.Limits.withDefaults()
	limits := config.Limits
	return &Service{
		store: store, log: config.Logger, config: config, keys: newKeyCache(), answers: newAnswers(),
		searching: newGate("searches", int64(limits.Searches), limits.Wait),
		handling:  newGate("reads and writes", int64(limits.Documents), limits.Wait),
		bodies:    newGate("bytes of bodies and answers", limits.Bodies, limits.Wait),
		schemas:   remembered.Map[versionKey, *document.Schema]{Room: maxSchemas},
		words: remembered.Map[versionKey, *wordSettings]{Room: maxWordSettings, Weigh: func(_ versionKey, w *wordSettings) int {
			return 1 + len(w.stop) + len(w.entries)
		}},
	}
}

// healthTimeout is how long a database may take to answer before it counts as unavailable.
const healthTimeout = time.Second

// Health returns nil when the database answers within a second. Those who ask at the same time share the answer: anybody may ask,
// and thousands would take the connections of all others, and find none for most of themselves.
func (s *Service) Health(ctx context.Context) error {
	_, err, _ := s.health.Do("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthTimeout) // the others go on waiting when the first has gone
		defer cancel()
		return nil, s.store.Ping(ctx)
	})
	return err
}

// maxPlans bounds how often a request is planned anew because the index has changed meanwhile.
const maxPlans = 10

// withIndex runs f with an index, again as long as it turns out to have changed since it was read.
func (s *Service) withIndex(ctx context.Context, application, name string, f func(ix *Index) error) error {
	return repeat(ctx, application, name, s.store.Index, s.store.CurrentIndex, sameIndex, f)
}

// reshaping runs f with an index whose mappings or settings it changes, when the changes of the same index that came before
// are done. The work itself goes on when the client goes away: half a rebuild is of use to nobody.
func (s *Service) reshaping(ctx context.Context, application, name string, f func(ix *Index) error) error {
	done, err := s.reshapes.Take(ctx, application+"/"+name)
	if err != nil {
		return err
	}
	defer done()
	return s.withCurrentIndex(ctx, application, name, f)
}

// withDocuments is withIndex for reads and writes of documents, which wait for their turn.
func (s *Service) withDocuments(ctx context.Context, application, name string, f func(ix *Index) error) error {
	leave, err := s.handling.enter(ctx, application, 1)
	if err != nil {
		return err
	}
	defer leave()
	return s.withIndex(ctx, application, name, f)
}

// withTarget runs f with what a search of that name is, again as long as it turns out to have changed since it was read. At first the whole catalog
// has to be as it was; after that only what is searched, before and after: while indices of the application are made or changed one after the other,
// the catalog is another one each time.
func (s *Service) withTarget(ctx context.Context, application, name string, f func(target *Target) error) error {
	again := false
	return repeat(ctx, application, name, s.store.Target, s.store.CurrentTarget, sameTarget, func(target *Target) error {
		if !again {
			again = true
			return f(target)
		}
		of := *target
		of.Version = AnyVersion
		if err := f(&of); err != nil {
			return err
		}
		now, err := s.store.CurrentTarget(ctx, application, name)
		if err == nil && !sameTarget(now, target) {
			err = ErrStale
		}
		return err
	})
}

// withCurrentIndex is withIndex for what would not find out that the index has changed.
func (s *Service) withCurrentIndex(ctx context.Context, application, name string, f func(ix *Index) error) error {
	return repeat(ctx, application, name, s.store.CurrentIndex, s.store.CurrentIndex, sameIndex, f)
}

// reader reads what a name stands for.
type reader[T any] func(ctx context.Context, application, name string) (T, error)

// repeat reads a target and runs f with it until it was not stale. What succeeds finds that out by itself; what fails may
// have failed because of it (a document that did not fit what a field was before another server changed it), and is looked at again
// with what the name stands for now.
func repeat[T any](ctx context.Context, application, name string, read, readAnew reader[T], same func(a, b T) bool, f func(T) error) error {
	target, err := read(ctx, application, name)
	if err != nil {
		return err
	}
	giveUp := Held(ctx)
	changed := false
	for range maxPlans {
		giveUp()
		err = f(target)
		stale := errors.Is(err, ErrStale)
		if !stale && !mayBeStale(err) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		now, anew := readAnew(ctx, application, name)
		if anew != nil {
			return anew
		}
		if !same(now, target) {
			changed = true
		} else if !stale {
			return err
		}
		target = now
	}
	e := Errorf(CodeUnavailable, "%q keeps being changed by other requests; nothing was applied. Try again.", name)
	if errors.Is(err, ErrMissing) && !changed {
		e = Errorf(CodeUnavailable, "The database lacks a table or column that %q needs; nothing was applied. Derived tables are rebuilt within a minute; the operator must restore anything else that the server's log names.", name)
	}
	e.RetryAfter = time.Second
	return e.Because(err)
}

func sameIndex(a, b *Index) bool { return a.ID == b.ID && a.Version == b.Version }

// sameTarget tells that two targets are the same, whatever else has changed in the catalog. Versions of indices are never given twice, so what is the
// same index now was so all the time.
func sameTarget(a, b *Target) bool {
	return sameIndex(a.Index, b.Index) && a.PerPage == b.PerPage && reflect.DeepEqual(a.Search, b.Search)
}

// mayBeStale tells that an error may come from an index or search that was remembered, and has changed since.
func mayBeStale(err error) bool {
	switch ErrorCode(err) {
	case CodeInternal:
		return !errors.Is(err, context.Canceled)
	case "", CodeDocumentNotFound, CodeInvalidJSON, CodeTooLarge, CodeTooManyRequests, CodeSearchTimeout, CodeUnavailable, CodeIndexInUse:
		return false
	}
	return true
}

// problems turns the faults that a scan found into an error, or nil.
func problems(code Code, detail string, list []document.Problem) error {
	if len(list) == 0 {
		return nil
	}
	e := Errorf(code, "%s", detail)
	for _, p := range list {
		e.With(FieldError{Location: p.Location, Message: p.Message, Value: p.Value})
	}
	return e
}

// scanError turns the error of a scan into one for the client.
func scanError(err error) error {
	if e, ok := errors.AsType[*document.SyntaxError](err); ok {
		return Errorf(CodeInvalidJSON, "The body is not JSON: %s at line %d, column %d.", e.Message, e.Line, e.Column)
	}
	if e, ok := errors.AsType[*document.TooManyActionsError](err); ok {
		return Errorf(CodeTooLarge, "A batch may have at most %d actions. Send several batches.", e.Limit)
	}
	return err
}
