package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rowansearch/rowan/service"
)

// frequentWords are the words of a vocabulary that are in many documents: nearDocuments and more. A query's words mostly are: what
// they may stand for is then known without the database.
type frequentWords struct {
	read      time.Time
	life      time.Duration
	documents map[string]int64 // that have each
	// least is how many documents a word has at the least that is not left out.
	least int64
}

const (
	// maxFrequentWords bounds the words of an index: about 200 bytes each, with their lexemes.
	maxFrequentWords = 20000
	// frequentLife is how old the words may be, or as much more as it took to read them: a whole vocabulary is read.
	frequentLife, maxFrequentLife = 30 * time.Second, time.Hour
	// maxFrequentIndices bounds the indices whose words are kept.
	maxFrequentIndices = 16
)

// frequent returns the frequent words of an index, nil while they are not known or where there are none. They are read
// in the background: no search waits for them.
func (s *Store) frequent(ctx context.Context, ix *service.Index) *frequentWords {
	key := wordKey{index: ix.ID, version: ix.Version}
	known, ok := s.words.frequent.Get(key)
	if !ok || time.Since(known.read) > known.life {
		s.inBackground("words "+relationsOf(ix.Application, ix.Name).words(), func() (any, error) {
			ctx, cancel := s.outliving(ctx)
			defer cancel()
			f := s.readFrequent(ctx, ix)
			f.life = min(max(frequentLife, frequencyShare*time.Since(f.read)), maxFrequentLife)
			s.words.frequent.Put(key, f)
			// Hits have mostly such words, whose lexemes their highlights need.
			_, _ = s.Lexemes(ctx, ix.Settings.Language, slices.Collect(maps.Keys(f.documents)))
			return nil, nil
		})
	}
	return known
}

// readFrequent reads the frequent words of an index; none where they cannot be read, which is tried again in a while.
func (s *Store) readFrequent(ctx context.Context, ix *service.Index) *frequentWords {
	f := &frequentWords{read: time.Now(), documents: map[string]int64{}, least: nearDocuments}
	r := relationsOf(ix.Application, ix.Name)
	rows, err := s.reads.Query(ctx, "SELECT word, documents FROM "+r.words()+" WHERE documents >= $1 AND (SELECT documents FROM "+r.progress()+") >= $1 ORDER BY documents DESC LIMIT $2",
		nearDocuments, maxFrequentWords)
	if err != nil {
		return f
	}
	defer rows.Close()
	for rows.Next() {
		var word string
		var documents int64
		if rows.Scan(&word, &documents) != nil {
			break
		}
		f.documents[word] = documents
		if len(f.documents) == maxFrequentWords {
			f.least = documents + 1 // others may have as many
		}
	}
	return f
}

// of is how many documents have a word that is known to be frequent; 0 for others.
func (f *frequentWords) of(word string) int64 {
	if f == nil {
		return 0
	}
	return f.documents[word]
}

// surely is from how many documents a word is known to be frequent.
func (f *frequentWords) surely() int64 {
	if f == nil {
		return nearDocuments
	}
	return f.least
}
