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
)

// frequencyCache remembers what ranking needs to know of each index: how many documents there are, how long
// they are, and how many have a term. Being a little behind changes scores by as little.
type frequencyCache struct {
	freqMu   sync.Mutex
	measured map[int64]*frequencies
}

// frequencies are those of one index at one version.
type frequencies struct {
	version       int64
	documents     int64
	averageLength float64
	read          time.Time
	life          time.Duration
	terms         map[string]int64 // documents with a term, by its tsquery
}

const (
	// frequencyLife is how long the statistics of an index are used before they are measured again, or as much longer as
	// it took to measure them: measuring shall not take more than a five-hundredth of the time.
	frequencyLife, maxFrequencyLife = 2 * time.Second, 30 * time.Second
	frequencyShare                  = 500
	// maxTerms bounds the remembered terms of an index.
	maxTerms = 20000
	// smallTable is the number of pages up to which a whole table is measured; of a larger one, a sample.
	smallTable = 4000
)

func newFrequencyCache() frequencyCache {
	return frequencyCache{measured: map[int64]*frequencies{}}
}

// frequencies returns the statistics of an index, measured anew when they are old.
func (s *Store) frequencies(ctx context.Context, ix *service.Index, sh shape) (*frequencies, error) {
	s.freqMu.Lock()
	f, ok := s.measured[ix.ID]
	good := ok && f.version == ix.Version && time.Since(f.read) < f.life
	s.freqMu.Unlock()
	if good {
		return f, nil
	}
	fresh := &frequencies{version: ix.Version, read: time.Now(), terms: map[string]int64{}}
	if err := s.measure(ctx, sh, fresh); err != nil {
		return nil, err
	}
	fresh.life = min(max(frequencyLife, frequencyShare*time.Since(fresh.read)), maxFrequencyLife)
	s.freqMu.Lock()
	defer s.freqMu.Unlock()
	if ok && f.version == fresh.version && math.Abs(float64(fresh.documents-f.documents)) <= 0.02*float64(f.documents) {
		// Hardly anything has changed: neither has the rarity of words, and pages that follow each other
		// should be of one order.
		f.read, f.life = fresh.read, fresh.life
		return f, nil
	}
	if len(s.measured) > 10000 {
		clear(s.measured)
	}
	s.measured[ix.ID] = fresh
	return fresh, nil
}

func (s *Store) measure(ctx context.Context, sh shape, f *frequencies) error {
	lengths := sh.vectors()
	for i := range lengths {
		lengths[i] = "length(" + lengths[i] + ")"
	}
	var pages float64
	err := s.readPool(ctx).QueryRow(ctx, "SELECT coalesce(pg_relation_size("+literal(sh.table)+"::regclass), 0) / 8192", pgx.QueryExecModeExec).Scan(&pages)
	if err != nil {
		return err
	}
	sample := ""
	if pages > smallTable {
		sample = fmt.Sprintf(" TABLESAMPLE SYSTEM (%g) REPEATABLE (1)", 100*smallTable/pages)
	}
	var length *float64
	if err := s.readPool(ctx).QueryRow(ctx, "SELECT count(*), avg("+strings.Join(lengths, " + ")+") FROM "+sh.table+sample, pgx.QueryExecModeExec).Scan(&f.documents, &length); err != nil {
		return err
	}
	if sample != "" {
		f.documents = int64(float64(f.documents) * pages / smallTable)
	}
	if length != nil {
		f.averageLength = *length
	}
	return nil
}

// uncounted is the tsquery of those alternatives of a term whose documents have to be counted, "" if there are
// none, and how many have the most frequent of the others: words that it is the beginning of are as rare as that.
func uncounted(t service.Term, fields []service.Field) (query string, known int64) {
	rest := service.Term{Alternatives: map[mapping.Analysis][]service.Alternative{}}
	for analysis, list := range t.Alternatives {
		for _, a := range list {
			if a.Documents == 0 {
				rest.Alternatives[analysis] = append(rest.Alternatives[analysis], a)
			}
			known = max(known, a.Documents)
		}
	}
	return inIndex(rest, fields), known
}

// countSQL counts the documents that fulfil each tsquery.
func (s shape) countSQL(queries []string) statement {
	b := &searchBuilder{shape: s, prepared: true}
	selects := make([]string, len(queries))
	for i, q := range queries {
		selects[i] = "(SELECT count(*) FROM " + s.table + " t WHERE " + s.allLexemes("t.") + " @@ " + b.tsquery(q) + ")"
	}
	return statement{"SELECT ARRAY[" + strings.Join(selects, ", ") + "]", b.args.values, true}
}

// count counts the documents that fulfil each tsquery.
func (s *Store) count(ctx context.Context, sh shape, queries []string) ([]int64, error) {
	st := sh.countSQL(queries)
	rows, err := st.query(ctx, s.readPool(ctx))
	if err != nil {
		return nil, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[[]int64])
}
