package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// lexemeCache remembers the lexemes that PostgreSQL's dictionaries make of words, until the database server is restarted: its version may then have
// changed (recompute.go). If a DBA changes a dictionary, documents have to be recomputed, too.
type lexemeCache struct {
	lexMu   sync.RWMutex
	lexemes map[string]map[string][]string // by language, by word
}

// maxLexemes bounds the number of remembered words in all languages, maxKnownWord their length in bytes: about 10 MB, at most 20.
const maxLexemes, maxKnownWord = 100000, 64

func newLexemeCache() lexemeCache { return lexemeCache{lexemes: map[string]map[string][]string{}} }

// forgetLexemes forgets all words.
func (c *lexemeCache) forgetLexemes() {
	c.lexMu.Lock()
	defer c.lexMu.Unlock()
	clear(c.lexemes)
}

// maxUnknown bounds the number of words in one query to the dictionaries.
const maxUnknown = 50000

// Lexemes returns the lexemes that the text-search configuration language makes of each word: none for a stop word. Of words that are not remembered,
// the first 50,000 are looked up; the others get none.
func (s *Store) Lexemes(ctx context.Context, language string, words []string) ([][]string, error) {
	found := make([][]string, len(words))
	var places []int
	s.lexMu.RLock()
	known := s.lexemes[language]
	for i, w := range words {
		var ok bool
		if found[i], ok = known[w]; !ok {
			places = append(places, i)
		}
	}
	s.lexMu.RUnlock()
	s.counted.lexemeHits.Add(int64(len(words) - len(places)))
	s.counted.lexemeMisses.Add(int64(len(places)))
	if len(places) == 0 {
		return found, nil
	}
	asked := map[string][]string{}
	for _, i := range places {
		if len(asked) < maxUnknown {
			asked[words[i]] = nil
		}
	}
	pool := s.readPool(ctx)
	_, err := onPool(ctx, pool, func() (struct{}, error) {
		rows, _ := pool.Query(ctx, lexemesSQL, language, slices.Collect(maps.Keys(asked)))
		return struct{}{}, s.takeLexemes(language, rows, asked)
	})
	if err != nil {
		return nil, clientError(err)
	}
	for _, i := range places {
		found[i] = asked[words[i]]
	}
	return found, nil
}

// lexemesSQL asks the dictionaries of a configuration for the lexemes of words.
const lexemesSQL = "SELECT w, tsvector_to_array(rowan.stemmed($1::text::regconfig, w)) FROM unnest($2::text[]) AS w"

// takeLexemes reads the result of lexemesSQL, and remembers it.
func (c *lexemeCache) takeLexemes(language string, rows pgx.Rows, to map[string][]string) error {
	var word string
	var lexemes []string
	_, err := pgx.ForEachRow(rows, []any{&word, &lexemes}, func() error {
		to[word] = lexemes
		lexemes = nil
		return nil
	})
	if err == nil {
		c.remember(language, to)
	}
	return err
}

// unknownWords returns the words whose lexemes are not remembered.
func (c *lexemeCache) unknownWords(language string, words ...string) []string {
	c.lexMu.RLock()
	defer c.lexMu.RUnlock()
	known := c.lexemes[language]
	return slices.DeleteFunc(words, func(w string) bool {
		_, ok := known[w]
		return ok || w == ""
	})
}

func (c *lexemeCache) remember(language string, lexemes map[string][]string) {
	c.lexMu.Lock()
	defer c.lexMu.Unlock()
	total := len(lexemes)
	for _, known := range c.lexemes {
		total += len(known)
	}
	for total > maxLexemes && len(c.lexemes) > 0 {
		most := slices.MaxFunc(slices.Collect(maps.Keys(c.lexemes)), func(a, b string) int { return cmp.Compare(len(c.lexemes[a]), len(c.lexemes[b])) })
		total -= len(c.lexemes[most])
		delete(c.lexemes, most)
	}
	known := c.lexemes[language]
	if known == nil {
		known = map[string][]string{}
		c.lexemes[language] = known
	}
	for word, l := range lexemes {
		if len(word) <= maxKnownWord {
			known[strings.Clone(word)] = l // word may share the memory of a document
		}
	}
}
