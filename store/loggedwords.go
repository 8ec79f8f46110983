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

// Every search examines the documents in the log of changed ones, which takes PostgreSQL some ten microseconds each, and most of them lack some of
// its words. So the lexemes that these documents may have are remembered here, in the background, with the transactions that logged them, and a
// search only examines documents that may have its words. Whoever changes a document logs it in the same transaction, so a document that no other
// transaction has logged since is unchanged.

// loggedCache remembers which lexemes logged documents may have, for each set of postings.
type loggedCache struct {
	known remembered.Map[builtIn, *loggedWords]
}

// loggedWords has the logged documents of an index. Nobody modifies it, except for owed.
type loggedWords struct {
	documents map[int64]loggedDocument // by document number
	size      int                      // of the documents, in bytes
	left      map[int64]bool           // numbers of the documents for which there was no room
	owed      atomic.Int64             // number of times that documents in neither were examined
}

// loggedDocument is a document as certain transactions have left it.
type loggedDocument struct {
	writers string         // transactions that have logged it, as PostgreSQL sends them
	lexemes lexemes.Filter // nil if the document has been deleted
}

const (
	// maxLoggedWords bounds the memory for all indices in bytes. One index may have half of it, enough for 11,000 abstracts of papers.
	maxLoggedWords = 8 << 20
	// looksWorth is how often each document is examined before it is remembered: remembering takes about as long as examining once.
	looksWorth = 4
	// loggedWeight is the approximate size of a document, without its lexemes and writers, in bytes.
	loggedWeight = 120
	// loggedAtOnce is how many documents one statement reads. Once there is no room for one of them, no more are read.
	loggedAtOnce = 200
)

func newLoggedCache() loggedCache {
	return loggedCache{known: remembered.Map[builtIn, *loggedWords]{Room: maxLoggedWords,
		Weigh: func(_ builtIn, l *loggedWords) int { return loggedWeight + l.size }}}
}

// of returns what is remembered for a set of postings.
func (c *loggedCache) of(postings builtIn) *loggedWords {
	known, ok := c.known.Get(postings)
	if !ok {
		known = &loggedWords{}
		c.known.Put(postings, known)
	}
	return known
}

// owe adds the number of documents that a search has examined and that could be remembered. It reports whether, since it last did so, searches have
// spent much longer on such documents than remembering these would take. While an index is being loaded, hardly any document is examined twice.
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

// changedDocuments are the documents that are not, or may not be, as their blocks have them.
type changedDocuments struct {
	all     []int64
	looked  []int64 // those that may have what the search looks for
	unknown int     // number of logged ones about which nothing is remembered although there may be room
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
		if raw[1] == nil { // found by the index on lexemes
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
	// Documents that are logged and also found by the index occur twice.
	changed.all, changed.looked = distinct(changed.all), distinct(changed.looked)
	return changed, rows.Err()
}

func distinct(numbers []int64) []int64 {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// wantedLexemes decides by the lexemes of a document whether a search may find it. The plain statement would not find the others.
type wantedLexemes struct {
	any   bool                // one of the terms is enough; otherwise all are required
	terms [][][]lexemes.Probe // for each term, its alternatives; a document must have all lexemes of one
}

// wanted returns the wantedLexemes of a search.
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

// may reports whether a document may be found, by the filter of its lexemes.
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

// rememberLogged reads the lexemes of logged documents in the background, so that the next searches need not examine these.
func (s *Store) rememberLogged(ctx context.Context, a *accelerated) {
	// The search may plan anew in the meantime.
	plan, own := *a.plan, *a
	plan.Words = nil // what words stand for does not matter here, and the search records its findings in it
	own.plan = &plan
	s.inBackground(ctx, fmt.Sprint("logged ", a.builtIn()), func(ctx context.Context) (any, error) {
		return nil, s.readLogged(ctx, &own) // if that fails, the next searches will owe again
	})
}

// readLogged reads the logged documents that are not remembered, and forgets those that are no longer logged.
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

// readLogged reads the lexemes of the logged documents that are not known, as far as there is room.
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

// takeLogged copies the known logged documents to l, and returns the others, at most as many as searches examine.
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

// readLexemes reads the lexemes of the given documents, as far as they exist.
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

// put remembers a document if there is room.
func (l *loggedWords) put(seq int64, d loggedDocument, room int) {
	if l.size+d.weight() > room {
		l.left[seq] = true
		return
	}
	l.documents[seq] = d
	l.size += d.weight()
}

// weight returns the approximate size of the document in bytes.
func (d loggedDocument) weight() int { return loggedWeight + len(d.writers) + len(d.lexemes) }
