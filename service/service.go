// Package service is the domain of Rowan and its use cases: indices, documents, batches, searches, keys.
// It owns the types, the error codes, the query and filter languages, and the small interfaces that it
// needs from a database. It knows neither HTTP nor SQL.
//
// The comments of its methods name the error codes that they return. In addition, each may return unavailable, and
// those that wait for their turn (documents, batches, searches, suggestions) may return too_many_requests.
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
	// SearchTimeout bounds the time from the start of a search until its answer is ready; 0 leaves only the store's
	// limit, which each run of the search has.
	SearchTimeout time.Duration
	// SlowSearch is the duration from which on a search is logged; 0 logs none.
	SlowSearch time.Duration
	// Watcher adds the query plan to that log line; nil adds none.
	Watcher Watcher
	// Observers are told of each search.
	Observers []Observer
	// SuggestionObservers are told of each request for suggestions.
	SuggestionObservers []SuggestionObserver
	// Tracer starts a span for each search, batch and request for suggestions; nil starts none.
	Tracer trace.Tracer
}

// Service runs the use cases. Make one with New; it is safe for concurrent use.
type Service struct {
	store   Store
	log     *slog.Logger
	config  Config
	keys    keyCache
	answers *answers
	// searching and handling limit the concurrent searches and operations on documents.
	searching, handling *gate
	bodies              *gate // in bytes
	// reshapes serializes the changes of mappings and settings of each index.
	reshapes turns.ByKey
	// schemas holds the prepared mappings of recently written indices.
	schemas remembered.Map[versionKey, *document.Schema]
	// words holds the prepared stop words and synonyms of recently searched indices.
	words remembered.Map[versionKey, *wordSettings]
	// health merges concurrent health checks into one query to the database.
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

// Health returns nil when the database answers within a second. Concurrent callers share the answer: anybody may ask,
// and thousands of callers would take the connections of all others, and still not find one for most of themselves.
func (s *Service) Health(ctx context.Context) error {
	_, err, _ := s.health.Do("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthTimeout) // the other callers still wait when the first has gone
		defer cancel()
		return nil, s.store.Ping(ctx)
	})
	return err
}

// maxPlans bounds how often a request is planned while the index keeps changing.
const maxPlans = 10

// withIndex runs f with an index, and again as long as the index turns out to have changed since it was read.
func (s *Service) withIndex(ctx context.Context, application, name string, f func(ix *Index) error) error {
	return repeat(ctx, application, name, s.store.Index, s.store.CurrentIndex, sameIndex, f)
}

// reshaping runs f, which changes the mappings or settings of an index, once earlier changes of the same index are
// done. The work itself continues when the client goes away: half a rebuild is of no use to anybody.
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

// withTarget runs f with the target that a search name stands for, and again as long as it turns out to have changed since
// it was read. On the first run the whole catalog must be unchanged. After that only the target must be the same before and
// after: while indices of the application are made or changed one after the other, the catalog has a new version each time.
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

// withCurrentIndex is withIndex for operations that would not notice by themselves that the index has changed.
func (s *Service) withCurrentIndex(ctx context.Context, application, name string, f func(ix *Index) error) error {
	return repeat(ctx, application, name, s.store.CurrentIndex, s.store.CurrentIndex, sameIndex, f)
}

// reader reads what a name stands for.
type reader[T any] func(ctx context.Context, application, name string) (T, error)

// repeat reads a target and runs f with it until the target was not stale. A successful f has found that out by itself. A failure may be due to a
// stale target (a document that did not fit a field before another server changed it), so f runs again if the name now stands for something else.
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

// sameTarget reports whether two targets are the same, whatever else has changed in the catalog. Versions of
// indices are never reused, so an index that is the same now was the same all the time.
func sameTarget(a, b *Target) bool {
	return sameIndex(a.Index, b.Index) && a.PerPage == b.PerPage && reflect.DeepEqual(a.Search, b.Search)
}

// mayBeStale reports whether an error may come from a cached index or search that has changed since.
func mayBeStale(err error) bool {
	switch ErrorCode(err) {
	case CodeInternal:
		return !errors.Is(err, context.Canceled)
	case "", CodeDocumentNotFound, CodeInvalidJSON, CodeTooLarge, CodeTooManyRequests, CodeSearchTimeout, CodeUnavailable, CodeIndexInUse:
		return false
	}
	return true
}

// problems turns the faults that a scan found into an error; nil if there are none.
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
