package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// Adding a generated column would rewrite the table under a lock that blocks all readers. So an index with other mappings gets another table, built
// beside the one in use:
//
//  1. The index is marked as being rebuilt: from now on, writers also log the ids that they touch.
//  2. Documents are copied in chunks, each in a transaction of its own, in the order of their numbers.
//  3. The new table gets its indexes and postings; documents touched in the meantime are copied again, until few are left.
//  4. With writers locked out briefly, the rest is copied, the tables are exchanged and the catalog is changed.
//
// Until step 4 commits, the old table is complete and in use; Sweep removes what a crash leaves behind.

// reshapeLockClass is the class of the session lock held by a rebuild, of which an index has at most one at a time.
const reshapeLockClass = "1919907695"

const copyChunk = 5000

// Reshape changes the mappings and settings of ix. If only settings change that no column depends on, the table stays. A change that has begun is
// completed even if ctx ends, but not if the store is closed. The error is ErrStale if the index is not, or no longer, as ix says.
func (s *Store) Reshape(ctx context.Context, ix *service.Index, mappings []mapping.Mapping, settings service.IndexSettings) (*service.Index, error) {
	next := *ix
	next.Mappings, next.Settings = mappings, settings
	var err error
	if sameTable(table.ShapeOf(ix), table.ShapeOf(&next)) {
		ctx := context.WithoutCancel(ctx)
		err = s.withTable(ctx, func(lockTimeout string) error {
			return s.inCatalog(ctx, ix.Application, func(tx pgx.Tx) error {
				return exchangeCatalog(ctx, tx, ix, &next, lockTimeout)
			})
		})
	} else {
		err = s.rebuild(ctx, ix, &next)
	}
	if gone(err) {
		err = stale(err)
	}
	if err != nil {
		s.forget(ix.Application)
		return nil, err
	}
	ctx, done := s.ending.outlive(ctx)
	defer done()
	current, err := s.CurrentIndex(ctx, ix.Application, ix.Name)
	if err == nil {
		s.follow(ctx, current)
	}
	return current, err
}

func sameTable(a, b table.Shape) bool {
	ddl := func(s table.Shape) string { return strings.Join(s.CreateTable("x"), ";") }
	return ddl(a) == ddl(b)
}

// exchangeCatalog takes the index's lock and writes the new mappings and settings, if the index has not changed since they were planned.
func exchangeCatalog(ctx context.Context, tx pgx.Tx, ix, next *service.Index, lockTimeout string) error {
	if err := takeIndex(ctx, tx, ix.ID, lockTimeout); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, `UPDATE rowan.indices SET version = `+nextVersionSQL+`, updated_at = now(),
		language = $3, autocomplete_fields = $4, stop_words = $5 WHERE id = $1 AND version = $2`,
		ix.ID, ix.Version, next.Settings.Language, sqltext.NotNil(next.Settings.Autocomplete.Fields), sqltext.NotNil(next.Settings.StopWords))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return service.ErrStale
	}
	for _, table := range []string{"rowan.mappings", "rowan.synonyms"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE index_id = $1", ix.ID); err != nil {
			return err
		}
	}
	if err := insertMappings(ctx, tx, ix.ID, table.ShapeOf(next)); err != nil {
		return err
	}
	// With one COPY: there may be ten thousand synonyms, and writers are waiting.
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"rowan", "synonyms"}, []string{"index_id", "position", "one_way", "words", "finds"},
		pgx.CopyFromSlice(len(next.Settings.Synonyms), func(i int) ([]any, error) {
			syn := next.Settings.Synonyms[i]
			words, finds := syn.Equivalent, syn.Equivalent
			if len(syn.From) > 0 {
				words, finds = syn.From, syn.To
			}
			return []any{ix.ID, i, len(syn.From) > 0, words, finds}, nil
		}))
	return err
}

// rebuildAgain is the interval at which a rebuild that waits for another server's checks again whether it may begin.
const rebuildAgain = 100 * time.Millisecond

// rebuild rebuilds the table once nobody else is rebuilding it and few other rebuilds are running. Until then, it holds no connection and ends with
// ctx: requests of all kinds share the pool, and a rebuild may take long.
func (s *Store) rebuild(ctx context.Context, ix, next *service.Index) error {
	try := func() (done bool, err error) {
		select {
		case s.rebuilds <- struct{}{}:
			defer func() { <-s.rebuilds }()
		case <-ctx.Done():
			return false, ctx.Err()
		}
		// A session of its own holds the lock, so that the lock disappears if the server dies.
		return s.alone(ctx, reshapeLockClass, ix, s.config.LockTimeout, func(conn *pgx.Conn) error {
			ctx, done := s.ending.outlive(ctx)
			defer done()
			return s.rebuildAlone(ctx, conn, ix, next)
		})
	}
	for {
		if done, err := try(); done || err != nil {
			return clientError(err)
		}
		if err := pause(ctx, rebuildAgain); err != nil {
			return err
		}
	}
}

// rebuildAlone rebuilds the table; conn holds the lock.
func (s *Store) rebuildAlone(ctx context.Context, conn *pgx.Conn, ix, next *service.Index) error {
	old, sh := table.ShapeOf(ix), table.ShapeOf(next)
	// Asked for before the work, which may take hours, and again at its end.
	if err := replaceable(ctx, conn, sh); err != nil {
		return clientError(err)
	}
	// Whoever waits for a lock that a transaction of psql holds makes everybody else wait, too: so this waits for such transactions before the lock is
	// requested, and again afterwards for those that began in between.
	if err := othersEnd(ctx, conn, old.Table); err != nil {
		return err
	}
	made, err := s.beginRebuild(ctx, ix, sh)
	if err != nil {
		return err
	}
	err = othersEnd(ctx, conn, old.Table)
	if err == nil {
		err = fill(ctx, conn, old, sh)
	}
	if err == nil {
		err = catchUpMost(ctx, conn, old, sh, false)
	}
	var postings *nextPostings
	if err == nil {
		postings, err = s.buildNext(ctx, conn, next, sh)
	}
	if err == nil && postings != nil {
		err = catchUpMost(ctx, conn, old, sh, true)
	}
	if err == nil {
		// The exchange also waits for transactions that do not end, but it blocks others while it does.
		_, err = awaitWriters(ctx, conn, old.Table, lockPatience)
		err = clientError(err)
	}
	if err == nil {
		err = s.exchange(ctx, ix, next, old, sh, made, postings)
	}
	if err != nil {
		err = s.namingStoredUnfit(ctx, conn, old, sh, err)
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		if sweepErr := s.abandon(cleanup, ix.ID, sh, made); sweepErr != nil {
			s.log.Warn("a rebuild left something behind; it will be removed within a minute", "index", ix.Name, "error", sweepErr)
		}
	}
	return err
}

// othersEnd waits for the transactions that are writing to a table, and returns an error if they do not end.
func othersEnd(ctx context.Context, conn querier, table string) error {
	ended, err := awaitWriters(ctx, conn, table, lockPatience)
	if err == nil && !ended {
		return inUse("long-running transactions that write to it", nil)
	}
	return clientError(err)
}

// beginRebuild marks the index and creates the tables; made is the OID of the new table. Writers that began before have ended when it returns,
// because it takes the lock that they hold.
func (s *Store) beginRebuild(ctx context.Context, ix *service.Index, sh table.Shape) (made uint32, err error) {
	err = s.withTable(ctx, func(lockTimeout string) error {
		return retry(ctx, func() error {
			return s.transact(ctx, func(tx pgx.Tx) error {
				if err := takeIndex(ctx, tx, ix.ID, lockTimeout); err != nil {
					return err
				}
				tag, err := tx.Exec(ctx, "UPDATE rowan.indices SET rebuilding = true WHERE id = $1 AND version = $2", ix.ID, ix.Version)
				if err != nil {
					return err
				}
				if tag.RowsAffected() == 0 {
					return service.ErrStale
				}
				if err := execAll(ctx, tx, append([]string{
					"DROP TABLE IF EXISTS " + sh.Next, "DROP TABLE IF EXISTS " + sh.RebuildLog,
					"CREATE TABLE " + sh.RebuildLog + ` (_id text COLLATE "C" NOT NULL)`, table.Publishable(sh.RebuildLog),
				}, sh.CreateTable(sh.Next)...)); err != nil {
					return err
				}
				return tx.QueryRow(ctx, "SELECT $1::regclass::oid", sh.Next).Scan(&made)
			})
		})
	})
	return made, err
}

// fill copies every document and creates the indexes.
func fill(ctx context.Context, conn *pgx.Conn, old, sh table.Shape) error {
	if err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: "BEGIN READ ONLY; " + keepPlans}, func(tx pgx.Tx) error {
		return checkFit(ctx, tx, old, sh, nil)
	}); err != nil {
		return clientError(err)
	}
	for last := int64(-1); ; {
		var n int64
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: "BEGIN; " + keepPlans}, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, fmt.Sprintf(`
			WITH source AS (SELECT _id, _seq, _body, _created_at, _updated_at FROM %s WHERE _seq > $1 ORDER BY _seq LIMIT %d),
			copied AS (INSERT INTO %s (_id, _seq, _body, _created_at, _updated_at) SELECT * FROM source ON CONFLICT (_id) DO NOTHING)
			SELECT count(*), coalesce(max(_seq), 0) FROM source`, old.Table, copyChunk, sh.Next), last).Scan(&n, &last)
		})
		if err != nil {
			return clientError(err)
		}
		if n < copyChunk {
			break
		}
	}
	return clientError(finishTable(ctx, conn, sh))
}

// catchUpMost repeatedly copies what was touched in the meantime, until little is left.
func catchUpMost(ctx context.Context, conn *pgx.Conn, old, sh table.Shape, logged bool) error {
	for range 20 {
		var n int64
		err := retry(ctx, func() error {
			return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) (err error) {
				n, err = catchUp(ctx, tx, old, sh, logged)
				return err
			})
		})
		if err != nil {
			return err
		}
		if n < 500 {
			return nil
		}
	}
	return nil
}

// finishTable creates the indexes of a table that has been filled. If a setting made for this cannot be reset, it closes the connection.
func finishTable(ctx context.Context, conn *pgx.Conn, sh table.Shape) error {
	if _, err := conn.Exec(ctx, "SET maintenance_work_mem = '512MB'"); err != nil {
		return err
	}
	defer func() {
		if _, err := conn.Exec(ctx, "RESET maintenance_work_mem"); err != nil {
			_ = conn.Close(ctx)
		}
	}()
	return execAll(ctx, conn, append(sh.CreateIndexes(sh.Next), "ANALYZE "+sh.Next))
}

// catchUp copies the documents again that the log names. If a document's log row is not visible yet, the next call handles it: the row commits with
// the document. The document was written under the mappings in force, so it may not fit the new ones. logged says that the new table has postings,
// whose blocks do not cover what is copied now.
func catchUp(ctx context.Context, tx pgx.Tx, old, sh table.Shape, logged bool) (int64, error) {
	rows, _ := tx.Query(ctx, "DELETE FROM "+sh.RebuildLog+" RETURNING _id")
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if err := checkFit(ctx, tx, old, sh, ids); err != nil {
		return 0, err
	}
	for _, sql := range []string{
		"DELETE FROM " + sh.Next + " WHERE _id = ANY($1)",
		fmt.Sprintf(`INSERT INTO %s (_id, _seq, _body, _created_at, _updated_at)
			SELECT _id, _seq, _body, _created_at, _updated_at FROM %s WHERE _id = ANY($1) ORDER BY _id`, sh.Next, old.Table),
	} {
		if logged {
			sql = "WITH written AS (" + sql + " RETURNING _seq) INSERT INTO " + sh.WithPostings(table.PostingsOfNext).Touched() + " SELECT _seq FROM written"
		}
		if _, err := tx.Exec(ctx, sql, ids); err != nil {
			return 0, err
		}
	}
	return int64(len(ids)), nil
}

// exchange replaces the old table by the new one, if that is still the one that this rebuild has made: the session that holds the lock may have
// ended, and another rebuild begun whose table of the same name is not filled yet.
func (s *Store) exchange(ctx context.Context, ix, next *service.Index, old, sh table.Shape, made uint32, postings *nextPostings) error {
	defer s.forgetAccelerator(ix.ID)
	return s.withTable(ctx, func(lockTimeout string) error {
		return s.inCatalog(ctx, ix.Application, func(tx pgx.Tx) error {
			if err := exchangeCatalog(ctx, tx, ix, next, lockTimeout); err != nil {
				return err
			}
			if ours, err := isNext(ctx, tx, sh, made); err != nil || !ours {
				return cmp.Or(err, service.ErrStale)
			}
			// The index's lock keeps out the API's writers, this one all others. A weaker lock than dropping the table requires would cause a deadlock with a
			// transaction that has read the table and then writes to it.
			if _, err := tx.Exec(ctx, "LOCK TABLE "+old.Table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
				return err
			}
			if _, err := catchUp(ctx, tx, old, sh, postings != nil); err != nil {
				return err
			}
			following, err := followAnew(ctx, tx, sh)
			if err != nil {
				return err
			}
			grants, err := grantsOn(ctx, tx, sh)
			if err != nil {
				return err
			}
			statements := append([]string{fmt.Sprintf("UPDATE rowan.indices SET rebuilding = false WHERE id = %d", ix.ID), "DROP TABLE " + old.Table, "DROP TABLE " + sh.RebuildLog}, following...)
			statements = append(append(statements, sh.DropAccelerator()...),
				"ALTER TABLE "+sh.Next+" SET SCHEMA "+sqltext.Quote(sh.Schema),
				"ALTER TABLE "+sqltext.Quote(sh.Schema)+"."+sqltext.Quote(table.Fit(sh.Name, "_next"))+" RENAME TO "+sqltext.Quote(sh.Name))
			statements = append(append(statements, createTriggers(sh, ix.ID)...), grants...)
			if err := execAll(ctx, tx, statements); err != nil {
				return err
			}
			return postings.use(ctx, tx, ix.ID)
		})
	})
}

// isNext reports whether the new table is still the one that this rebuild has made.
func isNext(ctx context.Context, tx pgx.Tx, sh table.Shape, made uint32) (is bool, err error) {
	return is, tx.QueryRow(ctx, "SELECT to_regclass($1)::oid IS NOT DISTINCT FROM $2::oid", sh.Next, made).Scan(&is)
}

// whatever makes abandon remove any new table, whoever made it; the caller must hold the lock of rebuilds.
const whatever = 0

// abandon undoes a rebuild that has failed: it removes the table that the rebuild has made, but not that of another rebuild.
func (s *Store) abandon(ctx context.Context, id int64, sh table.Shape, made uint32) error {
	return s.withTable(ctx, func(lockTimeout string) error {
		return retry(ctx, func() error {
			return s.transact(ctx, func(tx pgx.Tx) error {
				if err := takeIndex(ctx, tx, id, lockTimeout); err != nil {
					return err
				}
				if made != whatever {
					if ours, err := isNext(ctx, tx, sh, made); err != nil || !ours {
						return err
					}
				}
				tag, err := tx.Exec(ctx, "UPDATE rowan.indices SET rebuilding = false WHERE id = $1", id)
				if err != nil || tag.RowsAffected() == 0 { // the index is gone, and the tables may be those of another one with its name
					return err
				}
				return execAll(ctx, tx, append(sh.DropNextPostings(), "DROP TABLE IF EXISTS "+sh.Next, "DROP TABLE IF EXISTS "+sh.RebuildLog))
			})
		})
	})
}

// Sweep removes what rebuilds that were cut off have left behind. Rebuilds that are still running, on this server or another, hold their lock and are
// left alone.
func (s *Store) Sweep(ctx context.Context) error {
	rows, _ := s.pool.Query(ctx, selectListed+" WHERE i.rebuilding")
	list, err := pgx.CollectRows(rows, scanIndex)
	if err != nil {
		return err
	}
	for _, ix := range list {
		err = errors.Join(err, s.sweep(ctx, ix)) // others must not wait for one that cannot be swept
	}
	return err
}

func (s *Store) sweep(ctx context.Context, ix *service.Index) error {
	_, err := s.alone(ctx, reshapeLockClass, ix, s.config.LockTimeout, func(*pgx.Conn) error {
		s.log.Info("removing what an interrupted rebuild left behind", "application", ix.Application, "index", ix.Name)
		return s.abandon(ctx, ix.ID, table.ShapeOf(ix), whatever)
	})
	return err
}
