// Package store keeps Rowan's data in PostgreSQL: the catalog in the schema rowan, and each index as a table in a schema of its application. It turns
// the plans of package service into SQL and knows nothing about HTTP.
package store

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/singleflight"

	"github.com/rowansearch/rowan/service/turns"
	"github.com/rowansearch/rowan/store/hosts"
)

// Config specifies how to reach PostgreSQL.
type Config struct {
	// URL is the address of the primary.
	URL string
	// ReplicaURLs are the addresses of read replicas that serve searches and reads.
	ReplicaURLs []string
	// MaxConns bounds the connections of each pool: there are two pools for the primary, for writes and for searches, and one for each replica. 0 means
	// 16; the minimum is LeastConns.
	MaxConns int32
	// SearchTimeout bounds each search; 0 means 10 s.
	SearchTimeout time.Duration
	// ConnectionWait is how long a request waits for a connection while all are in use; 0 means 10 s.
	ConnectionWait time.Duration
	// LockTimeout is how long a statement other than a search waits for a lock; 0 means 30 s. Rowan's own locks are short, so this mainly bounds the
	// wait for somebody's psql.
	LockTimeout time.Duration
	// WatchSearches records the statements of searches, so that Watch can report the plan of a slow one.
	WatchSearches bool
	// Tracer creates a span for each statement; nil creates none.
	Tracer trace.Tracer
	Logger *slog.Logger

	silent *hosts.Silent // shared by the pools for one address
}

// LeastConns is the minimum size of a pool: a rebuild takes two connections, one of them for its lock.
const LeastConns = 2

// Store implements service.Store. Create one with Open.
type Store struct {
	pool *pgxpool.Pool
	// reads serves searches: its statements are bounded by the search timeout, and prepared unless they say otherwise.
	reads *pgxpool.Pool
	// primaries are both pools.
	primaries primaryPools
	// pooled says that there is a connection pooler in front of the primary.
	pooled   bool
	replicas replicas
	config   Config
	log      *slog.Logger
	catalogCache
	lexemeCache
	stemCache
	frequencyCache
	acceleratorCache
	seenByWrites seenByWrites
	// changes makes changes of the catalog take turns within an application: those that wait hold no connection.
	changes turns.ByKey
	// rebuilds has a place for each table that may be rebuilt at the same time.
	rebuilds chan struct{}
	words    *relatedCache
	// flights are lookups that are done once for all that need them at the same time, by name (once.go).
	flights singleflight.Group
	*worker
	explainer
	watching     sync.WaitGroup // for other hosts (candidates.go)
	stopWatching context.CancelFunc
	ending       *ending
	counted      counters
}

// Open connects to PostgreSQL. It returns an error if the server cannot be reached or is too old, or if the database is not UTF-8; it warns if the
// database does not know capital letters beyond ASCII.
func Open(ctx context.Context, config Config) (*Store, error) {
	if config.MaxConns == 0 {
		config.MaxConns = 16
	}
	if config.SearchTimeout == 0 {
		config.SearchTimeout = 10 * time.Second
	}
	if config.ConnectionWait == 0 {
		config.ConnectionWait = 10 * time.Second
	}
	if config.LockTimeout == 0 {
		config.LockTimeout = 30 * time.Second
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	config.silent = new(hosts.Silent)
	s := &Store{
		config: config, log: config.Logger,
		catalogCache: newCatalogCache(), lexemeCache: newLexemeCache(), frequencyCache: newFrequencyCache(), acceleratorCache: newAcceleratorCache(),
		words: newRelatedCache(), worker: newWorker(), ending: newEnding(),
	}
	var err error
	if s.pooled, err = reach(ctx, config); err != nil {
		return nil, err
	}
	s.compareCandidates(ctx)
	if s.pool, err = s.connect(ctx, config, s.forWrites); err != nil {
		return nil, err
	}
	if config.MaxConns, err = s.fitting(ctx, config.MaxConns); err != nil {
		s.pool.Close()
		return nil, err
	}
	if config.MaxConns < s.config.MaxConns {
		s.config = config
		s.pool.Close()
		if s.pool, err = s.connect(ctx, config, s.forWrites); err != nil {
			return nil, err
		}
	}
	s.rebuilds = make(chan struct{}, max(1, s.config.MaxConns/4))
	for _, check := range []func(context.Context) error{s.checkCapitals, s.checkPublic} {
		if err := check(ctx); err != nil {
			s.pool.Close()
			return nil, err
		}
	}
	if s.reads, err = s.connect(ctx, config, s.forReads); err != nil {
		s.pool.Close()
		return nil, err
	}
	s.watchCandidates(ctx)
	if err := s.openReplicas(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// checkCapitals warns about a database that does not lower capital letters as Rowan needs it: none beyond ASCII, as with the LC_CTYPE C, or I to the
// Turkish ı. It asks PostgreSQL to lower some, because locale names say too little and differ between systems, and it asks both lower() and text search,
// which may use different locales (up to PostgreSQL 17, ICU is for lower() only). This is no error, because such databases are in use, and most of their
// words are found.
func (s *Store) checkCapitals(ctx context.Context) error {
	var lowered, latin bool
	var ctype string
	err := s.pool.QueryRow(ctx, `SELECT lower('ÆЖΩ' COLLATE "default") = 'æжω' AND ts_lexize('pg_catalog.simple', 'ÆЖΩ') = '{æжω}', ts_lexize('pg_catalog.simple', 'I') = '{i}', datctype
		FROM pg_database WHERE datname = current_database()`).Scan(&lowered, &latin, &ctype)
	if err != nil {
		return fmt.Errorf("cannot ask PostgreSQL which letters the database knows: %w", err)
	}
	const remedy = "Create a database with LOCALE_PROVIDER libc and LC_CTYPE 'C.UTF-8' or 'en_US.UTF-8', dump and restore into it, then change each index's language to another and back (docs/operations/backup.md)"
	if !lowered {
		s.log.Warn("the database knows only ASCII capitals: words that documents write with other capitals, such as Cyrillic or Greek ones, are never found. "+remedy, "lc_ctype", ctype)
	}
	if !latin {
		s.log.Warn("the database takes I for the capital of ı, as in Turkish: most words that documents write with a capital I are never found. "+remedy, "lc_ctype", ctype)
	}
	return nil
}

// Close ends the background work and all connections.
func (s *Store) Close() {
	s.stopWork()
	s.ending.endWork() // before the connections are closed, so that it can undo what it has begun; the background work may be waiting for it
	s.running.Wait()
	s.stopExplaining()
	s.replicas.close()
	s.stopWatching()
	s.watching.Wait()
	s.reads.Close()
	s.pool.Close()
}
