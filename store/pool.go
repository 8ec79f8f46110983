// Package store keeps Rowan's data in PostgreSQL: the catalog in the schema rowan, and each index as a table
// in a schema of its application. It turns the plans of service into SQL and knows nothing of HTTP.
package store

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/singleflight"

	"github.com/rowansearch/rowan/service/turns"
	"github.com/rowansearch/rowan/store/hosts"
	"github.com/rowansearch/rowan/store/sqltext"
)

// Config says how to reach PostgreSQL.
type Config struct {
	// URL of the primary.
	URL string
	// ReplicaURLs are read replicas that serve searches and reads.
	ReplicaURLs []string
	// MaxConns bounds the connections of each pool: there are two to the primary, for writes and for searches, and one to each
	// replica; 0 means 16, LeastConns is the least.
	MaxConns int32
	// SearchTimeout bounds each search; 0 means 10 s.
	SearchTimeout time.Duration
	// ConnectionWait is how long a request waits for a connection while all are in use; 0 means 10 s.
	ConnectionWait time.Duration
	// LockTimeout is how long a statement other than a search waits for a lock; 0 means 30 s. Rowan's own locks are
	// short: what it bounds is the wait for somebody's psql.
	LockTimeout time.Duration
	// WatchSearches has the statements of searches watched, so that Watch can tell the plan of a slow one.
	WatchSearches bool
	// Tracer makes a span of each statement; nil makes none.
	Tracer trace.Tracer
	Logger *slog.Logger

	silent *hosts.Silent // of the pools to one address
}

// LeastConns is how many connections a pool needs: a rebuild takes two, the one of its lock and another.
const LeastConns = 2

// Store implements service.Store. Make one with Open.
type Store struct {
	pool *pgxpool.Pool
	// reads serves searches: its statements end at the search limit, and are prepared unless they say otherwise.
	reads *pgxpool.Pool
	// primaries are both.
	primaries primaryPools
	// pooled tells that a connection pooler stands before the primary.
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
	// changes of the catalog are made one at a time in an application: those that wait hold no connection.
	changes turns.ByKey
	// rebuilds has a place for each table that may be built anew at once.
	rebuilds chan struct{}
	words    *relatedCache
	// flights are what is looked up once for all that need it at once, by its name (once.go).
	flights singleflight.Group
	*worker
	explainer
	ending  *ending
	counted counters
}

// Open connects to PostgreSQL. It fails when the server cannot be reached or is too old, or the database is not UTF-8; of one
// that knows no capitals beyond ASCII it warns.
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
	if err := s.openReplicas(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// forWrites makes a connection one for everything but searches and reads. What may take longer, as the lock of a
// rebuild, sets the limit of its transaction.
func (s *Store) forWrites(c *pgxpool.Config, session map[string]string) {
	c.MaxConnIdleTime = writesIdle
	c.MinConns = s.kept(c.MaxConns, writesKept)
	session["lock_timeout"] = fmt.Sprint(s.config.LockTimeout.Milliseconds())
	// What a migration could not do is for who operates the database; other warnings of PostgreSQL are in its own log.
	session["client_min_messages"] = "warning"
	c.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Code == stateLeftUndone {
			s.log.Warn(n.Message, "hint", n.Hint)
		}
	}
}

// forReads makes a connection one for searches and reads.
func (s *Store) forReads(c *pgxpool.Config, session map[string]string) {
	c.MaxConnIdleTime = readsIdle
	c.MinConns = s.kept(c.MaxConns, readsKept)
	session["statement_timeout"] = fmt.Sprint(s.config.SearchTimeout.Milliseconds())
	session["lock_timeout"] = "0" // the limit of the statement is that of its locks, too
	c.ConnConfig.DialFunc = hosts.Dialing(s.config.SearchTimeout + 5*time.Second)
	session["work_mem"] = searchMemory
	// The best plan of what is prepared is the same for all parameters. PostgreSQL would find that out by planning each statement for
	// five searches of each connection. What is not prepared says so (planAnew).
	session["plan_cache_mode"] = "force_generic_plan"
	session["default_transaction_read_only"] = "on"
	c.ConnConfig.StatementCacheCapacity = preparedSearches
	// Postings come as thousands of bytes a row: pgx would take about two reads for each, of 8 KiB and of the rest. Searches for
	// new words take a tenth less with few large ones.
	c.ConnConfig.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, readBuffer), w)
	}
}

// readBuffer is what is read of a connection at once, in bytes.
const readBuffer = 64 << 10

// preparedStatements bounds the statements that a connection keeps prepared which is not for searches: each index has its own.
const preparedStatements = 512

// preparedSearches bounds the statements that one connection keeps prepared. Each takes up to 0.7 MB of PostgreSQL.
const preparedSearches = 32

// searchMemory keeps the bitmap of a common word exact: a lossy one has every row of its pages checked again.
const searchMemory = "64MB"

// adaptation makes connections of a pool ones for its purpose, by their configuration and the settings of their session.
type adaptation func(c *pgxpool.Config, session map[string]string)

// poolConfig is how each server's connections are made.
func poolConfig(address string, config Config, adapt adaptation, refused *refusals) (*pgxpool.Config, error) {
	pc, err := hosts.Parse(address)
	if err != nil {
		return nil, err
	}
	pc.MaxConns = config.MaxConns
	// How statements are sent is not for the address to say: what needs another way than this says so itself.
	pc.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	pc.ConnConfig.StatementCacheCapacity = preparedStatements
	// Nothing is described without being prepared, and pgx makes room for 512 of these on each connection.
	pc.ConnConfig.DescriptionCacheCapacity = 0
	pc.MaxConnLifetime = time.Hour
	pc.MaxConnLifetimeJitter = 10 * time.Minute
	pc.HealthCheckPeriod = 5 * time.Second // what idles too long is given back as soon
	pc.ConnConfig.ConnectTimeout = 5 * time.Second
	pc.ConnConfig.DialFunc = hosts.Dialing(config.LockTimeout + 30*time.Second)
	params := pc.ConnConfig.RuntimeParams
	if _, set := params["application_name"]; !set {
		params["application_name"] = "rowan"
	}
	session := sessionSettings()
	maps.DeleteFunc(session, func(name, _ string) bool { _, set := params[name]; return set })
	if adapt != nil {
		adapt(pc, session)
	}
	cmp.Or(config.silent, new(hosts.Silent)).Watch(&pc.ConnConfig.Config)
	sets := settingSQL(session, params)
	pc.ConnConfig.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		// pgconn bounds what comes before this only, and the pool nothing: a connection that is lost here would keep its place forever.
		ctx, cancel := context.WithTimeout(ctx, refused.patience(pc.ConnConfig.ConnectTimeout))
		defer cancel()
		return refused.queued(conn.Exec(ctx, sets).Close())
	}
	pc.ConnConfig.Tracer = tracerOf(config, refused)
	pc.BeforeConnect = func(ctx context.Context, c *pgx.ConnConfig) error {
		if err := refused.recent(); err != nil {
			return err
		}
		hosts.Renew(address, c)
		return nil
	}
	pc.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerJSON(conn.TypeMap())
		refused.open.Add(1)
		return nil
	}
	pc.PrepareConn = func(_ context.Context, conn *pgx.Conn) (bool, error) { return !metMany(conn), nil }
	pc.BeforeClose = func(*pgx.Conn) { refused.open.Add(-1) }
	return pc, nil
}

// sessionSettings are those of every session, where the address does not say otherwise.
func sessionSettings() map[string]string {
	return map[string]string{
		// Each index is another table, and each statement has other values: no plan is kept, but by searches (forReads) and by what
		// writes documents (keepPlans).
		"plan_cache_mode": "force_custom_plan",
		"jit":             "off",
		"timezone":        "UTC",
		// What a role or a database has of these would change what is stored, and what answers are.
		"client_encoding":             "UTF8",
		"standard_conforming_strings": "on",
		"extra_float_digits":          "1",
		// Functions that migrations make have quotes in strings, and variables of one name in blocks within each other.
		"backslash_quote":        "safe_encoding",
		"plpgsql.extra_errors":   "none",
		"gin_fuzzy_search_limit": "0",
		// With policies for rows that also hold for this role (FORCE ROW LEVEL SECURITY), documents would be missing from answers, and
		// from the table that takes the place of one. So such statements fail.
		"row_security": "off",
		// Locks stand alone so that the statements after them see what was committed before they were granted (writes.go, reshape.go).
		"default_transaction_isolation": "read committed",
		// Everything of ours is named with its schema; a role may have another path.
		"search_path": "pg_catalog",
		// A role's limit would keep large indices from ever being rebuilt. Searches have one of their own.
		"statement_timeout": "0",
		// Far above any search limit: it ends what a lost client left behind.
		"idle_in_transaction_session_timeout": "300000",
		// Sessions hold locks while other connections do the work of a migration or a rebuild.
		"idle_session_timeout": "0",
	}
}

// settingSQL is what sets the settings of a session; those of the address, params, are set already. They are no parameters of the start: PgBouncer
// refuses those, and with default_transaction_read_only a URL of several hosts with target_session_attrs=read-write would take every
// server for a standby.
func settingSQL(session, params map[string]string) string {
	var sets strings.Builder
	for _, name := range slices.Sorted(maps.Keys(session)) {
		sets.WriteString("SET " + name + " = " + sqltext.Literal(session[name]) + ";")
	}
	if _, set := params["search_path"]; !set {
		sets.WriteString("SELECT set_config('search_path', 'pg_catalog, public', false) WHERE NOT " + publicIsOpen + ";")
	}
	if _, set := params["transaction_timeout"]; !set { // PostgreSQL 17; it ends even what has set itself another statement_timeout
		sets.WriteString("SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('server_version_num')::int >= 170000;")
	}
	return sets.String()
}

// registerJSON has JSON read into a json.RawMessage as it is. pgx would have json.Unmarshal go over it twice, to find
// out that it is what PostgreSQL has just written.
func registerJSON(m *pgtype.Map) {
	unmarshal := func(data []byte, to any) error {
		if raw, ok := to.(*json.RawMessage); ok {
			*raw = bytes.Clone(data)
			return nil
		}
		return json.Unmarshal(data, to)
	}
	jsonb := &pgtype.Type{Name: "jsonb", OID: pgtype.JSONBOID, Codec: &pgtype.JSONBCodec{Marshal: json.Marshal, Unmarshal: unmarshal}}
	m.RegisterType(jsonb)
	m.RegisterType(&pgtype.Type{Name: "_jsonb", OID: pgtype.JSONBArrayOID, Codec: &pgtype.ArrayCodec{ElementType: jsonb}})
}

// reach fails when the primary cannot be reached, or has no sessions that connections keep.
func reach(ctx context.Context, config Config) (pooled bool, err error) {
	pc, err := poolConfig(config.URL, config, nil, &refusals{})
	if err != nil {
		return false, err
	}
	began := time.Now()
	pooled, err = checkSessions(ctx, pc.ConnConfig)
	for crowded(ctx, err, began) {
		pooled, err = checkSessions(ctx, pc.ConnConfig)
	}
	if err != nil && !errors.Is(err, errSharedSessions) {
		err = unreachable(err)
	}
	return pooled, err
}

func unreachable(err error) error {
	if full(err) {
		return fmt.Errorf("PostgreSQL has no connection left: close some, or raise max_connections, or the limit of the role or database: %w", err)
	}
	return fmt.Errorf("PostgreSQL cannot be reached with DATABASE_URL: check that it is running, and that host, port, user, password and database are right: %w", err)
}

// connect makes a pool to the primary, and fails when the server cannot be reached or does not fit.
func (s *Store) connect(ctx context.Context, config Config, adapt adaptation) (*pgxpool.Pool, error) {
	pc, err := poolConfig(config.URL, config, adapt, &refusals{log: config.Logger, pooled: s.pooled, then: s.primaries.giveBackIdle})
	if err != nil {
		return nil, err
	}
	setUp := pc.ConnConfig.AfterConnect
	pc.ConnConfig.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		ctx, cancel := context.WithTimeout(ctx, pc.ConnConfig.ConnectTimeout)
		defer cancel()
		if err := setUp(ctx, conn); err != nil {
			return err
		}
		return s.readHistory(ctx, conn)
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, err
	}
	s.primaries.add(pool)
	var version int
	var encoding string
	_, err = onPool(ctx, pool, func() (struct{}, error) {
		return struct{}{}, pool.QueryRow(ctx, "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')").Scan(&version, &encoding)
	})
	switch {
	case err != nil:
		pool.Close()
		return nil, unreachable(err)
	case version < 150000:
		pool.Close()
		return nil, fmt.Errorf("PostgreSQL is %d.%d; Rowan needs 15 or newer", version/10000, version%10000)
	case encoding != "UTF8":
		pool.Close()
		return nil, fmt.Errorf("the database has the encoding %s; create one with ENCODING 'UTF8'", encoding)
	}
	return pool, nil
}

// fitting is how many connections a pool may have: as many as are asked for, but no more than half of what PostgreSQL has for
// this role and database. A server whose writes hold all of them could not search.
func (s *Store) fitting(ctx context.Context, asked int32) (int32, error) {
	var there int32
	err := s.pool.QueryRow(ctx, `SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
			nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1))
		FROM pg_roles r, pg_database d WHERE r.rolname = session_user AND d.datname = current_database()`).Scan(&there)
	if err != nil {
		return 0, fmt.Errorf("cannot ask PostgreSQL how many connections it has: %w", err)
	}
	fit := max(LeastConns, min(asked, there/2))
	if fit < asked {
		s.log.Warn("PostgreSQL has too few connections for two pools of the configured size, so they are made smaller. Raise max_connections, or the limit of the role or database, "+
			"to twice the pool size for each server, plus some for others", "connections", there, "pool_size", asked, "used", fit)
	}
	return fit, nil
}

// checkCapitals warns of a database whose lower() leaves capitals beyond ASCII as they are, as with the LC_CTYPE C. PostgreSQL
// is asked what it does: names of locales tell too little, and differ from system to system. It is no error, because there
// are such databases in use, and what they have in ASCII is found.
func (s *Store) checkCapitals(ctx context.Context) error {
	var lowered bool
	var ctype string
	err := s.pool.QueryRow(ctx, `SELECT lower('ÆЖΩ' COLLATE "default") = 'æжω', datctype FROM pg_database WHERE datname = current_database()`).Scan(&lowered, &ctype)
	if err != nil {
		return fmt.Errorf("cannot ask PostgreSQL which letters the database knows: %w", err)
	}
	if !lowered {
		s.log.Warn("the database knows only ASCII capitals: words that documents write with other capitals, such as Cyrillic or Greek ones, are never found. "+
			"Create a database with LC_CTYPE 'C.UTF-8' or 'en_US.UTF-8', dump and restore into it, then change each index's language to another and back (docs/operations/backup.md)", "lc_ctype", ctype)
	}
	return nil
}

// Close ends the background work and all connections.
func (s *Store) Close() {
	s.stopWork()
	s.ending.endWork() // while there are connections to take back what it has begun; the background work may wait for it
	s.running.Wait()
	s.stopExplaining()
	s.replicas.close()
	s.reads.Close()
	s.pool.Close()
}

// pingWait is how long Ping waits for a connection of one pool before it takes the other's.
const pingWait = 400 * time.Millisecond

// Ping returns nil when PostgreSQL answers on a connection of either pool. Where it answers only that it has none left, the
// server is well as long as others get those that the pools have.
func (s *Store) Ping(ctx context.Context) error {
	taken := s.taken()
	err := ping(ctx, s.pool, pingWait)
	if err != nil {
		err = ping(ctx, s.reads, s.config.ConnectionWait)
	}
	if full(err) && s.taken() > taken {
		return nil
	}
	return err
}

// taken is how often a connection was taken of the pools to the primary.
func (s *Store) taken() int64 { return s.pool.Stat().AcquireCount() + s.reads.Stat().AcquireCount() }

func ping(ctx context.Context, pool *pgxpool.Pool, wait time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var refused error
	conn, err := onPool(waiting, pool, func() (*pgxpool.Conn, error) {
		conn, err := pool.Acquire(waiting)
		if full(err) {
			refused = err
		}
		return conn, err
	})
	if isWaiting(err) && refused != nil { // the time ran out while it asked again
		return refused
	}
	if err != nil {
		return err
	}
	defer conn.Release()
	return conn.Ping(ctx)
}

// execAll runs DDL statements one after the other.
func execAll(ctx context.Context, db executor, statements []string) error {
	for _, sql := range statements {
		if _, err := db.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%w in %.200s", err, sql)
		}
	}
	return nil
}
