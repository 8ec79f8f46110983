package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// While PostgreSQL runs, it does not reuse transaction numbers for billions of transactions. But a crash loses what was not on disk yet, and a
// standby that replaces the primary may lack what that wrote last. In both cases, new transactions get the numbers of lost ones. So whatever is
// identified by such numbers is remembered together with the run of the primary to which they belong.

// history is a run of the primary, from one start or crash to the next.
type history int64

// historySQL selects the history of a server. A crash of one of its processes also loses what is not on disk although the server is not restarted;
// but then its statistics are reset.
const historySQL = "SELECT hashtextextended(concat_ws(' ', pg_postmaster_start_time(), (SELECT stats_reset FROM pg_stat_wal)), 0)"

// historyKey is the key of the history in pgx's custom data of a connection.
const historyKey = "rowan history"

// originSQL selects the cluster of a primary, and a file of the timeline on which it writes. Not every service lets a role see that.
const originSQL = "SELECT pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), system_identifier FROM pg_catalog.pg_control_system()"

// origin is a cluster with a timeline: each promotion begins a new one, and a former primary that comes back goes on with its own.
type origin struct {
	cluster  int64
	timeline uint32
}

// originOf reads the result of originSQL; ok is false if it is unknown.
func originOf(r *pgconn.Result) (o origin, ok bool) {
	if len(r.Rows) != 1 || len(r.Rows[0][0]) < 8 {
		return o, false
	}
	timeline, err := strconv.ParseUint(string(r.Rows[0][0][:8]), 16, 32) // the first eight digits of each file name
	if err != nil {
		return o, false
	}
	cluster, err := strconv.ParseInt(string(r.Rows[0][1]), 10, 64)
	return origin{cluster, uint32(timeline)}, err == nil
}

var errFormer = errors.New("it is a former primary, which another server has replaced: stop it, or make it a standby of that one")

// notFormer refuses a connection to a primary that was found to be a former one, before it is chosen among the hosts of the address.
func (s *Store) notFormer(ctx context.Context, conn *pgconn.PgConn) error {
	address := conn.Conn().RemoteAddr().String()
	if !s.primaries.suspected(address) {
		return nil
	}
	results, err := conn.Exec(ctx, originSQL).ReadAll()
	if err != nil || len(results) != 1 {
		return err
	}
	o, ok := originOf(results[0])
	return s.refuseFormer(address, o, ok)
}

// refuseFormer returns an error if a server writes on an earlier timeline than one that was seen: what it has is not what others have written since.
func (s *Store) refuseFormer(address string, o origin, known bool) error {
	if !known || !s.primaries.outlived(address, o) {
		return nil
	}
	if s.primaries.told.first(address, time.Now()) {
		s.log.Error("a server accepts writes and is left out", "server", address, "error", errFormer)
	}
	return errFormer
}

// readHistory records the history of a new connection to the primary: it stays the same until the connection ends.
func (s *Store) readHistory(ctx context.Context, conn *pgconn.PgConn) error {
	results, err := conn.Exec(ctx, historySQL+"; "+originSQL).ReadAll()
	if len(results) > 0 && len(results[0].Rows) == 1 && results[0].Err == nil && state(err) != "" && !connectionLost(err) {
		err, results = nil, results[:1] // the origin is unknown
	}
	if strings.HasPrefix(state(err), classAccess) {
		// The history is unknown, so the connection only trusts what it has read itself.
		conn.CustomData()[historyKey] = history(rand.Int64())
		s.primaries.silent.Do(func() {
			s.log.Warn("PostgreSQL does not let this role see when it was started, so each connection remembers only what it has read itself, and searches take longer. "+
				"Grant the role EXECUTE on pg_postmaster_start_time and SELECT on pg_stat_wal", "error", err)
		})
		return nil
	}
	if err != nil {
		return err
	}
	if len(results) == 0 || len(results[0].Rows) != 1 {
		return errors.New("PostgreSQL does not tell when it was started")
	}
	if len(results) > 1 {
		o, ok := originOf(results[1])
		if err := s.refuseFormer(conn.Conn().RemoteAddr().String(), o, ok); err != nil {
			return err
		}
	}
	h, err := strconv.ParseInt(string(results[0].Rows[0][0]), 10, 64)
	if err != nil {
		return fmt.Errorf("PostgreSQL does not tell when it was started: %w", err)
	}
	conn.CustomData()[historyKey] = history(h)
	if s.primaries.reached(history(h)) {
		s.forgetLexemes() // the server may be of another version
		s.log.Info("the database server was restarted, or is a different one")
	}
	return nil
}

// historyOf returns the history of what a search or read sees on a connection. A standby shows what the primary has written.
func historyOf(ctx context.Context, conn *pgx.Conn) history {
	if r, ok := ctx.Value(replicaKey{}).(chosenReplica); ok {
		return r.history
	}
	h, _ := conn.PgConn().CustomData()[historyKey].(history)
	return h
}
