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

// frequencyCache remembers what ranking needs to know of each index: how many documents there are, how long
// they are, and how many have a term. Being a little behind changes scores by as little.
type frequencyCache struct {
	freqMu   sync.Mutex
	measured map[int64]frequencies
	// terms are how many documents have a term, by its tsquery.
	terms remembered.Map[wordKey, documentsWith]
}

// documentsWith is how many documents had a term, and the state of the statistics when they were counted, or one before.
type documentsWith struct {
	documents int64
	state     string
}

// measures are how many documents an index has, and how many lexemes each of these in the mean.
type measures struct {
	documents     int64
	averageLength float64
}

// alike tells that hardly anything has changed.
func (m measures) alike(then measures) bool {
	near := func(now, then float64) bool { return math.Abs(now-then) <= 0.02*then }
	return near(float64(m.documents), float64(then.documents)) && near(m.averageLength, then.averageLength)
}

// frequencies are those of one index at one version.
type frequencies struct {
	version int64
	// What is used may be a little behind what was last measured, so that pages that follow each other are of one order while
	// documents are written. Of an index at rest it is not: what servers have used before differs, and so would their pages.
	measures
	last    measures
	read    time.Time
	life    time.Duration
	claimed time.Time // when a search has last had them measured anew in the background
	// state is what the vocabulary and the postings were like before they were measured, and pages how large the table was: while all
	// are the same, so are they. Rows that triggers have not logged, as those of logical replication, change the latter only.
	state string
	pages int64
	// rest tells that nothing had changed when they should have been measured again. Then all that is used is of this state.
	rest bool
}

const (
	// frequencyLife is how long the statistics of an index are used before they are measured again, or as much longer as
	// it took to measure them: measuring shall not take more than a five-hundredth of the time.
	frequencyLife, maxFrequencyLife = 2 * time.Second, 30 * time.Second
	frequencyShare                  = 500
	// frequencyLate is how much longer they are used by the search that has them measured.
	frequencyLate = time.Minute
	// termLife is how long the count of a term is used, maxTerms how much the counts of all indices take of memory, in
	// bytes.
	termLife, maxTerms = time.Minute, 4 << 20
	// smallTable is the number of pages up to which a whole table is measured; of a larger one, a sample.
	smallTable = 4000
	// maxMeasured bounds the indices whose statistics are remembered.
	maxMeasured = 10000
)

func newFrequencyCache() frequencyCache {
	return frequencyCache{
		measured: map[int64]frequencies{},
		terms: remembered.Map[wordKey, documentsWith]{Life: termLife, Room: maxTerms,
			Weigh: func(k wordKey, c documentsWith) int { return k.weight() + len(c.state) }},
	}
}

// frequencies returns the statistics of an index. Those that are old are measured anew, once for all searches, which use the old ones
// meanwhile; they wait where there are none, or none but such that nobody has asked for lately. Of an index at rest they are not measured
// again.
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

// measureAnew measures the statistics of an index, and remembers them. known are those of before; of no version, if there are none.
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

// late tells that statistics are not too old to be used while they are measured anew.
func (f frequencies) late() bool { return time.Since(f.read) < f.life+frequencyLate }

// measure returns the known statistics where they still are those of the index, and else measures them.
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

// countedState is what the vocabulary of an index is like now, and when its postings were counted; "" where there is no vocabulary.
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

// pagesOf is how many pages the table of an index has.
func pagesOf(ctx context.Context, db rowQuerier, sh table.Shape) (pages int64, err error) {
	err = db.QueryRow(ctx, "SELECT coalesce(pg_relation_size("+sqltext.Literal(sh.Table)+"::regclass), 0) / 8192", pgx.QueryExecModeExec).Scan(&pages)
	return pages, err
}

// measureTable counts the documents of a table of so many pages, and their mean length, in all of it or in a sample.
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

// termCount is how many documents have the term of a key, if that is remembered and may be used. While documents are written, a count
// is used for its life.
func (s *Store) termCount(key wordKey, f frequencies) (n int64, ok bool) {
	c, ok := s.terms.Get(key)
	if f.rest && c.state != f.state {
		return 0, false
	}
	return c.documents, ok
}

// uncounted is the tsquery of those alternatives of a term's own whose documents have to be counted, "" if there are
// none, how many have the most frequent of the others, since a beginning is as rare as that, and how many
// the most frequent word that it may be a misspelling of, or begins, though it is a word itself.
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

// wholeQuery is the tsquery of those alternatives of a term that are the query as one value.
func wholeQuery(t service.Term, fields []service.Field) string {
	return tsquery.InIndex(t, fields, func(a service.Alternative) bool { return !a.OfQuery })
}

// countSQL counts the documents that fulfil each tsquery.
func countSQL(sh table.Shape, queries []string) sqltext.Statement {
	b := &searchsql.Builder{Shape: sh, Prepared: true}
	selects := make([]string, len(queries))
	for i, q := range queries {
		selects[i] = "(SELECT count(*) FROM " + sh.Table + " t WHERE " + sh.AllLexemes("t.") + " @@ " + b.TSQuery(q) + ")"
	}
	return sqltext.Statement{SQL: "SELECT ARRAY[" + strings.Join(selects, ", ") + "]", Args: b.Args.Values, Prepared: true}
}

// count counts the documents that fulfil each tsquery.
func (s *Store) count(ctx context.Context, sh table.Shape, queries []string) ([]int64, error) {
	st := countSQL(sh, queries)
	rows, err := queryOn(ctx, s.readPool(ctx), st)
	if err != nil {
		return nil, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[[]int64])
}
