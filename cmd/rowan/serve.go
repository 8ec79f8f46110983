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

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/store"
)

type serveCommand struct {
	Listen      string `env:"ROWAN_LISTEN" default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Address of the API and the dashboard (${default})."`
	AdminListen string `env:"ROWAN_ADMIN_LISTEN" placeholder:"ADDRESS" help:"Address of /metrics, /ready, /live and /debug/pprof, without authentication: keep it private. Default: none."`
	BaseDomain  string `env:"ROWAN_BASE_DOMAIN" placeholder:"DOMAIN" help:"Domain such as search.example.org; requests must then come to <app>, <app>-a, <app>-b or <app>-c under it. Default: any host."`
	wanted
	databaseFlags
	guardFlags
	DatabaseReplicaURLs []string      `name:"database-replica-urls" env:"DATABASE_REPLICA_URLS" placeholder:"URL,…" help:"Read replicas that serve searches and reads."`
	PoolSize            int32         `env:"ROWAN_POOL_SIZE" default:"16" help:"Maximum number of connections in a pool (${default}): there are two pools to the primary, for writes and for searches, and one to each read replica."`
	SearchTimeout       time.Duration `env:"ROWAN_SEARCH_TIMEOUT" default:"10s" help:"How long a search may take, 100ms to 24h (${default})."`
	MaxBatch            byteSize      `env:"ROWAN_MAX_BATCH" default:"64MiB" placeholder:"SIZE" help:"Largest body of a batch (${default})."`
	MaxDocument         byteSize      `env:"ROWAN_MAX_DOCUMENT" default:"16MiB" placeholder:"SIZE" help:"Largest body of a document, and of the settings of an index (${default})."`
	MaxSearch           byteSize      `env:"ROWAN_MAX_SEARCH" default:"1MiB" placeholder:"SIZE" help:"Largest body of a search, and of any other request (${default})."`
	SlowSearch          time.Duration `env:"ROWAN_SLOW_SEARCH" default:"1s" help:"Searches that take longer are logged; 0 logs none (${default})."`
	AnalyticsSample     float64       `env:"ROWAN_ANALYTICS_SAMPLE" default:"1" placeholder:"SHARE" help:"Share of the searches that are recorded for the dashboard's analytics, 0 (none) to 1 (${default})."`
	AnalyticsRetention  time.Duration `env:"ROWAN_ANALYTICS_RETENTION" default:"720h" help:"How long recorded queries are kept, at least 1h (${default})."`
	ShutdownTimeout     time.Duration `env:"ROWAN_SHUTDOWN_TIMEOUT" default:"30s" help:"How long requests may continue once the service is told to stop (${default})."`
	logFlags
	Sample bool `help:"Load the sample index films on the very first start."`
}

// Validate refuses settings that cannot work, before anything is started.
func (c *serveCommand) Validate() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fmt.Errorf("--listen (ROWAN_LISTEN): %w; write host:port", err)
	}
	if c.AdminListen != "" {
		if _, _, err := net.SplitHostPort(c.AdminListen); err != nil {
			return fmt.Errorf("--admin-listen (ROWAN_ADMIN_LISTEN): %w; write host:port", err)
		}
	}
	if err := c.validateDomain(); err != nil {
		return err
	}
	switch {
	case c.PoolSize < store.LeastConns:
		return fmt.Errorf("--pool-size (ROWAN_POOL_SIZE) must be at least %d", store.LeastConns)
	case c.SearchTimeout < leastSearchTimeout || c.SearchTimeout > longestTimeout:
		return fmt.Errorf("--search-timeout (ROWAN_SEARCH_TIMEOUT) must be %s to 24h", leastSearchTimeout)
	case c.SlowSearch < 0:
		return errors.New("--slow-search (ROWAN_SLOW_SEARCH) must not be negative; 0 logs none")
	case c.ShutdownTimeout < 0:
		return errors.New("--shutdown-timeout (ROWAN_SHUTDOWN_TIMEOUT) must not be negative")
	case !(c.AnalyticsSample >= 0 && c.AnalyticsSample <= 1):
		return errors.New("--analytics-sample (ROWAN_ANALYTICS_SAMPLE) must be 0 to 1")
	case c.AnalyticsRetention < time.Hour:
		return errors.New("--analytics-retention (ROWAN_ANALYTICS_RETENTION) must be at least 1h")
	}
	if err := c.guardFlags.Validate(); err != nil {
		return err
	}
	return c.wanted.Validate()
}

// leastSearchTimeout leaves enough time for what a search first looks up on a new connection.
const leastSearchTimeout = 100 * time.Millisecond

// newServer returns an HTTP server with the limits that all of them have. There is none for writing an answer: searches have a limit of their own,
// and a change of mappings may rebuild a large index for many minutes. The handlers limit how long the body of a request may take to arrive, and how
// long clients may take to receive an answer.
func newServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64<<10 - 4<<10, // net/http reads 4 KiB more than it is told
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// An embedded PostgreSQL that ends by itself is restarted, unless it ends maxQuickEnds times in a row within
// quickEnd of its start: then a restart does not help.
const (
	quickEnd     = 10 * time.Second
	maxQuickEnds = 3
)

// Run runs the service until it is told to stop. Where programs read the log, they are told there why it has ended.
func (c *serveCommand) Run(ctx context.Context, term terminal) error {
	err := c.serve(ctx, term)
	if err != nil && c.forMachines() {
		c.logger(term.err).Error("the service has ended", "error", explain(err))
		return errReported
	}
	return err
}

func (c *serveCommand) serve(ctx context.Context, term terminal) error {
	boundMemory(c.AdminListen != "")
	logger := c.logger(term.err)
	// The port comes first: one in use is the likeliest fault, and should show before a database is created.
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s (choose another address with --listen or ROWAN_LISTEN): %w", c.Listen, err)
	}
	defer func() { _ = listener.Close() }() // already closed, unless the start fails
	seen, err := c.observe(ctx, logger)
	if err != nil {
		return err
	}
	defer seen.stop() // last, because it also reports the end
	current, err := c.startBackend(ctx, logger, seen)
	if err != nil {
		return err
	}
	made, err := c.prepare(ctx, current.service, logger)
	if err != nil {
		return errors.Join(err, current.stop())
	}

	var handler atomic.Pointer[http.Handler]
	handler.Store(&current.handler)
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }), logger)
	served := make(chan error, 1)
	go func() { served <- server.Serve(handlers.Listener(listener, logger)) }()
	logger.Info("listening", "address", listener.Addr().String(), "version", currentVersion())
	if err := term.printf("%s", c.greeting(listener.Addr(), made, current.postgres)); err != nil && made.announced() != "" {
		logger.Error("the new keys could not be written and are lost: create others with \"rowan key create\"", "application", made.application, "error", err)
	}

	var failure error
	quickEnds := 0
	for failure == nil {
		select {
		case <-ctx.Done():
			logger.Info("stopping: finishing the requests under way first", "at_most", c.ShutdownTimeout)
			return errors.Join(c.shutdown(server, logger), current.stop())
		case err := <-served:
			failure = fmt.Errorf("serving: %w", err)
		case <-current.ended():
			// Meanwhile, requests are answered that the service is unavailable.
			logger.Error("PostgreSQL stopped unexpectedly and is being restarted", "error", current.postgres.Err())
			current.drop()
			if time.Since(current.started) >= quickEnd {
				quickEnds = 0
			}
			if quickEnds++; quickEnds == maxQuickEnds {
				failure = fmt.Errorf("PostgreSQL keeps stopping soon after it starts; see %s: %w", current.postgres.LogFile(), current.postgres.Err())
				break
			}
			next, err := c.startBackend(ctx, logger, seen)
			if err != nil {
				failure = err
				break
			}
			current = next
			handler.Store(&current.handler)
			logger.Info("PostgreSQL is back", "psql", current.postgres.PSQL()) // on another port than the greeting says
		}
	}
	return errors.Join(failure, c.shutdown(server, logger), current.stop())
}

// shutdown stops accepting connections, and waits for the requests under way.
func (c *serveCommand) shutdown(server *http.Server, logger *slog.Logger) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.ShutdownTimeout)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		logger.Warn("requests took too long and were cut off", "at_most", c.ShutdownTimeout)
		err = server.Close()
	}
	if err != nil {
		return fmt.Errorf("closing the server: %w", err)
	}
	return nil
}
