package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// writes measures how fast documents are stored, and how soon they are found.
func (e *environment) writes(ctx context.Context, r *report, c *corpus, s size) error {
	say("writes: %s", c.name)
	docs, err := c.read(s.documents)
	if err != nil {
		return err
	}
	if len(docs) == 0 {
		return fmt.Errorf("%s has no documents", c.name)
	}
	bytesEach := 0
	for _, d := range docs {
		bytesEach += len(d.body)
	}
	bytesEach /= len(docs)
	if err := e.compareCopy(ctx, r, c, docs, s); err != nil {
		return err
	}
	var rows [][]string
	for _, t := range []struct{ batch, writers int }{{1, 1}, {1, 4}, {100, 1}, {100, 4}, {1000, 1}, {1000, 2}, {1000, 4}} {
		row, err := e.throughput(ctx, c, docs, t.batch, t.writers, s)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	r.table(fmt.Sprintf("Writes: %s, documents of %s bytes on average", c.name, thousands(bytesEach)),
		[]string{"batch × writers", "Rowan docs/s", "with the worker caught up", "batch p50, ms", "p95", "SQL INSERT docs/s", "Rowan ÷ SQL, docs/s"}, rows)
	if err := e.whileSearching(ctx, r, c, docs, s); err != nil {
		return err
	}
	return e.soonFound(ctx, r, c, docs, s)
}

// batches splits documents into batches.
func batches(docs []document, size int) [][]document {
	var out [][]document
	for len(docs) > 0 {
		n := min(size, len(docs))
		out, docs = append(out, docs[:n]), docs[n:]
	}
	return out
}

// throughput loads an empty index, and likewise the hand-written table.
func (e *environment) throughput(ctx context.Context, c *corpus, docs []document, batch, writers int, s size) ([]string, error) {
	const index = "writes"
	n := s.documents
	if batch == 1 {
		n = s.singles
	} else if batch == 100 {
		n = s.documents / 4
	}
	parts := batches(docs[:min(n, len(docs))], batch)
	if err := e.api.createIndex(ctx, index, c, c.suggested()); err != nil {
		return nil, err
	}
	h, err := newHand(ctx, e.db, "hand_writes", c)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	rowan, err := repeat(ctx, writers, len(parts), 10*s.cell, false, func(ctx context.Context, i int) error { return e.put(ctx, index, parts[i]) })
	if err != nil {
		return nil, err
	}
	if _, err := e.settle(ctx, index, 0); err != nil {
		return nil, err
	}
	settled := time.Since(begin)
	sql, err := repeat(ctx, writers, len(parts), 10*s.cell, false, func(ctx context.Context, i int) error { return h.insert(ctx, parts[i]) })
	if err != nil {
		return nil, err
	}
	if err := h.drop(ctx); err != nil {
		return nil, err
	}
	if err := e.api.deleteIndex(ctx, index); err != nil {
		return nil, err
	}
	stored := documentsIn(parts[:len(rowan.each)])
	rate, bySQL := float64(stored)/rowan.wall.Seconds(), float64(documentsIn(parts[:len(sql.each)]))/sql.wall.Seconds()
	return []string{
		fmt.Sprintf("%s × %d", thousands(batch), writers), thousands(int(rate)), thousands(int(float64(stored) / settled.Seconds())),
		ms(rowan.median()), ms(rowan.quantile(0.95)), thousands(int(bySQL)), times(rate / bySQL),
	}, nil
}

// documentsIn counts the documents of batches, of which the last one may have fewer than the others.
func documentsIn(batches [][]document) (n int) {
	for _, b := range batches {
		n += len(b)
	}
	return n
}

// compareCopy stores batches of 1,000 over HTTP, and the same rows with COPY into a table of the same kind, in
// turn; each starts when the background worker has nothing left to do.
func (e *environment) compareCopy(ctx context.Context, r *report, c *corpus, docs []document, s size) error {
	const index, copied = "batches", "copies"
	for _, name := range []string{index, copied} {
		if err := e.api.createIndex(ctx, name, c, c.suggested()); err != nil {
			return err
		}
	}
	// rest waits until the worker has nothing left to do for either index. By itself it finds rows of COPY up to half a minute
	// later, while something else is measured: a search makes it process them at once.
	rest := func() error {
		if _, err := e.api.search(ctx, copied, map[string]any{"query": "unheardof ", "per_page": 0}); err != nil {
			return err
		}
		if _, err := e.settle(ctx, copied, 0); err != nil {
			return err
		}
		return e.quiet(ctx, index)
	}
	var rowan, sql samples
	parts := batches(docs, 1000)
	for round := range s.rounds + 1 {
		part := withPrefix(parts[round%len(parts)], fmt.Sprint(round))
		if len(part) < 1000 && len(parts) > 1 {
			continue
		}
		body := batchBody(part)
		if err := rest(); err != nil {
			return err
		}
		begin := time.Now()
		if err := e.api.do(ctx, "PUT", "/v1/index/"+index+"/batch", body, nil); err != nil {
			return err
		}
		a := time.Since(begin)
		if err := rest(); err != nil {
			return err
		}
		text := copyText(part)
		begin = time.Now()
		if err := e.copy(ctx, copied, text); err != nil {
			return err
		}
		b := time.Since(begin)
		if round > 0 { // the first warms up
			rowan.each, sql.each = append(rowan.each, a), append(sql.each, b)
		}
	}
	for _, name := range []string{index, copied} {
		if err := e.api.deleteIndex(ctx, name); err != nil {
			return err
		}
	}
	r.table(fmt.Sprintf("A batch of 1,000 beside COPY of the same rows into the same kind of table: %s, %d rounds", c.name, len(rowan.each)),
		[]string{"ms", "p50", "p95"}, [][]string{
			{"PUT /v1/index/…/batch", ms(rowan.median()), ms(rowan.quantile(0.95))},
			{"COPY … (_id, _body)", ms(sql.median()), ms(sql.quantile(0.95))},
			{"ratio", times(float64(rowan.median()) / float64(sql.median())), times(float64(rowan.quantile(0.95)) / float64(sql.quantile(0.95)))},
		})
	return nil
}

// quiet waits until the worker has counted what was written, and a moment longer for what it does afterwards.
func (e *environment) quiet(ctx context.Context, index string) error {
	if _, err := e.settle(ctx, index, 0); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(500 * time.Millisecond):
		return nil
	}
}

// copyText returns documents in COPY's text format, which psql sends.
func copyText(docs []document) []byte {
	var b bytes.Buffer
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
	for _, d := range docs {
		_, _ = escape.WriteString(&b, d.id) // a buffer never fails
		b.WriteByte('\t')
		_, _ = escape.WriteString(&b, string(d.body))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func (e *environment) copy(ctx context.Context, index string, text []byte) error {
	conn, err := e.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	table := pgx.Identifier{"app_" + application, index}.Sanitize()
	_, err = conn.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(text), "COPY "+table+" (_id, _body) FROM STDIN")
	return err
}

// whileSearching loads an index while a client searches it without a pause.
func (e *environment) whileSearching(ctx context.Context, r *report, c *corpus, docs []document, s size) error {
	const index = "busy"
	if err := e.api.createIndex(ctx, index, c, c.suggested()); err != nil {
		return err
	}
	p := newProfile(c)
	for _, d := range docs[:min(len(docs), profiled)] {
		p.see(d)
	}
	texts := p.beginnings(c.seed, 200)
	if len(texts) == 0 {
		return e.api.deleteIndex(ctx, index)
	}
	// Half of the documents are stored before.
	half := len(docs) / 2
	for _, part := range batches(docs[:half], 1000) {
		if err := e.put(ctx, index, part); err != nil {
			return err
		}
	}
	parts := batches(docs[half:], 1000)
	searching, stop := context.WithCancel(ctx)
	defer stop()
	var searches samples
	var failed error
	var wait sync.WaitGroup
	wait.Go(func() {
		searches, failed = repeat(searching, 1, len(texts), time.Hour, true, func(ctx context.Context, i int) error {
			_, err := e.api.search(ctx, index, map[string]any{"query": texts[i]})
			return err
		})
	})
	var stored atomic.Int64 // documents that the time was too short for do not count
	written, err := repeat(ctx, 2, len(parts), 10*s.cell, false, func(ctx context.Context, i int) error {
		err := e.put(ctx, index, parts[i])
		stored.Add(int64(len(parts[i])))
		return err
	})
	stop()
	wait.Wait()
	if err != nil {
		return err
	}
	if !errors.Is(failed, context.Canceled) { // the requested end
		return failed
	}
	r.line("While one client searches without a pause (beginnings of titles, default settings), two writers with batches of 1,000 store %s docs/s; the searches take %s ms (p50) and %s ms (p95).",
		thousands(int(float64(stored.Load())/written.wall.Seconds())), ms(searches.median()), ms(searches.quantile(0.95)))
	return e.api.deleteIndex(ctx, index)
}

// soonFound writes single documents and searches for each until it is found.
func (e *environment) soonFound(ctx context.Context, r *report, c *corpus, docs []document, s size) error {
	const index = "soon"
	if err := e.api.createIndex(ctx, index, c, c.suggested()); err != nil {
		return err
	}
	for _, part := range batches(docs[:min(len(docs), 5000)], 1000) {
		if err := e.put(ctx, index, part); err != nil {
			return err
		}
	}
	if err := e.quiet(ctx, index); err != nil {
		return err
	}
	var write, until samples
	field := c.suggested()
	if field == "" {
		field = c.texts()[0]
	}
	for i := range s.visible {
		id := fmt.Sprintf("soon-%d", i)
		token := "zq" + strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(1000+i)) + "xv"
		begin := time.Now()
		if err := e.api.send(ctx, "PUT", "/v1/index/"+index+"/document/"+id, map[string]string{field: token}, nil); err != nil {
			return err
		}
		write.each = append(write.each, time.Since(begin))
		for {
			f, err := e.api.search(ctx, index, map[string]any{"query": token + " "})
			if err != nil {
				return err
			}
			if len(f.IDs) > 0 && f.IDs[0] == id {
				break
			}
			if time.Since(begin) > time.Minute {
				return fmt.Errorf("document %s is not found a minute after it was written", id)
			}
		}
		until.each = append(until.each, time.Since(begin))
	}
	now, peak := e.rss()
	r.line("One document, from the beginning of its write until a search has found it: %s ms (p50), %s ms (p95), of which the write takes %s ms. Memory of the service after all this: %s, at most %s.",
		ms(until.median()), ms(until.quantile(0.95)), ms(write.median()), mib(now), mib(peak))
	return e.api.deleteIndex(ctx, index)
}
