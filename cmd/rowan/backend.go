package main

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/embedded"
)

// keyUseInterval is how often the server saves when keys were last used.
const keyUseInterval = time.Minute

// backend answers requests: it is the layers, from the handler down to the database.
type backend struct {
	handler   http.Handler
	service   *service.Service
	store     *store.Store
	analytics *service.Analytics
	postgres  *embedded.Server // nil if the database is not Rowan's own
	started   time.Time
	logger    *slog.Logger

	endWork context.CancelFunc
	working sync.WaitGroup
	closing sync.Once
}

// startBackend starts the embedded PostgreSQL if no other database is set, brings the catalog up to date, and
// puts the layers together.
func (c *serveCommand) startBackend(ctx context.Context, logger *slog.Logger, seen *observation) (_ *backend, err error) {
	b := &backend{logger: logger, endWork: func() {}}
	defer func() {
		if err != nil {
			_ = b.stop() // the first error matters
		}
	}()
	address := c.DatabaseURL
	if address == "" {
		if b.postgres, err = embedded.Start(ctx, embedded.Options{DataDir: c.DataDir, Logger: logger}); err != nil {
			return nil, err
		}
		address = b.postgres.URL()
	}
	b.store, err = store.Open(ctx, store.Config{
		URL: address, ReplicaURLs: c.DatabaseReplicaURLs, MaxConns: c.PoolSize, SearchTimeout: c.SearchTimeout, LockTimeout: c.LockTimeout, Logger: logger,
		WatchSearches: c.SlowSearch > 0, Tracer: seen.tracer,
	})
	if err != nil {
		return nil, err
	}
	if err := b.store.Migrate(ctx); err != nil {
		return nil, err
	}
	b.analytics = service.NewAnalytics(b.store, service.AnalyticsConfig{Sample: c.AnalyticsSample, Retention: c.AnalyticsRetention, Logger: logger})
	observers := []service.Observer{seen.metrics, seen.recent}
	pages := dashboard.Config{Logger: logger, BaseDomain: c.domain(), MaxDocumentBytes: int64(c.MaxDocument), Metrics: seen.recent}
	if c.AnalyticsSample > 0 {
		observers = append(observers, b.analytics)
		pages.Analytics = b.analytics
	}
	b.service = service.New(b.store, service.Config{
		Logger: logger, Limits: service.Limits{Bodies: int64(c.MaxInflight), Document: int64(c.MaxDocument)}, SearchTimeout: c.SearchTimeout, SlowSearch: c.SlowSearch, Watcher: b.store, Observers: observers,
		SuggestionObservers: []service.SuggestionObserver{seen.metrics}, Tracer: seen.tracer,
	})
	b.handler = handlers.New(b.service, handlers.Config{
		Logger: logger, BaseDomain: c.domain(), CORSOrigins: c.CORSOrigins,
		MaxBatchBytes: int64(c.MaxBatch), MaxDocumentBytes: int64(c.MaxDocument), MaxSearchBytes: int64(c.MaxSearch),
		Dashboard: dashboard.New(b.service, pages),
		Observer:  seen.metrics, Tracer: seen.tracer,
	})
	var working context.Context
	working, b.endWork = context.WithCancel(context.WithoutCancel(ctx)) // ends after the requests, not with the signal
	b.store.Start(working)
	b.working.Go(func() { b.saveKeyUse(working) })
	b.working.Go(func() { b.analytics.Run(working) })
	b.started = time.Now()
	seen.backend.Store(b)
	return b, nil
}

// saveKeyUse saves at intervals when keys were last used.
func (b *backend) saveKeyUse(ctx context.Context) {
	tick := time.NewTicker(keyUseInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := b.service.SaveKeyUse(ctx); err != nil && ctx.Err() == nil {
				b.logger.Warn("the times when keys were last used could not be saved", "error", err)
			}
		}
	}
}

// ended returns a channel that is closed when the embedded PostgreSQL has ended; nil if there is none.
func (b *backend) ended() <-chan struct{} {
	if b.postgres == nil {
		return nil // never
	}
	return b.postgres.Done()
}

// drop ends the background work and closes the connections.
func (b *backend) drop() {
	b.closing.Do(func() {
		b.endWork()
		b.working.Wait()
		if b.store != nil {
			b.store.Close()
		}
	})
}

// stop saves what has not been saved yet, and then stops everything, dependents first.
func (b *backend) stop() error {
	if b.service != nil && (b.postgres == nil || b.postgres.Err() == nil) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := b.service.SaveKeyUse(ctx); err != nil {
			b.logger.Warn("the times when keys were last used could not be saved", "error", err)
		}
		if err := b.analytics.Save(ctx); err != nil {
			b.logger.Warn("the last recorded queries could not be saved", "error", err)
		}
	}
	b.drop()
	if b.postgres == nil {
		return nil
	}
	return stopPostgres(b.postgres)
}
