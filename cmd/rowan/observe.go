package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/rowansearch/rowan/cmd/rowan/internal/metrics"
	"github.com/rowansearch/rowan/cmd/rowan/internal/tracing"
	"github.com/rowansearch/rowan/handlers/admin"
	"github.com/rowansearch/rowan/handlers/dashboard"
)

// observation is what a process reports about itself. It outlives backends, which are replaced when Rowan's
// own PostgreSQL is restarted.
type observation struct {
	metrics *metrics.Metrics
	recent  *dashboard.RecentSearches
	tracer  trace.Tracer // nil: none
	backend atomic.Pointer[backend]

	server      *http.Server // nil: none
	stopTracing func()
}

// observe starts the traces, and the listener for operators if there is one. Once ctx ends, the process is no longer ready.
func (c *serveCommand) observe(ctx context.Context, logger *slog.Logger) (*observation, error) {
	o := &observation{metrics: metrics.New(currentVersion()), recent: dashboard.NewRecentSearches()}
	o.metrics.Collect(o.read)
	var listener net.Listener
	if c.AdminListen != "" {
		var err error
		if listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", c.AdminListen); err != nil {
			return nil, fmt.Errorf("cannot listen on %s (choose another address with --admin-listen or ROWAN_ADMIN_LISTEN): %w", c.AdminListen, err)
		}
	}
	var err error
	if o.tracer, o.stopTracing, err = tracing.Start(ctx, currentVersion(), logger); err != nil {
		if listener != nil {
			_ = listener.Close()
		}
		return nil, err
	}
	if listener == nil {
		return o, nil
	}
	o.server = newServer(admin.New(admin.Config{Metrics: o.metrics.Handler(), Checks: func(asked context.Context) []admin.Check { return o.checks(asked, ctx) }}), logger)
	go func() {
		if err := o.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			logger.Error("the listener for operators has stopped", "error", err)
		}
	}()
	logger.Info("listening for operators", "address", listener.Addr().String())
	return o, nil
}

// stop sends the last traces and closes the listener.
func (o *observation) stop() {
	o.stopTracing()
	if o.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if o.server.Shutdown(ctx) != nil {
		_ = o.server.Close() // a profile is still being taken
	}
}

// read reads the layers below; it returns false while there are none yet.
func (o *observation) read() (metrics.Backend, bool) {
	b := o.backend.Load()
	if b == nil {
		return metrics.Backend{}, false
	}
	return metrics.Backend{Store: b.store.Stats(), Load: b.service.Load()}, true
}

// checks reports whether requests can be served: not before there is a backend, nor once running has ended.
func (o *observation) checks(asked, running context.Context) []admin.Check {
	b := o.backend.Load()
	switch {
	case running.Err() != nil:
		return []admin.Check{{Name: "running", Needed: true, Detail: "the service is stopping"}}
	case b == nil:
		return []admin.Check{{Name: "running", Needed: true, Detail: "the service is starting"}}
	}
	var list []admin.Check
	for _, c := range b.store.Ready(asked) {
		list = append(list, admin.Check(c))
	}
	return list
}
