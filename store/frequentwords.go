package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// frequentRead is when a list of frequent words was last read, or could not be, and how long it is not read again.
type frequentRead struct {
	began time.Time
	life  time.Duration
}

const (
	// frequentLife is how old the words may become. It is longer if reading them takes long, because that reads a whole vocabulary, up to
	// maxFrequentLife.
	frequentLife, maxFrequentLife = 30 * time.Second, time.Hour
	// maxFrequentRoom bounds the words of all indices, in bytes. An index whose words are evicted has none until it is time to read them again.
	maxFrequentRoom = 16 << 20
)

// frequent returns the frequent words of an index, nil while they are not known. They are read in the background, so no search waits for them. If
// they cannot be read, the known ones stay in use, and reading is tried again later.
func (s *Store) frequent(ctx context.Context, ix *service.Index) *vocabulary.Frequent {
	key := wordKey{index: ix.ID, version: ix.Version}
	known, _ := s.words.frequent.Get(key)
	if last, ok := s.words.frequentReads.Get(key); !ok || time.Since(last.began) > last.life {
		s.inBackground(ctx, flightOfFrequent(ix), func(ctx context.Context) (any, error) {
			read := frequentRead{time.Now(), frequentLife}
			f, err := s.readFrequent(ctx, ix)
			if err == nil {
				read.life = min(max(frequentLife, frequencyShare*time.Since(read.began)), maxFrequentLife)
				s.words.frequent.Put(key, f)
				// Hits mostly have such words, and highlights need their lexemes.
				_, err = s.Lexemes(ctx, ix.Settings.Language, f.Words())
			}
			s.words.frequentReads.Put(key, read)
			return nil, err
		})
	}
	return known
}

// flightOfFrequent returns the name of the lookup that reads them.
func flightOfFrequent(ix *service.Index) string { return "frequent words " + fmt.Sprint(ix.ID) }

// readFrequent reads the frequent words of an index.
func (s *Store) readFrequent(ctx context.Context, ix *service.Index) (*vocabulary.Frequent, error) {
	f := vocabulary.NewFrequent()
	r := table.RelationsOf(ix.Application, ix.Name)
	st := vocabulary.FrequentSQL(r)
	rows, err := s.reads.Query(ctx, st.SQL, st.Args...)
	if err != nil {
		return nil, err
	}
	var word string
	var documents, all int64
	found, err := pgx.ForEachRow(rows, []any{&word, &documents, &all}, func() error {
		f.Add(word, documents, all)
		return nil
	})
	if err != nil || found.RowsAffected() == 0 {
		return f, err
	}
	st = f.RarerSQL(r)
	if rows, err = s.reads.Query(ctx, st.SQL, st.Args...); err != nil {
		return nil, err
	}
	if _, err = pgx.ForEachRow(rows, []any{&word, &documents}, func() error {
		f.AddRarer(word, documents)
		return nil
	}); err != nil {
		return nil, err
	}
	f.Settle()
	return f, nil
}
