package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// psql transactions that begin, write, roll back to savepoints and end at any moment while postings are renewed leave each document as its block has
// it, or in the log.
func TestPostingsAreRenewedWhileTransactionsGoOn(t *testing.T) {
	t.Parallel()
	const documents, renewals, writers = 400, 4, 3
	ctx := t.Context()
	st, checked, svc := newChecked(t, 6)
	s := &site{Store: st, db: checked.db, svc: svc}
	s.create(t, "things", "title sentence")
	r := rand.New(rand.NewPCG(17, 18))
	title := func() string { return fmt.Sprintf(`{"title":%q}`, someWords(r, 1+r.IntN(4))) }
	s.many(t, "things", documents, func(int) string { return title() })
	s.buildPostings(t)
	const looked = 60
	st.LookAt(looked, 0) // blocks in use are rebuilt, too
	st.LookAtShare(1, documents)
	ix := things(t, st)
	var open [writers]writer
	compared := 0
	check := func() error {
		of, err := st.CheckBlocks(ctx, ix)
		if err != nil {
			return err
		}
		compared += of.Documents
		for _, match := range []service.Match{service.MatchAll, service.MatchAny} {
			if _, err := svc.Search(ctx, demo, "things", service.SearchRequest{Query: someWords(r, 1+r.IntN(2)) + " ", Match: match}); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range renewals {
		err := st.Renew(ctx, ix, func() error {
			for range 12 {
				n := r.IntN(writers)
				if err := open[n].step(ctx, checked, r, fmt.Sprintf("%06d", writers*r.IntN(documents/writers+10)+n), title); err != nil {
					return err
				}
			}
			return check()
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := check(); err != nil {
			t.Fatalf("after renewal %d: %v", i, err)
		}
	}
	ended := 0
	for i := range open {
		open[i].end(ctx, true)
		ended += open[i].ended
	}
	if err := check(); err != nil {
		t.Error(err)
	}
	t.Logf("compared %d documents after %d transactions, %d searches were answered from postings", compared, ended, checked.accelerated.Load())
	if compared < 10*documents || ended < 20 || checked.accelerated.Load() < 20 {
		t.Error("that is less than it should be")
	}
}

// writer is a psql user whose transactions stay open for a while.
type writer struct {
	mu    sync.Mutex
	tx    pgx.Tx
	ended int
}

// step begins a transaction, or writes a document that nobody else writes, and now and then ends the transaction.
func (w *writer) step(ctx context.Context, checked *bothWays, r *rand.Rand, id string, body func() string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tx == nil {
		tx, err := checked.db.Pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead}[r.IntN(2)]})
		if err != nil {
			return err
		}
		w.tx = tx
		keeps := r.IntN(4) > 0
		time.AfterFunc(time.Duration(20+r.IntN(300))*time.Millisecond, func() { // the exchange waits for it
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.tx == tx {
				w.finish(ctx, keeps)
			}
		})
		_, err = tx.Exec(ctx, "SELECT count(*) FROM app_demo.things") // takes its snapshot
		return err
	}
	const remove, store = "DELETE FROM app_demo.things WHERE _id = $1", "INSERT INTO app_demo.things (_id, _body) VALUES ($1, $2) ON CONFLICT (_id) DO UPDATE SET _body = excluded._body"
	saved := r.IntN(2) == 0
	batch := &pgx.Batch{}
	if saved {
		batch.Queue("SAVEPOINT before")
	}
	what := r.IntN(5)
	if what < 2 {
		batch.Queue(remove, id)
	}
	if what > 0 {
		batch.Queue(store, id, body())
	}
	if saved {
		batch.Queue([]string{"ROLLBACK TO before", "RELEASE before"}[r.IntN(2)])
	}
	err := w.tx.SendBatch(ctx, batch).Close()
	if r.IntN(5) == 0 {
		w.finish(ctx, r.IntN(4) > 0)
	}
	return err
}

func (w *writer) end(ctx context.Context, keeps bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tx != nil {
		w.finish(ctx, keeps)
	}
}

func (w *writer) finish(ctx context.Context, keeps bool) {
	if keeps {
		_ = w.tx.Commit(ctx)
	} else {
		_ = w.tx.Rollback(ctx)
	}
	w.tx = nil
	w.ended++
}
