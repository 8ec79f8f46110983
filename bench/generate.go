package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

const (
	generatedWords  = 30000 // of the vocabulary
	generatedBrands = 200
)

// generated is a corpus of n documents of about 1 KB, whose words, brands and tags are distributed as those of real
// texts are (Zipf's law). The same seed gives the same documents.
func generated(n int, seed uint64) *corpus {
	words := make([]string, 0, generatedWords)
	known := map[string]bool{}
	for r := rand.New(rand.NewPCG(seed, 1)); len(words) < generatedWords; {
		if w := word(r); !known[w] {
			known[w] = true
			words = append(words, w)
		}
	}
	return &corpus{
		language: english,
		name:     "generated", seed: seed,
		mappings: []mapping{{"title", "sentence"}, {"description", "long_text"}, {"brand", "keyword"}, {"tags", "tags"}, {"released", "date"}, {"price", "price"}},
		each: func(f func(document) error) error {
			r := rand.New(rand.NewPCG(seed, 2))
			texts := rand.NewZipf(r, 1.07, 4, generatedWords-1)
			brands := rand.NewZipf(r, 1.2, 3, generatedBrands-1)
			sentence := func(n int) string {
				picked := make([]string, n)
				for i := range picked {
					picked[i] = words[texts.Uint64()]
				}
				return strings.Join(picked, " ")
			}
			for i := range n {
				tags := []string{words[brands.Uint64()], words[brands.Uint64()]}
				body, err := json.Marshal(map[string]any{
					"title": sentence(4 + r.IntN(6)), "description": sentence(60 + r.IntN(90)),
					"brand": fmt.Sprintf("%s works", words[1000+brands.Uint64()]), "tags": tags,
					"released": time.Date(2000, 1, 1+r.IntN(9000), 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
					"price":    float64(100+r.IntN(100000)) / 100,
				})
				if err == nil {
					err = f(document{fmt.Sprintf("doc-%07d", i), body})
				}
				if errors.Is(err, errStop) {
					return nil
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// word makes up a word of two to four syllables that no stemmer or stop-word list knows.
func word(r *rand.Rand) string {
	const consonants, vowels = "bcdfghklmnprtvz", "aou"
	var b strings.Builder
	for range 2 + r.IntN(3) {
		b.WriteByte(consonants[r.IntN(len(consonants))])
		b.WriteByte(vowels[r.IntN(len(vowels))])
	}
	b.WriteByte(consonants[r.IntN(len(consonants))])
	return b.String()
}
