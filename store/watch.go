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
	// explainEvery is the minimum interval between plans asked for, explainTimeout how long PostgreSQL may take for one: a database with many slow
	// searches has other things to do.
	explainEvery   = 10 * time.Second
	explainTimeout = 2 * time.Second
	// maxPlan is the maximum length of a reported plan.
	maxPlan = 4 << 10 // bytes
)

// watchedSearch remembers the statement of a search that took longest, without its arguments.
type watchedSearch struct {
	mu   sync.Mutex // suggestions are requested concurrently with the search
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

// hasPlan distinguishes queries from statements that begin and end a transaction, which may take long on a busy machine but have no plan.
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

// watchTracer reports statements to their watched search.
type watchTracer struct{}

// TraceQueryStart notes when a statement begins.
func (watchTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if w, _ := ctx.Value(watchKey{}).(*watchedSearch); w != nil {
		return context.WithValue(ctx, runningKey{}, &runningStatement{search: w, sql: data.SQL, began: time.Now()})
	}
	return ctx
}

// TraceQueryEnd reports how long the statement took.
func (watchTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	if r, ok := ctx.Value(runningKey{}).(*runningStatement); ok {
		r.search.ended(r.sql, time.Since(r.began))
	}
}

// TraceBatchStart notes when the first statement of a batch begins.
func (t watchTracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return t.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{})
}

// TraceBatchQuery reports how long a statement of the batch took: since the previous one ended.
func (watchTracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	if r, ok := ctx.Value(runningKey{}).(*runningStatement); ok {
		now := time.Now()
		r.search.ended(data.SQL, now.Sub(r.began))
		r.began = now
	}
}

// TraceBatchEnd does nothing.
func (watchTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// explainer asks for plans, one at a time and rarely.
type explainer struct {
	explainMu     sync.Mutex
	lastExplain   time.Time
	explainClosed bool
	explaining    sync.WaitGroup
	endExplain    context.CancelFunc // nil while no plan is being asked for
}

// Watch implements service.Watcher. It watches only with Config.WatchSearches.
func (s *Store) Watch(ctx context.Context) (context.Context, func(tell func(plan string))) {
	if !s.config.WatchSearches {
		return ctx, func(tell func(string)) { tell("") }
	}
	w := &watchedSearch{}
	return context.WithValue(ctx, watchKey{}, w), func(tell func(string)) { s.explain(w.longest(), tell) }
}

// unwatched returns a context for statements that the watched search does not wait for.
func unwatched(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, (*watchedSearch)(nil))
}

// explain calls tell with the plan of a statement, in another goroutine, or with "" at once if no plan is to be asked for now.
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

// stopExplaining cancels a running explain, and prevents further ones.
func (s *Store) stopExplaining() {
	s.explainMu.Lock()
	s.explainClosed = true
	if s.endExplain != nil {
		s.endExplain()
	}
	s.explainMu.Unlock()
	s.explaining.Wait()
}

// explainedName is the name of the prepared statement whose plan is asked for.
const explainedName = "rowan_explained"

// planOf returns the generic plan of a statement, which contains $1 in place of arguments. A plan for particular arguments would reveal them.
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
		defer func() { _ = conn.Conn().Deallocate(ctx, explainedName) }() // fails only if the connection does
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

// cutText cuts s to a number of bytes, at a character boundary.
func cutText(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	for bytes > 0 && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes] + "…"
}
