// Package store keeps Rowan's data in PostgreSQL: the catalog in the schema rowan, and each index as a table in a schema of its application. It turns
// the plans of package service into SQL and knows nothing about HTTP.
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
	ending  *ending
	counted counters
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

// forWrites configures a connection for everything but searches and reads. Operations that may take longer, such as the lock of a rebuild, set the
// limit in their transaction.
func (s *Store) forWrites(c *pgxpool.Config, session map[string]string) {
	c.MaxConnIdleTime = writesIdle
	c.MinConns = s.kept(c.MaxConns, writesKept)
	session["lock_timeout"] = fmt.Sprint(s.config.LockTimeout.Milliseconds())
	// What a migration could not do concerns whoever operates the database; PostgreSQL's own log has its other warnings.
	session["client_min_messages"] = "warning"
	c.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Code == stateLeftUndone {
			s.log.Warn(n.Message, "hint", n.Hint)
		}
	}
}

// forReads configures a connection for searches and reads.
func (s *Store) forReads(c *pgxpool.Config, session map[string]string) {
	c.MaxConnIdleTime = readsIdle
	c.MinConns = s.kept(c.MaxConns, readsKept)
	session["statement_timeout"] = fmt.Sprint(s.config.SearchTimeout.Milliseconds())
	session["lock_timeout"] = "0" // the limit of the statement also bounds its locks
	c.ConnConfig.DialFunc = hosts.Dialing(s.config.SearchTimeout + 5*time.Second)
	session["work_mem"] = searchMemory
	// The best plan of prepared statements is the same for all parameters. PostgreSQL would find that out only by planning each statement for five
	// searches on each connection. Statements that are not prepared say so (planAnew).
	session["plan_cache_mode"] = "force_generic_plan"
	session["default_transaction_read_only"] = "on"
	c.ConnConfig.StatementCacheCapacity = preparedSearches
	// A row of postings has thousands of bytes: pgx would need about two reads for each, one of 8 KiB and one for the rest. Searches for new words take
	// a tenth less time with a few large reads.
	c.ConnConfig.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, readBuffer), w)
	}
}

// readBuffer is the size in bytes of the buffer for reading a connection.
const readBuffer = 64 << 10

// preparedStatements bounds the statements that a connection not for searches keeps prepared: each index has its own.
const preparedStatements = 512

// preparedSearches bounds the statements that a connection for searches keeps prepared. Each takes up to 0.7 MB of PostgreSQL's memory.
const preparedSearches = 32

// searchMemory keeps the bitmap of a common word exact: with a lossy one, every row on its pages is checked again.
const searchMemory = "64MB"

// adaptation configures the connections of a pool for its purpose, through their configuration and the settings of their session.
type adaptation func(c *pgxpool.Config, session map[string]string)

// poolConfig returns the configuration of a pool for any of the servers.
func poolConfig(address string, config Config, adapt adaptation, refused *refusals) (*pgxpool.Config, error) {
	pc, err := hosts.Parse(address)
	if err != nil {
		return nil, err
	}
	pc.MaxConns = config.MaxConns
	// The address does not determine how statements are sent: whatever needs another mode says so itself.
	pc.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	pc.ConnConfig.StatementCacheCapacity = preparedStatements
	// Nothing is described without being prepared, and pgx would allocate a cache of 512 descriptions for each connection.
	pc.ConnConfig.DescriptionCacheCapacity = 0
	pc.MaxConnLifetime = time.Hour
	pc.MaxConnLifetimeJitter = 10 * time.Minute
	pc.HealthCheckPeriod = 5 * time.Second // also the delay until a connection that idles too long is closed
	pc.ConnConfig.ConnectTimeout = 5 * time.Second
	pc.ConnConfig.DialFunc = hosts.Dialing(config.LockTimeout + 30*time.Second)
	params := pc.ConnConfig.RuntimeParams
	if _, set := params["application_name"]; !set {
		params["application_name"] = "rowan"
	}
	session := defaultSettings()
	maps.DeleteFunc(session, func(name, _ string) bool { _, set := params[name]; return set })
	maps.Copy(session, fixedSettings())
	if adapt != nil {
		adapt(pc, session)
	}
	cmp.Or(config.silent, new(hosts.Silent)).Watch(&pc.ConnConfig.Config)
	sets := settingSQL(session, params)
	pc.ConnConfig.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		// pgconn only bounds what comes before this, and the pool nothing: a connection that is lost here would keep its place forever.
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

// defaultSettings returns the settings of every session that the address may override.
func defaultSettings() map[string]string {
	return map[string]string{
		// Each index is another table, and each statement has other values: only searches (forReads) and statements that write documents (keepPlans) keep
		// plans.
		"plan_cache_mode": "force_custom_plan",
		"jit":             "off",
		// All our names have their schema; a role may have another path.
		"search_path": "pg_catalog",
		// A role's limit would keep large indices from ever being rebuilt. Searches have their own limit.
		"statement_timeout": "0",
		// Far above any search limit: it ends what a lost client has left behind.
		"idle_in_transaction_session_timeout": "300000",
		// Sessions hold locks while other connections do the work of a migration or a rebuild.
		"idle_session_timeout": "0",
	}
}

// fixedSettings returns the settings of every session that not even the address overrides: others would change what is stored and what is answered, or
// could not be read back.
func fixedSettings() map[string]string {
	return map[string]string{
		// In the zone of a session, the last instants of the year 9999 may be in the year 10000, which cannot be read.
		"timezone":                    "UTC",
		"client_encoding":             "UTF8",
		"standard_conforming_strings": "on",
		"extra_float_digits":          "1",
		// Cursors have dates as text, and not every style can be read back.
		"datestyle": "ISO, MDY",
		// Functions that migrations create have quotes in strings, and variables of the same name in nested blocks.
		"backslash_quote":        "safe_encoding",
		"plpgsql.extra_errors":   "none",
		"gin_fuzzy_search_limit": "0",
		// If row policies also applied to this role (FORCE ROW LEVEL SECURITY), documents would be missing from answers, and from a rebuilt table. With
		// this setting, such statements fail.
		"row_security": "off",
		// Locks are separate statements so that the statements after them see what was committed before they were granted (writes.go, reshape.go).
		"default_transaction_isolation": "read committed",
	}
}

// settingSQL returns the statements that set the settings of a session; those of the address (params) that apply are already set. They cannot be startup
// parameters: PgBouncer rejects these, and with default_transaction_read_only, a URL of several hosts with target_session_attrs=read-write would take
// every server for a standby. They are a transaction of their own isolation: a standby refuses the default of a database that is serializable.
func settingSQL(session, params map[string]string) string {
	var sets strings.Builder
	sets.WriteString("BEGIN ISOLATION LEVEL READ COMMITTED;")
	for _, name := range slices.Sorted(maps.Keys(session)) {
		sets.WriteString("SET " + name + " = " + sqltext.Literal(session[name]) + ";")
	}
	if _, set := params["search_path"]; !set {
		sets.WriteString("SELECT set_config('search_path', 'pg_catalog, public', false) WHERE NOT " + publicIsOpen + ";")
	}
	if _, set := params["transaction_timeout"]; !set { // since PostgreSQL 17; it would even end transactions that have set a longer statement_timeout
		sets.WriteString("SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('server_version_num')::int >= 170000;")
	}
	sets.WriteString("COMMIT")
	return sets.String()
}

// registerJSON makes pgx read JSON into a json.RawMessage unchanged. By default, json.Unmarshal would scan it twice to validate what PostgreSQL has
// just written.
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

// reach returns an error if the primary cannot be reached, or does not keep the sessions of connections.
func reach(ctx context.Context, config Config) (pooled bool, err error) {
	pc, err := poolConfig(config.URL, config, nil, &refusals{})
	if err != nil {
		return false, fmt.Errorf("DATABASE_URL: %w", err)
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

// connect creates a pool for the primary. It returns an error if the server cannot be reached or is unsuitable.
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

// fitting returns the size that a pool may have: as asked, but at most half of the connections that PostgreSQL has for this role and database. A
// server whose writes hold all connections could not search.
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
	s.reads.Close()
	s.pool.Close()
}

// pingWait is how long Ping waits for a connection of one pool before it tries the other.
const pingWait = 400 * time.Millisecond

// Ping returns nil if PostgreSQL answers on a connection of either pool. If PostgreSQL only answers that it has no connection left, the server is
// still healthy as long as others get connections of the pools.
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

// taken returns how often connections of the primary's pools have been acquired.
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
	if isWaiting(err) && refused != nil { // the time ran out during another attempt
		return refused
	}
	if err != nil {
		return err
	}
	defer conn.Release()
	return conn.Ping(ctx)
}

// execAll runs DDL statements in order.
func execAll(ctx context.Context, db executor, statements []string) error {
	for _, sql := range statements {
		if _, err := db.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%w in %.200s", err, sql)
		}
	}
	return nil
}
