package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// loaders is how many writers load documents, loadBatch how many documents they send at once.
const (
	loaders   = 2
	loadBatch = 1000
)

// load stores a corpus (the first limit documents, 0 for all) in an index and in the hand-written table, in one
// pass. It calls see, unless nil, for each document, and returns their number.
func (e *environment) load(ctx context.Context, c *corpus, index string, h *hand, see func(document), limit int) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	batches := make(chan []document, loaders)
	done := make(chan error, loaders)
	for range loaders {
		go func() {
			for docs := range batches {
				if err := e.put(ctx, index, docs); err != nil {
					cancel(err)
					done <- err
					return
				}
				if err := h.insert(ctx, docs); err != nil {
					cancel(err)
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	n := 0
	var batch []document
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		select {
		case batches <- batch:
			batch = nil
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := c.each(func(d document) error {
		if see != nil {
			see(d)
		}
		batch = append(batch, d)
		n++
		if len(batch) == loadBatch {
			if err := flush(); err != nil {
				return err
			}
		}
		if n == limit {
			return errStop
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	close(batches)
	for range loaders {
		if failed := <-done; err == nil {
			err = failed
		}
	}
	return n, err
}

// put stores documents in one batch.
func (e *environment) put(ctx context.Context, index string, docs []document) error {
	return e.api.do(ctx, "PUT", "/v1/index/"+index+"/batch", batchBody(docs), nil)
}

const (
	// accelerated is the smallest number of documents for which the background worker builds postings.
	accelerated = 1000
	// settleTimeout is how long the worker may take to catch up.
	settleTimeout = 5 * time.Minute
)

// settle waits until the background worker has processed everything written to an index of n documents, and tells
// whether the index has postings.
func (e *environment) settle(ctx context.Context, index string, n int) (postings bool, err error) {
	pending := fmt.Sprintf(`SELECT EXISTS (SELECT FROM "app_%s_derived"."%s_changes"), EXISTS (
		SELECT FROM rowan.accelerators a JOIN rowan.indices i ON i.id = a.index_id WHERE i.application_id = $1 AND i.name = $2 AND a.ready)`, application, index)
	for begin := time.Now(); ; {
		var changes bool
		if err := e.db.QueryRow(ctx, pending, application, index).Scan(&changes, &postings); err != nil {
			return false, err
		}
		if !changes && (postings || n < accelerated) {
			return postings, nil
		}
		if time.Since(begin) > settleTimeout {
			if changes {
				return false, fmt.Errorf("the background worker has not caught up within %s", settleTimeout)
			}
			return postings, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// withPrefix returns copies of the documents, with new ids.
func withPrefix(docs []document, prefix string) []document {
	out := make([]document, len(docs))
	for i, d := range docs {
		out[i] = document{strings.ReplaceAll(prefix+"-"+d.id, " ", "-"), d.body}
	}
	return out
}
