package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

const (
	// explainEvery is how often a plan is asked for at most, explainTimeout how long PostgreSQL may take for it:
	// a database on which many searches are slow has other things to do.
	explainEvery   = 10 * time.Second
	explainTimeout = 2 * time.Second
	// maxPlan is how much of a plan is told.
	maxPlan = 4 << 10 // bytes
)

// watchedSearch remembers the statement of a search that took longest, without its arguments.
type watchedSearch struct {
	mu   sync.Mutex // suggestions are asked for beside the search
	sql  string
	took time.Duration
}

func (w *watchedSearch) ended(sql string, took time.Duration) {
	if !hasPlan(sql) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if took > w.took {
		w.sql, w.took = sql, took
	}
}

// hasPlan tells a query from what begins and ends its transaction, which may take long on a busy machine and has no plan.
func hasPlan(sql string) bool {
	sql = strings.TrimSpace(sql)
	return strings.HasPrefix(sql, "SELECT") || strings.HasPrefix(sql, "WITH")
}

func (w *watchedSearch) longest() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sql
}

type (
	watchKey   struct{}
	runningKey struct{}
)

// runningStatement is a statement of a watched search, or the next one of a batch.
type runningStatement struct {
	search *watchedSearch
	sql    string
	began  time.Time
}

// watchTracer tells watched searches of their statements.
type watchTracer struct{}

// TraceQueryStart notes when a statement begins.
func (watchTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if w, _ := ctx.Value(watchKey{}).(*watchedSearch); w != nil {
		return context.WithValue(ctx, runningKey{}, &runningStatement{search: w, sql: data.SQL, began: time.Now()})
	}
	return ctx
}

// TraceQueryEnd tells how long it took.
func (watchTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	if r, ok := ctx.Value(runningKey{}).(*runningStatement); ok {
		r.search.ended(r.sql, time.Since(r.began))
	}
}

// TraceBatchStart notes when the first statement of a batch begins.
func (t watchTracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return t.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{})
}

// TraceBatchQuery tells how long one of them took: since the one before has ended.
func (watchTracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	if r, ok := ctx.Value(runningKey{}).(*runningStatement); ok {
		now := time.Now()
		r.search.ended(data.SQL, now.Sub(r.began))
		r.began = now
	}
}

// TraceBatchEnd does nothing.
func (watchTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// explainer asks for plans, one at a time and seldom.
type explainer struct {
	explainMu     sync.Mutex
	lastExplain   time.Time
	explainClosed bool
	explaining    sync.WaitGroup
	endExplain    context.CancelFunc // nil while no plan is asked for
}

// Watch implements service.Watcher. It watches only with Config.WatchSearches.
func (s *Store) Watch(ctx context.Context) (context.Context, func(tell func(plan string))) {
	if !s.config.WatchSearches {
		return ctx, func(tell func(string)) { tell("") }
	}
	w := &watchedSearch{}
	return context.WithValue(ctx, watchKey{}, w), func(tell func(string)) { s.explain(w.longest(), tell) }
}

// unwatched is a context of statements that the watched search does not wait for.
func unwatched(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, (*watchedSearch)(nil))
}

// explain tells the plan of a statement, from another goroutine; or "" at once, when it is not the time for it.
func (s *Store) explain(sql string, tell func(plan string)) {
	s.explainMu.Lock()
	if sql == "" || s.explainClosed || s.endExplain != nil || time.Since(s.lastExplain) < explainEvery {
		s.explainMu.Unlock()
		tell("")
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), explainTimeout)
	s.endExplain, s.lastExplain = cancel, time.Now()
	s.explaining.Add(1)
	s.explainMu.Unlock()
	go func() {
		defer s.explaining.Done()
		plan, err := s.planOf(ctx, sql)
		cancel()
		s.explainMu.Lock()
		s.endExplain = nil
		s.explainMu.Unlock()
		if err != nil {
			s.log.Debug("PostgreSQL returned no plan for a slow search", "error", err)
		}
		tell(plan)
	}()
}

// stopExplaining ends what explain has begun, and lets nothing more begin.
func (s *Store) stopExplaining() {
	s.explainMu.Lock()
	s.explainClosed = true
	if s.endExplain != nil {
		s.endExplain()
	}
	s.explainMu.Unlock()
	s.explaining.Wait()
}

// explainedName is that of the statement while PostgreSQL is asked for its plan.
const explainedName = "rowan_explained"

// planOf returns the plan that a statement has whatever its arguments are: it says $1 where they would stand. A
// plan for the arguments would repeat them.
func (s *Store) planOf(ctx context.Context, sql string) (string, error) {
	conn, err := s.reads.Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Release()
	var plan strings.Builder
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", explainTimeout.Milliseconds()/2))
		if err != nil {
			return err
		}
		// EXPLAIN (GENERIC_PLAN) would need PostgreSQL 16.
		prepared, err := conn.Conn().Prepare(ctx, explainedName, sql)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Conn().Deallocate(ctx, explainedName) }() // it fails with the connection only
		arguments := ""
		if n := len(prepared.ParamOIDs); n > 0 {
			arguments = "(NULL" + strings.Repeat(", NULL", n-1) + ")"
		}
		rows, err := tx.Query(ctx, "EXPLAIN EXECUTE "+explainedName+arguments, pgx.QueryExecModeExec)
		if err != nil {
			return err
		}
		var line string
		_, err = pgx.ForEachRow(rows, []any{&line}, func() error {
			if plan.Len() > 0 {
				plan.WriteByte('\n')
			}
			plan.WriteString(line)
			return nil
		})
		return err
	})
	return cutText(plan.String(), maxPlan), err
}

// cutText cuts s to a number of bytes, between two characters.
func cutText(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	for bytes > 0 && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes] + "…"
}
