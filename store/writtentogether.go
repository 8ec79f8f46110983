package store

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
)

// writtenWords finds out which words of a query the documents have written together, or apart.
type writtenWords struct {
	peek *peeked
	// documents are how many have each of the words of wordsOfPairs.
	documents map[string]int64
	parts     map[string][]partedWord
}

// partedWord is a word as two; least is how many documents have the rarer of them. Of a part of one letter that is not
// known: vocabularies do not have these.
type partedWord struct {
	service.WordPair
	least  int64
	letter bool
}

func newWrittenWords(peek *peeked) *writtenWords {
	return &writtenWords{peek, map[string]int64{}, map[string][]partedWord{}}
}

// writtenSQL are rows of relatedSQL: words of pairs, together and by themselves (rowOfPair), and the first parts of asked words that
// are not frequent, with the documents of both parts, if either is there (rowPart). OFFSET 0 has the index asked for each part: the
// planner takes a word for a thousand parts, and would read the vocabulary.
func (r relations) writtenSQL() string {
	return fmt.Sprintf(`SELECT %[3]d, 0, word, documents, 0, 0 FROM %[1]s WHERE word = ANY((SELECT $11::text[])::text[])
UNION ALL SELECT %[4]d, a.place, left(a.word, i), coalesce(f.documents, 0), coalesce(l.documents, 0), 0 FROM asked a
  CROSS JOIN LATERAL generate_series(1, char_length(a.word) - 1) AS i
  LEFT JOIN LATERAL (SELECT w.documents FROM %[1]s w WHERE w.word = left(a.word, i) OFFSET 0) f ON true
  LEFT JOIN LATERAL (SELECT w.documents FROM %[1]s w WHERE w.word = substr(a.word, i + 1) OFFSET 0) l ON true
  WHERE a.documents < %[2]d AND (f.documents IS NOT NULL OR l.documents IS NOT NULL)`, r.words(), nearDocuments, rowOfPair, rowPart)
}

// wordsOfPairs are the words of pairs, by themselves and together.
func wordsOfPairs(pairs []service.WordPair) []string {
	words := []string{}
	for _, p := range pairs {
		words = append(words, p.First, p.Second, p.Joined())
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// of is how many documents have a word of which the vocabulary tells so many.
func (w *writtenWords) of(word string, documents int64) int64 {
	more, logged := w.peek.words[word]
	if documents == 0 && logged {
		return max(more, 1)
	}
	return documents + more
}

// part takes the first part of a word, with the documents of it and of the rest.
func (w *writtenWords) part(word, first string, ofFirst, ofRest int64) {
	p := partedWord{WordPair: service.WordPair{First: first, Second: word[len(first):]}, least: math.MaxInt64}
	if len(p.Second) >= minWord && utf8.RuneCountInString(p.Second) == 1 {
		return // of scripts whose words may be one letter, such as Hangul, these are endings
	}
	for part, documents := range map[string]int64{p.First: ofFirst, p.Second: ofRest} {
		if len(part) < minWord {
			p.letter = true
		} else {
			p.least = min(p.least, w.of(part, documents))
		}
	}
	if p.least > 0 && p.least < math.MaxInt64 {
		w.parts[word] = append(w.parts[word], p)
	}
}

// fewLettered is in how many documents a word beside a single letter may be, of words that documents have: nobody knows how many of
// these documents have the letter, and each is looked at.
const fewLettered = 2000

// settle takes parts, too, that are in documents of the log, and maybe in no others. It leaves out those of a frequent word; of another
// one that documents have, those that are in fewer documents than the word itself, and beside a single letter words that are in many.
func (w *writtenWords) settle(word string, documents int64) {
	if documents >= nearDocuments {
		delete(w.parts, word)
		return
	}
	for i := range word {
		_, first := w.peek.words[word[:i]]
		_, rest := w.peek.words[word[i:]]
		if first && (rest || i == len(word)-1) || rest && i == 1 {
			w.part(word, word[:i], 0, 0)
		}
	}
	if documents > 0 {
		w.parts[word] = slices.DeleteFunc(w.parts[word], func(p partedWord) bool {
			return p.least < documents || p.letter && p.least > fewLettered
		})
	}
}

// joined are the pairs that are one word in documents: if there is a hyphen, or one of the two is not frequent by itself, or the
// one word is in least documents. That of two frequent words is not asked for each time: frequentWords knows it, and a rare one, such
// as a slip of the keyboard, is not what they mean.
func (w *writtenWords) joined(pairs []service.WordPair, gone []string, least int64) map[service.WordPair]int64 {
	list := map[service.WordPair]int64{}
	for _, p := range pairs {
		together := w.of(p.Joined(), w.documents[p.Joined()])
		rarer := min(w.of(p.First, w.documents[p.First]), w.of(p.Second, w.documents[p.Second]))
		if together > 0 && (p.Hyphen || rarer < nearDocuments || together >= least) && !slices.Contains(gone, p.Joined()) {
			list[p] = together
		}
	}
	return list
}

// parted are for each word the two that are in the most documents, and a single letter and the rest, before or behind it. Which of them follow each
// other in documents nobody knows: of dlink, dl and ink may be there, too.
func (w *writtenWords) parted(gone []string) map[string][]service.WordPair {
	list := map[string][]service.WordPair{}
	for word, parts := range w.parts {
		var words, lettered partedWord
		for _, p := range parts {
			best := &words
			if p.letter {
				best = &lettered
			}
			if p.least > best.least && !slices.Contains(gone, p.First) && !slices.Contains(gone, p.Second) {
				*best = p
			}
		}
		for _, p := range []partedWord{words, lettered} {
			if p.least > 0 {
				list[word] = append(list[word], p.WordPair)
			}
		}
	}
	return list
}
