package store

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/tsquery"
)

// frequencyCache remembers what ranking needs to know about each index: how many documents there are, how long they are, and how many have a term.
// Slightly outdated values only change scores slightly.
type frequencyCache struct {
	freqMu   sync.Mutex
	measured map[int64]frequencies
	// terms has how many documents have a term, by its tsquery.
	terms remembered.Map[wordKey, documentsWith]
}

// documentsWith is how many documents had a term, with a state of the statistics from when they were counted, or earlier.
type documentsWith struct {
	documents int64
	state     string
}

// measures are the number of documents in an index and their mean number of lexemes.
type measures struct {
	documents     int64
	averageLength float64
}

// alike reports whether hardly anything has changed.
func (m measures) alike(then measures) bool {
	near := func(now, then float64) bool { return math.Abs(now-then) <= 0.02*then }
	return near(float64(m.documents), float64(then.documents)) && near(m.averageLength, then.averageLength)
}

// frequencies are the statistics of one index at one version.
type frequencies struct {
	version int64
	// The measures in use may lag slightly behind the last ones, so that consecutive pages are in one order while documents are written. For an index at
	// rest they do not lag: servers may have used different ones before, and their pages would differ.
	measures
	last    measures
	read    time.Time
	life    time.Duration
	claimed time.Time // when a search last had them measured again in the background
	// state is the state of the vocabulary and the postings before the measurement, and pages the size of the table: as long as both are the same, so
	// are the measures. Rows that triggers have not logged, because somebody had disabled these, only change pages.
	state string
	pages int64
	// rest says that nothing had changed when the next measurement was due. Then everything in use is of this state.
	rest bool
}

const (
	// frequencyLife is how long the statistics of an index are used before they are measured again. It is longer if measuring takes long, which must not
	// take more than a five-hundredth of the time (frequencyShare), up to maxFrequencyLife.
	frequencyLife, maxFrequencyLife = 2 * time.Second, 30 * time.Second
	frequencyShare                  = 500
	// frequencyLate is how much longer they are used by searches while they are measured again.
	frequencyLate = time.Minute
	// termLife is how long the count of a term is used, maxTerms the maximum memory for the counts of all indices in bytes.
	termLife, maxTerms = time.Minute, 4 << 20
	// smallTable is the number of pages up to which a whole table is measured; of a larger table, a sample is measured.
	smallTable = 4000
	// maxMeasured bounds the number of indices whose statistics are remembered.
	maxMeasured = 10000
)

func newFrequencyCache() frequencyCache {
	return frequencyCache{
		measured: map[int64]frequencies{},
		terms: remembered.Map[wordKey, documentsWith]{Life: termLife, Room: maxTerms,
			Weigh: func(k wordKey, c documentsWith) int { return k.weight() + len(c.state) }},
	}
}

// frequencies returns the statistics of an index. Old ones are measured again, once for all searches, which use the old ones meanwhile; searches only
// wait if there are none, or only ones so old that nobody has asked for them lately. They are not measured again for an index at rest.
func (s *Store) frequencies(ctx context.Context, ix *service.Index) (frequencies, error) {
	s.freqMu.Lock()
	known, ok := s.measured[ix.ID]
	if ok = ok && known.version == ix.Version; !ok {
		known = frequencies{}
	}
	if ok && time.Since(known.read) < known.life {
		s.freqMu.Unlock()
		return known, nil
	}
	late := ok && known.late()
	claim := late && time.Since(known.claimed) > frequencyLife
	if claim {
		claimed := known
		claimed.claimed = time.Now()
		s.measured[ix.ID] = claimed
	}
	s.freqMu.Unlock()
	what := fmt.Sprintf("frequencies %d %d", ix.ID, ix.Version)
	measure := func(ctx context.Context) (frequencies, error) { return s.measureAnew(ctx, ix, known) }
	if claim {
		s.inBackground(ctx, what, func(ctx context.Context) (any, error) { return measure(ctx) })
	}
	if late {
		return known, nil
	}
	return onceForAll(ctx, s, what, measure)
}

// measureAnew measures the statistics of an index, and remembers them. known are the previous ones, with version 0 if there are none.
func (s *Store) measureAnew(ctx context.Context, ix *service.Index, known frequencies) (frequencies, error) {
	fresh, err := onPool(ctx, s.readPool(ctx), func() (frequencies, error) { return s.measure(ctx, ix, s.shape(ix), known) })
	if err != nil {
		return frequencies{}, err
	}
	s.freqMu.Lock()
	defer s.freqMu.Unlock()
	if len(s.measured) >= maxMeasured {
		clear(s.measured)
	}
	s.measured[ix.ID] = fresh
	return fresh, nil
}

// late reports whether statistics may still be used while they are measured again.
func (f frequencies) late() bool { return time.Since(f.read) < f.life+frequencyLate }

// measure returns the known statistics if they are still those of the index, and otherwise measures them.
func (s *Store) measure(ctx context.Context, ix *service.Index, sh table.Shape, known frequencies) (frequencies, error) {
	f := frequencies{version: ix.Version, read: time.Now()}
	var err error
	if f.state, err = s.countedState(ctx, ix); err != nil {
		return f, err
	}
	if f.pages, err = pagesOf(ctx, s.readPool(ctx), sh); err != nil {
		return f, err
	}
	if f.state != "" && f.state == known.state && f.pages == known.pages {
		known.read, known.measures, known.rest = f.read, known.last, true
		return known, nil
	}
	if f.last.documents, f.last.averageLength, err = measureTable(ctx, s.readPool(ctx), sh, f.pages); err != nil {
		return f, err
	}
	f.measures = f.last
	f.life = min(max(frequencyLife, frequencyShare*time.Since(f.read)), maxFrequencyLife)
	if known.version != 0 && known.late() && f.last != known.last && f.last.alike(known.measures) {
		f.measures = known.measures
	}
	return f, nil
}

// countedState returns the state of an index's vocabulary, and when its postings were counted; "" if there is no vocabulary.
func (s *Store) countedState(ctx context.Context, ix *service.Index) (string, error) {
	state, err := s.vocabularyState(ctx, ix)
	if state == "" || err != nil {
		return "", err
	}
	x, err := s.accelerator(ctx, ix.ID)
	if x == nil || err != nil {
		return state, err
	}
	return fmt.Sprint(state, " ", x.generation, " ", x.counted.UnixMicro()), nil
}

// pagesOf returns the number of pages of an index's table.
func pagesOf(ctx context.Context, db rowQuerier, sh table.Shape) (pages int64, err error) {
	err = db.QueryRow(ctx, "SELECT coalesce(pg_relation_size("+sqltext.Literal(sh.Table)+"::regclass), 0) / 8192", pgx.QueryExecModeExec).Scan(&pages)
	return pages, err
}

// measureTable returns the number of documents in a table with the given number of pages, and their mean length, measured in the whole table or in a
// sample.
func measureTable(ctx context.Context, db rowQuerier, sh table.Shape, pages int64) (documents int64, averageLength float64, err error) {
	lengths := sh.Vectors()
	for i := range lengths {
		lengths[i] = "length(" + lengths[i] + ")"
	}
	sample := ""
	if pages > smallTable {
		sample = fmt.Sprintf(" TABLESAMPLE SYSTEM (%g) REPEATABLE (1)", 100*smallTable/float64(pages))
	}
	var length *float64
	if err := db.QueryRow(ctx, "SELECT count(*), avg("+strings.Join(lengths, " + ")+") FROM "+sh.Table+sample, pgx.QueryExecModeExec).Scan(&documents, &length); err != nil {
		return 0, 0, err
	}
	if sample != "" {
		documents = int64(float64(documents) * float64(pages) / smallTable)
	}
	if length != nil {
		averageLength = *length
	}
	return documents, averageLength, nil
}

// termCount returns the number of documents with the term of a key; ok is false if it is not remembered or may not be used. While documents are
// written, a count is used for termLife.
func (s *Store) termCount(key wordKey, f frequencies) (n int64, ok bool) {
	c, ok := s.terms.Get(key)
	if f.rest && c.state != f.state {
		return 0, false
	}
	return c.documents, ok
}

// uncounted returns the tsquery of those of a term's own alternatives whose documents must be counted, "" if there are none; the number of documents
// with the most frequent other alternative, since a prefix is as rare as that; and the number with the most frequent word that the term may be a
// misspelling or a prefix of although it is itself a word.
func uncounted(t service.Term, fields []service.Field) (query string, known, near int64) {
	rest := service.Term{Alternatives: map[mapping.Analysis][]service.Alternative{}}
	for analysis, list := range t.Alternatives {
		for _, a := range list {
			if a.Documents == 0 && !a.OfQuery {
				rest.Alternatives[analysis] = append(rest.Alternatives[analysis], a)
			}
			if a.Near {
				near = max(near, a.Documents)
			} else {
				known = max(known, a.Documents)
			}
		}
	}
	return tsquery.InIndex(rest, fields, nil), known, near
}

// wholeQuery returns the tsquery of a term's alternatives that stand for the whole query as one value.
func wholeQuery(t service.Term, fields []service.Field) string {
	return tsquery.InIndex(t, fields, func(a service.Alternative) bool { return !a.OfQuery })
}

// countSQL counts the documents that match each tsquery.
func countSQL(sh table.Shape, queries []string) sqltext.Statement {
	b := &searchsql.Builder{Shape: sh, Prepared: true}
	selects := make([]string, len(queries))
	for i, q := range queries {
		selects[i] = "(SELECT count(*) FROM " + sh.Table + " t WHERE " + sh.AllLexemes("t.") + " @@ " + b.TSQuery(q) + ")"
	}
	return sqltext.Statement{SQL: "SELECT ARRAY[" + strings.Join(selects, ", ") + "]", Args: b.Args.Values, Prepared: true}
}

// count counts the documents that match each tsquery.
func (s *Store) count(ctx context.Context, sh table.Shape, queries []string) ([]int64, error) {
	st := countSQL(sh, queries)
	rows, err := queryOn(ctx, s.readPool(ctx), st)
	if err != nil {
		return nil, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[[]int64])
}
