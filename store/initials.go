package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/tsquery"
)

// The words that initials stand for are looked up in the names of the documents that have the word beside them: vocabularies do not know which words
// follow each other.

const (
	// fewNamed is the maximum number of documents with a name that are read for the names with initials beside it. mostInitialed bounds the different
	// names with the same initials.
	fewNamed, mostInitialed = 2000, 32
	// leastLetters is in how many names letters must be written as the query has them to be what is meant, if these are also timesLetters as many as those
	// with words that begin so: with many V-necks, v neck is no velvet neck.
	leastLetters, timesLetters = 5, 3
	// middleName is how many words the name stands from the last of its initials at most: one may be left out.
	middleName = 2
)

// addInitials adds to the answer the names that documents have for the asked initials. Letters that are also a word in many documents are no initials.
func (q *relatedQuestion) addInitials(ctx context.Context) error {
	q.answer.Initials = map[service.Initials][][]service.Lexeme{}
	for _, of := range q.Initials {
		often := func(word string) bool { return q.frequent.Of(word) > fewNamed }
		if of.Word && !q.answer.Seldom[of.Letters] || slices.ContainsFunc(strings.Fields(of.Name), often) {
			continue
		}
		names, err := q.initialed(ctx, of)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			q.answer.Initials[of] = names
		}
	}
	return nil
}

// initialed returns the names that documents have for initials, those in the most documents first.
func (q *relatedQuestion) initialed(ctx context.Context, of service.Initials) (names [][]service.Lexeme, err error) {
	sql := initialedSQL(q.store.shape(q.ix))
	if sql == "" {
		return nil, nil
	}
	name := tsquery.FullSequence(service.Alternative{Sequence: lexemesOf(strings.Fields(of.Name), false)}, false)
	var ways []string
	for _, way := range waysOf(of) {
		ways = append(ways, tsquery.FullSequence(service.Alternative{Sequence: way}, true))
	}
	rows, err := q.store.readPool(ctx).Query(ctx, sql, pgx.QueryResultFormats{1}, name, strings.Join(ways, " | "))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found, times := map[string][]service.Lexeme{}, map[string]int{}
	letters, begun := 0, 0 // names with the letters, and with words that begin with these
	for rows.Next() {
		words, err := wordsOfVector(rows.RawValues()[0])
		if err != nil {
			return nil, err
		}
		for _, way := range waysOf(of) {
			eachName(words, way, func(name []service.Lexeme) {
				if slices.EqualFunc(name, way, func(of, asked service.Lexeme) bool { return of.Text == asked.Text }) {
					letters++ // the query finds it as it is
					return
				}
				key := fmt.Sprint(name)
				found[key] = name
				times[key]++
				begun++
			})
		}
	}
	if letters >= max(leastLetters, timesLetters*begun) {
		return nil, rows.Err()
	}
	keys := slices.SortedFunc(maps.Keys(found), func(a, b string) int { return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b)) })
	for _, key := range keys[:min(len(keys), mostInitialed)] {
		names = append(names, found[key])
	}
	return names, rows.Err()
}

// waysOf returns what names with initials have, as sequences: words that begin with the initials before the name, or one word from it. If the query has
// them behind the name, documents may have them there, too.
func waysOf(of service.Initials) (ways [][]service.Lexeme) {
	letters, name := lexemesOf(strings.Split(of.Letters, ""), true), lexemesOf(strings.Fields(of.Name), false)
	if of.Behind {
		ways = append(ways, slices.Concat(name, letters))
	}
	for gap := 1; gap <= middleName; gap++ {
		way := slices.Concat(letters, name)
		way[len(letters)].Gap = gap
		ways = append(ways, way)
	}
	return ways
}

func lexemesOf(words []string, prefix bool) []service.Lexeme {
	list := make([]service.Lexeme, len(words))
	for i, word := range words {
		list[i] = service.Lexeme{Text: word, Prefix: prefix}
	}
	return list
}

// wordsOfVector returns the words of a name by their positions.
func wordsOfVector(raw []byte) (map[int]string, error) {
	words := map[int]string{}
	err := pgbinary.EachLexeme(raw, func(lexeme []byte, o pgbinary.Occurrences) {
		for i := range len(o.Positions) / 2 {
			words[o.Position(i)] = string(lexeme)
		}
	})
	return words, err
}

// eachName yields the words of a name that stand as a way asks.
func eachName(words map[int]string, way []service.Lexeme, yield func(name []service.Lexeme)) {
	for at := range words {
		name, place := make([]service.Lexeme, 0, len(way)), at
		for i, l := range way {
			if i > 0 {
				place += l.Distance()
			}
			word := words[place]
			if word != l.Text && !(l.Prefix && strings.HasPrefix(word, l.Text)) {
				break
			}
			name = append(name, service.Lexeme{Text: word, Gap: l.Gap})
		}
		if len(name) == len(way) {
			yield(name)
		}
	}
}

// initialedSQL selects the words of the names of the documents that match $1, if these are few, and $2. The result is "" if there are no names.
func initialedSQL(sh table.Shape) string {
	var vectors []string
	for _, f := range sh.Fields {
		if f.Type == mapping.Name && len(vectors) < maxBesideFields {
			vectors = append(vectors, f.TSV())
		}
	}
	if len(vectors) == 0 {
		return ""
	}
	return fmt.Sprintf(`
WITH named AS MATERIALIZED (SELECT %[1]s FROM %[2]s t WHERE %[3]s @@ $1::tsquery LIMIT %[4]d + 1)
SELECT v.words FROM named, LATERAL (VALUES (%[5]s)) AS v(words) WHERE (SELECT count(*) FROM named) <= %[4]d AND v.words @@ $2::tsquery`,
		strings.Join(vectors, ", "), sh.Table, sh.AllLexemes("t."), fewNamed, strings.Join(vectors, "), ("))
}
