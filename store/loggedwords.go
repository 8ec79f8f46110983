package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/lexemes"
	"github.com/rowansearch/rowan/store/table"
)

// Every search looks at the documents in the log of changed ones, which takes PostgreSQL some ten microseconds for each, and most do
// not have all of its words. So it is remembered here which lexemes these documents may have, in the background, with the transactions that
// logged them, and a search looks only at those that may have its words. Whoever changes a document logs it in the same transaction,
// so a document that no other transaction has logged since is as it was.

// loggedCache remembers which lexemes logged documents may have, by the postings that they are not in.
type loggedCache struct {
	known remembered.Map[builtIn, *loggedWords]
}

// loggedWords are those of the logged documents of an index. Nobody changes them, but for what is owed.
type loggedWords struct {
	documents map[int64]loggedDocument // by their numbers
	size      int                      // of them, in bytes
	left      map[int64]bool           // the numbers of those that there was no room for
	owed      atomic.Int64             // looks at documents that are neither
}

// loggedDocument is a document as some transactions have left it.
type loggedDocument struct {
	writers string         // those that have logged it, as PostgreSQL sends them
	lexemes lexemes.Filter // nil where the document is gone
}

const (
	// maxLoggedWords bounds what is remembered in bytes: of all indices, and of one half of that, which are 11,000 abstracts of papers.
	maxLoggedWords = 8 << 20
	// looksWorth is how often each document is looked at before it is remembered: that takes about as long as one look.
	looksWorth = 4
	// loggedWeight is about what a document takes besides its lexemes and writers, in bytes.
	loggedWeight = 120
	// loggedAtOnce is how many documents are read in one statement. Once there is no room for one of them, no more are read.
	loggedAtOnce = 200
)

func newLoggedCache() loggedCache {
	return loggedCache{known: remembered.Map[builtIn, *loggedWords]{Room: maxLoggedWords,
		Weigh: func(_ builtIn, l *loggedWords) int { return loggedWeight + l.size }}}
}

// of returns what is remembered with some postings.
func (c *loggedCache) of(postings builtIn) *loggedWords {
	known, ok := c.known.Get(postings)
	if !ok {
		known = &loggedWords{}
		c.known.Put(postings, known)
	}
	return known
}

// owe notes that a search has looked at so many documents that could be remembered, and tells that all that looked at such have
// taken much longer than to remember these, since that was last told. While an index is being loaded, hardly one is looked at twice.
func (l *loggedWords) owe(unknown, enough int) bool {
	if unknown == 0 || l.owed.Add(int64(unknown)) < int64(max(enough, looksWorth*unknown)) {
		return false
	}
	l.owed.Store(0)
	return true
}

// loggedSQL selects the logged documents, each with the transactions that have logged it.
func loggedSQL(r table.Relations) string {
	return "SELECT _seq, array_agg(xmin) AS writers FROM " + r.Touched() + " GROUP BY _seq"
}

// changedDocuments are those that are not, or may not be, as their blocks have them.
type changedDocuments struct {
	all     []int64
	looked  []int64 // those that may have what the search looks for
	unknown int     // logged ones of which nothing is remembered, though there may be room
}

// takeChanged reads the rows of changedSQL.
func (a *accelerated) takeChanged(rows pgx.Rows, c *loggedCache) (changed changedDocuments, err error) {
	defer rows.Close()
	var known *loggedWords
	var wanted *wantedLexemes
	for rows.Next() {
		raw := rows.RawValues()
		seq := int64(binary.BigEndian.Uint64(raw[0]))
		changed.all = append(changed.all, seq)
		if raw[1] == nil { // the index on the lexemes has found it
			changed.looked = append(changed.looked, seq)
			continue
		}
		if known == nil {
			known, wanted = c.of(a.builtIn()), a.wanted()
		}
		if d, there := known.documents[seq]; there && d.writers == string(raw[1]) {
			if !wanted.may(d.lexemes) {
				continue
			}
		} else if !known.left[seq] {
			changed.unknown++
		}
		changed.looked = append(changed.looked, seq)
	}
	// What is logged and found by the index, too, is there twice.
	changed.all, changed.looked = distinct(changed.all), distinct(changed.looked)
	return changed, rows.Err()
}

func distinct(numbers []int64) []int64 {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// wantedLexemes tell of the lexemes of a document whether it may have what a search looks for. What it may not, the plain statement
// does not find.
type wantedLexemes struct {
	any   bool                // one of the terms is enough, else all are required
	terms [][][]lexemes.Probe // for each, its alternatives: what a document has all of
}

// wanted are those of a search.
func (a *accelerated) wanted() *wantedLexemes {
	w := &wantedLexemes{any: a.any()}
	for i, t := range a.plan.Terms {
		if a.terms[i].query == "" || !w.any && !a.terms[i].required {
			continue
		}
		var ways [][]lexemes.Probe
		for _, alternatives := range t.Alternatives {
			for _, one := range alternatives {
				way := make([]lexemes.Probe, len(one.Sequence))
				for j, l := range one.Sequence {
					way[j] = lexemes.ProbeOf(l)
				}
				ways = append(ways, way)
			}
		}
		w.terms = append(w.terms, ways)
	}
	return w
}

// may tells that a document whose lexemes are told by a filter may be found.
func (w *wantedLexemes) may(filter lexemes.Filter) bool {
	has := func(ways [][]lexemes.Probe) bool {
		return slices.ContainsFunc(ways, func(way []lexemes.Probe) bool {
			return !slices.ContainsFunc(way, func(p lexemes.Probe) bool { return !filter.May(p) })
		})
	}
	if w.any {
		return slices.ContainsFunc(w.terms, has)
	}
	return filter != nil && !slices.ContainsFunc(w.terms, func(ways [][]lexemes.Probe) bool { return !has(ways) })
}

// rememberLogged has the lexemes of the logged documents read in the background, so that the next searches need not look at them.
func (s *Store) rememberLogged(ctx context.Context, a *accelerated) {
	// Whoever searches may plan anew meanwhile.
	plan, own := *a.plan, *a
	plan.Words = nil // lexemes are what they are whatever words stand for; and the search notes in it what it finds out
	own.plan = &plan
	s.inBackground(ctx, fmt.Sprint("logged ", a.builtIn()), func(ctx context.Context) (any, error) {
		return nil, s.readLogged(ctx, &own) // where that fails, looks are owed again
	})
}

// readLogged reads what is not remembered of the logged documents, and forgets those that are no longer logged.
func (s *Store) readLogged(ctx context.Context, a *accelerated) error {
	return s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		a.history = historyOf(ctx, conn)
		read, err := a.readLogged(ctx, conn, s.logged.of(a.builtIn()), s.logged.known.Room/2-loggedWeight)
		if err == nil {
			s.logged.known.Put(a.builtIn(), read)
		}
		return err
	})
}

// readLogged reads the lexemes of the logged documents that are not known, as many as there is room for.
func (a *accelerated) readLogged(ctx context.Context, conn *pgx.Conn, known *loggedWords, room int) (*loggedWords, error) {
	batch := a.beginSQL()
	batch.Queue(loggedSQL(a.sh.Relations))
	results := conn.SendBatch(ctx, batch)
	l := &loggedWords{documents: map[int64]loggedDocument{}, left: map[int64]bool{}}
	unknown, err := a.takeLogged(results, known, l)
	if err = cmp.Or(err, results.Close()); err != nil {
		return nil, err
	}
	for len(unknown) > 0 && len(l.left) == 0 {
		chunk := unknown[:min(loggedAtOnce, len(unknown))]
		unknown = unknown[len(chunk):]
		lexemes, err := a.readLexemes(ctx, conn, chunk)
		if err != nil {
			return nil, err
		}
		for _, u := range chunk {
			l.put(u.seq, loggedDocument{u.writers, lexemes[u.seq]}, room)
		}
	}
	for _, u := range unknown {
		l.left[u.seq] = true
	}
	return l, nil
}

// unknownDocument is a logged document that is not remembered.
type unknownDocument struct {
	seq     int64
	writers string
}

// takeLogged takes what is known of the logged documents, and returns the others, as many as searches look at.
func (a *accelerated) takeLogged(results pgx.BatchResults, known, l *loggedWords) (unknown []unknownDocument, err error) {
	if err := a.begun(results); err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		seq, writers := int64(binary.BigEndian.Uint64(raw[0])), string(raw[1])
		if d, there := known.documents[seq]; there && d.writers == writers {
			l.documents[seq] = d
			l.size += d.weight()
		} else if len(unknown) < a.limits.mostChanged {
			unknown = append(unknown, unknownDocument{seq, writers})
		}
	}
	return unknown, rows.Err()
}

// readLexemes reads the lexemes of those of some documents that there are.
func (a *accelerated) readLexemes(ctx context.Context, conn *pgx.Conn, documents []unknownDocument) (map[int64]lexemes.Filter, error) {
	numbers := make([]int64, len(documents))
	for i, u := range documents {
		numbers[i] = u.seq
	}
	rows, err := conn.Query(ctx, "SELECT t._seq, "+a.sh.AllLexemes("t.")+" FROM "+a.sh.Table+" t WHERE t._seq = ANY((SELECT $1::bigint[])::bigint[])",
		pgx.QueryResultFormats{1}, numbers)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	filters := make(map[int64]lexemes.Filter, len(documents))
	for rows.Next() {
		raw := rows.RawValues()
		if filters[int64(binary.BigEndian.Uint64(raw[0]))], err = lexemes.NewFilter(raw[1]); err != nil {
			return nil, err
		}
	}
	return filters, rows.Err()
}

// put remembers a document, if there is room.
func (l *loggedWords) put(seq int64, d loggedDocument, room int) {
	if l.size+d.weight() > room {
		l.left[seq] = true
		return
	}
	l.documents[seq] = d
	l.size += d.weight()
}

// weight is about what a document takes, in bytes.
func (d loggedDocument) weight() int { return loggedWeight + len(d.writers) + len(d.lexemes) }
