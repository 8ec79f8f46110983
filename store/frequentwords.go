package store

import (
	"context"
	"math/bits"
	"time"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
)

// frequentWords are the words of a vocabulary that are in many documents: nearDocuments and more. A query's words mostly are: what they may be
// misspellings of is then found without the database, because that has to be in many more documents still.
type frequentWords struct {
	read  time.Time
	life  time.Duration
	words []frequentWord   // those in the most documents first
	place map[string]int32 // of each
}

type frequentWord struct {
	text      string
	documents int64
	letters   uint8 // 0 where no other word may be a misspelling of it
	set       letterSet
}

const (
	// maxFrequentWords bounds the words of an index: about 200 bytes each, with their lexemes. Those that a frequent word may
	// be a misspelling of are in many more documents, and so among them.
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
		s.fresh.DoChan("words "+relationsOf(ix.Application, ix.Name).words(), func() (any, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.SearchTimeout)
			defer cancel()
			f := s.readFrequent(ctx, ix)
			f.life = min(max(frequentLife, frequencyShare*time.Since(f.read)), maxFrequentLife)
			s.words.frequent.Put(key, f)
			// Hits have mostly such words, whose lexemes their highlights need.
			_, _ = s.Lexemes(ctx, ix.Settings.Language, f.texts())
			return nil, nil
		})
	}
	return known
}

// readFrequent reads the frequent words of an index; none where they cannot be read, which is tried again in a while.
func (s *Store) readFrequent(ctx context.Context, ix *service.Index) *frequentWords {
	f := &frequentWords{read: time.Now(), place: map[string]int32{}}
	r := relationsOf(ix.Application, ix.Name)
	rows, err := s.reads.Query(ctx, "SELECT word, documents FROM "+r.words()+" WHERE documents >= $1 AND (SELECT documents FROM "+r.progress()+") >= $1 ORDER BY documents DESC, word LIMIT $2",
		nearDocuments, maxFrequentWords)
	if err != nil {
		return f
	}
	defer rows.Close()
	for rows.Next() {
		var w frequentWord
		if rows.Scan(&w.text, &w.documents) != nil {
			break
		}
		if n := utf8.RuneCountInString(w.text); mayBeMeant(w.text, n) {
			w.letters, w.set = uint8(n), lettersOf(w.text)
		}
		f.place[w.text] = int32(len(f.words))
		f.words = append(f.words, w)
	}
	return f
}

// documents is how many documents have a word that is known to be frequent; 0 for others.
func (f *frequentWords) documents(word string) int64 {
	if f == nil {
		return 0
	}
	place, ok := f.place[word]
	if !ok {
		return 0
	}
	return f.words[place].documents
}

// near returns the words that a frequent word may be a misspelling of; ok is false if it is not frequent.
func (f *frequentWords) near(word string) (list []service.NearWord, ok bool) {
	if f == nil {
		return nil, false
	}
	place, ok := f.place[word]
	if !ok {
		return nil, false
	}
	of := f.words[place]
	limit := typoLimit(word)
	var candidates []service.NearWord
	for _, w := range f.words[:place] {
		if w.documents < nearRarer*of.documents {
			break
		}
		if d := int(w.letters) - int(of.letters); -limit <= d && d <= limit && w.set.near(of.set, limit) {
			candidates = append(candidates, service.NearWord{Word: w.text, Documents: w.documents})
		}
	}
	return nearest(word, of.documents, candidates), true
}

// letterSet has a bit for each letter of a word; letters that are far apart share one.
type letterSet uint32

func lettersOf(word string) (set letterSet) {
	for _, r := range word {
		set |= 1 << (uint32(r) % 32)
	}
	return set
}

// near tells whether words may be within a distance of each other. Each error adds one letter at most that the other
// word does not have, on both sides.
func (s letterSet) near(other letterSet, limit int) bool {
	return bits.OnesCount32(uint32(s&^other)) <= limit && bits.OnesCount32(uint32(other&^s)) <= limit
}

func (f *frequentWords) texts() []string {
	list := make([]string, len(f.words))
	for i, w := range f.words {
		list[i] = w.text
	}
	return list
}
