package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// frequentWords are the words of a vocabulary that are in many documents: nearDocuments and more. A query's words mostly are: what
// they may stand for is then known without the database.
type frequentWords struct {
	documents map[string]int64 // that have each
	ordered   []string         // the words, as bytes are ordered
	// least is how many documents a word has at the least that is not left out.
	least int64
	// compounds are rarer words that are two of these together, which the two may be meant as (meantAsOne); all is how many documents
	// there are.
	compounds map[string]int64
	all       int64
}

// frequentRead is when a list of frequent words was last read, or could not be, and how long it is not read again.
type frequentRead struct {
	began time.Time
	life  time.Duration
}

const (
	// maxFrequentWords bounds the words of an index: about 200 bytes each, with their lexemes.
	maxFrequentWords = 20000
	// frequentLife is how old the words may be, or as much more as it took to read them: a whole vocabulary is read.
	frequentLife, maxFrequentLife = 30 * time.Second, time.Hour
	// maxFrequentRoom bounds the words of all indices, in bytes. An index whose words made room for others goes without, until it is
	// time to read them again.
	maxFrequentRoom = 16 << 20
)

// weight is about what the words take of memory, in bytes, without their lexemes.
func (f *frequentWords) weight() int { return 128 + 88*len(f.documents) + 72*len(f.compounds) }

// frequent returns the frequent words of an index, nil while they are not known. They are read in the background: no search waits
// for them. Where they cannot be read, those that are known hold, and it is tried again in a while.
func (s *Store) frequent(ctx context.Context, ix *service.Index) *frequentWords {
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
				_, err = s.Lexemes(ctx, ix.Settings.Language, slices.Collect(maps.Keys(f.documents)))
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
func (s *Store) readFrequent(ctx context.Context, ix *service.Index) (*frequentWords, error) {
	f := &frequentWords{documents: map[string]int64{}, least: nearDocuments, compounds: map[string]int64{}}
	r := table.RelationsOf(ix.Application, ix.Name)
	counted := "(SELECT documents FROM " + r.Progress() + ")"
	rows, err := s.reads.Query(ctx, "SELECT word, documents, "+counted+" AS counted FROM "+r.Words()+" WHERE documents >= $1 AND "+counted+" >= $1 ORDER BY documents DESC LIMIT $2",
		nearDocuments, maxFrequentWords)
	if err != nil {
		return nil, err
	}
	var word string
	var documents int64
	if _, err = pgx.ForEachRow(rows, []any{&word, &documents, &f.all}, func() error {
		f.documents[word] = documents
		if len(f.documents) == maxFrequentWords {
			f.least = documents + 1 // others may have as many
		}
		return nil
	}); err != nil || len(f.documents) == 0 {
		return f, err
	}
	f.ordered = slices.Sorted(maps.Keys(f.documents))
	if rows, err = s.reads.Query(ctx, "SELECT word, documents FROM "+r.Words()+" WHERE documents >= $1 AND documents < $2", leastMeant, f.least); err != nil {
		return nil, err
	}
	if _, err = pgx.ForEachRow(rows, []any{&word, &documents}, func() error {
		f.addCompound(word, documents)
		return nil
	}); err != nil {
		return nil, err
	}
	f.dropRareCompounds()
	return f, nil
}

// addCompound takes a word that is not frequent, if two frequent ones may be meant as it.
func (f *frequentWords) addCompound(word string, documents int64) {
	for i := range word {
		if first, second := f.documents[word[:i]], f.documents[word[i:]]; first > 0 && second > 0 && meantAsOne(documents, first, second, f.all) {
			f.compounds[word] = documents
			return
		}
	}
}

// dropRareCompounds leaves those in the most documents, if they are very many.
func (f *frequentWords) dropRareCompounds() {
	if len(f.compounds) <= maxFrequentWords {
		return
	}
	words := slices.SortedFunc(maps.Keys(f.compounds), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.compounds[b], f.compounds[a]), cmp.Compare(a, b))
	})
	for _, word := range words[maxFrequentWords:] {
		delete(f.compounds, word)
	}
}

// together is how many documents have two frequent words as one that they may be meant as; 0 if there is none.
func (f *frequentWords) together(p service.WordPair) int64 { return f.meant(p, p.Joined()) }

// meant is how many documents have a word that two frequent ones may be meant as; 0 if they are not.
func (f *frequentWords) meant(p service.WordPair, word string) int64 {
	if n := f.of(word); n > 0 {
		return n
	}
	first, second := f.of(p.First), f.of(p.Second)
	if n := f.compounds[word]; first > 0 && second > 0 && meantAsOne(n, first, second, f.all) {
		return n
	}
	return 0
}

// of is how many documents have a word that is known to be frequent; 0 for others.
func (f *frequentWords) of(word string) int64 {
	if f == nil {
		return 0
	}
	return f.documents[word]
}

// begun is how many documents have words that are known to be frequent and begin with prefix, counted once for each word.
func (f *frequentWords) begun(prefix string) (sum int64) {
	if f == nil {
		return 0
	}
	for word, documents := range f.documents {
		if strings.HasPrefix(word, prefix) {
			sum += documents
		}
	}
	return sum
}

// surely is from how many documents a word is known to be frequent.
func (f *frequentWords) surely() int64 {
	if f == nil {
		return nearDocuments
	}
	return f.least
}
