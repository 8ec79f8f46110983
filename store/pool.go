package store

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/rowansearch/rowan/store/hosts"
)

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

// connect creates a pool for the primary. It returns an error if the server cannot be reached or is unsuitable.
func (s *Store) connect(ctx context.Context, config Config, adapt adaptation) (*pgxpool.Pool, error) {
	pc, err := poolConfig(config.URL, config, adapt, &refusals{log: config.Logger, pooled: s.pooled, then: s.primaries.giveBackIdle})
	if err != nil {
		return nil, err
	}
	validate := pc.ConnConfig.ValidateConnect
	pc.ConnConfig.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := validate(ctx, conn); err != nil {
			return err
		}
		return s.notFormer(ctx, conn)
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
