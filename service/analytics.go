package service

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// saveEvery is how often counts are saved: those of the last interval are lost when a server is killed.
	saveEvery = 10 * time.Second
	// saveTime bounds one such save.
	saveTime = 5 * time.Second
	// dropEvery is how often counts that have become too old are deleted.
	dropEvery = time.Hour
	dropTime  = 5 * time.Minute
)

// QueryStore keeps counts of what was searched for.
type QueryStore interface {
	// SaveQueries adds to the counts already saved, all or nothing. Applications that are gone are left out.
	SaveQueries(ctx context.Context, counts []QueryCount, hours []QueryHour) error
	// QueryReport reports on the hours from the one that contains since.
	QueryReport(ctx context.Context, application string, since time.Time, limit int) (QueryReport, error)
	// DropQueries deletes the hours that began before a time, unless another server is doing it.
	DropQueries(ctx context.Context, before time.Time) error
}

// QueryCount summarizes the searches for one text in an hour.
type QueryCount struct {
	Application string
	Hour        time.Time // its beginning
	// Search is the name under which the searches ran, Query the folded text.
	Search, Query string
	// Searches is how many there were, NothingFound how many of them found nothing.
	Searches, NothingFound int64
	// Total and Max are latencies: the sum of all, and the longest.
	Total, Max time.Duration
	// LastFound is how many documents the latest of them found, LastAt when that was.
	LastFound int64
	LastAt    time.Time
}

// QueryHour is how many searches with a query an application had in an hour, and how many of them were recorded.
type QueryHour struct {
	Application        string
	Hour               time.Time // its beginning
	Searches, Recorded int64
}

// QueryReport holds queries, the most remarkable first.
type QueryReport struct {
	// Frequent is sorted by Count, Slow by Mean, Nothing by NothingFound.
	Frequent, Slow, Nothing []QueryStat
	// Share is the part of all searches that was recorded, 0 to 1. Counts are of recorded searches.
	Share float64
}

// QueryStat summarizes the searches for one text.
type QueryStat struct {
	// Search is the name under which the searches ran, Query the text: lower-cased, its first 200 characters.
	Search, Query string
	// Count is how many there were, NothingFound how many of them found nothing.
	Count, NothingFound int64
	// Mean and Max are latencies.
	Mean, Max time.Duration
	// Hits is how many documents the latest of them found.
	Hits int64
	Last time.Time
}

// AnalyticsConfig says what is recorded.
type AnalyticsConfig struct {
	// Sample is the share of searches that is recorded, 0 (none) to 1 (all).
	Sample float64
	// Retention is how long they are kept.
	Retention time.Duration
	// Logger gets a warning when counts cannot be saved or deleted; nil logs nothing.
	Logger *slog.Logger
}

// Analytics counts what is searched for: in memory, and every few seconds into a store. It is an Observer that
// never waits for the store; while the store fails, what was counted is lost. Make one with NewAnalytics.
type Analytics struct {
	store  QueryStore
	config AnalyticsConfig

	mu    sync.Mutex
	tally *queryTally
}

// NewAnalytics makes analytics that keep their counts in store.
func NewAnalytics(store QueryStore, config AnalyticsConfig) *Analytics {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Analytics{store: store, config: config, tally: newQueryTally(func() bool { return rand.Float64() < config.Sample })}
}

// Searched counts a search. It leaves out searches without a query, with an error or of the dashboard, and all pages but the first.
func (a *Analytics) Searched(_ context.Context, s Searched) {
	if s.Unrecorded || s.Continued || s.Err != nil {
		return
	}
	text := foldQuery(s.Query)
	if text == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tally.add(time.Now(), s, text)
}

// QueryReport returns up to limit queries of each kind since a time.
func (a *Analytics) QueryReport(ctx context.Context, application string, since time.Time, limit int) (QueryReport, error) {
	return a.store.QueryReport(ctx, application, since, limit)
}

// Run saves what is counted every few seconds and deletes what has become too old, until ctx ends. Save saves what is left then.
func (a *Analytics) Run(ctx context.Context) {
	var dropping sync.WaitGroup
	dropping.Go(func() { a.dropNowAndThen(ctx) }) // it may take minutes, during which counts are still saved
	defer dropping.Wait()
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := a.save(ctx, time.Now().Add(-typingPause))
		if err != nil && !failing && ctx.Err() == nil { // only once: other messages say enough about what is wrong with the database
			a.config.Logger.Warn("recorded queries cannot be saved and are lost to the analytics until the database accepts them again", "error", err)
		}
		failing = err != nil
	}
}

// Save saves everything that is counted so far; what cannot be saved is lost.
func (a *Analytics) Save(ctx context.Context) error { return a.save(ctx, time.Now()) }

func (a *Analytics) save(ctx context.Context, until time.Time) error {
	a.mu.Lock()
	counts, hours := a.tally.take(until)
	a.mu.Unlock()
	if len(hours) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, saveTime)
	defer cancel()
	return a.store.SaveQueries(ctx, counts, hours)
}

// dropNowAndThen deletes what has become too old, soon after the start and then each hour.
func (a *Analytics) dropNowAndThen(ctx context.Context) {
	next := time.NewTimer(saveEvery)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		next.Reset(dropEvery)
		a.drop(ctx)
	}
}

func (a *Analytics) drop(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, dropTime)
	defer cancel()
	if err := a.store.DropQueries(limited, time.Now().Add(-a.config.Retention)); err != nil && ctx.Err() == nil {
		a.config.Logger.Warn("queries older than the retention could not be deleted; retrying later", "error", err)
	}
}
