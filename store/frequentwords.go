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
	// frequentLife is how old the words may be, or as much more as it took to read them: a whole vocabulary is read.
	frequentLife, maxFrequentLife = 30 * time.Second, time.Hour
	// maxFrequentRoom bounds the words of all indices, in bytes. An index whose words made room for others goes without, until it is
	// time to read them again.
	maxFrequentRoom = 16 << 20
)

// frequent returns the frequent words of an index, nil while they are not known. They are read in the background: no search waits
// for them. Where they cannot be read, those that are known hold, and it is tried again in a while.
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
				// Hits have mostly such words, whose lexemes their highlights need.
				_, err = s.Lexemes(ctx, ix.Settings.Language, f.Words())
			}
			s.words.frequentReads.Put(key, read)
			return nil, err
		})
	}
	return known
}

// flightOfFrequent is the name under which they are read.
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
