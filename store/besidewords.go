package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
)

// The beginning of very many words stands for the most frequent of them. Beside a rare word that is not enough: while "matt h" is typed,
// Matt Hale is meant, though few documents have Hale. So the words of the documents that have the rare word are looked up, too.

const (
	// fewBeside is how many documents have the rarest other word at the most: the titles and names of all are read.
	fewBeside = 300
	// maxBesideFields bounds the fields that are read of each.
	maxBesideFields = 8
	// maxBeside bounds the words from there, mostBeside the documents that have one of them without postings: searches look at each.
	maxBeside, mostBeside = 64, 1000
)

// addBeside adds to the answer what the prefix, that of very many words, stands for beside the rarest of the query's other words, unless that is frequent.
func (q *relatedQuestion) addBeside(ctx context.Context) error {
	q.answer.Beside = nil
	s, ix := q.store, q.ix
	sql := s.shape(ix).besideSQL()
	others := slices.DeleteFunc(slices.Clone(q.Beside), func(w string) bool { return !counted(w) || q.frequent.of(w) > fewBeside })
	if len(others) == 0 || sql == "" {
		return nil
	}
	lexemes, err := s.Lexemes(ctx, ix.Settings.Language, others)
	if err != nil {
		return err
	}
	queries := make([]string, len(others))
	for i, w := range others {
		ways := []string{tsLexeme(service.Lexeme{Text: w})}
		for _, l := range lexemes[i] {
			ways = append(ways, tsLexeme(service.Lexeme{Text: l}))
		}
		queries[i] = strings.Join(ways, " | ")
	}
	x, err := s.accelerator(ctx, ix.ID)
	if err != nil {
		return err
	}
	known := make([]string, len(q.answer.Completions))
	for i, c := range q.answer.Completions {
		known[i] = c.Word
	}
	after, before := analysis.BegunRange(q.prefix)
	var begun []string
	for _, p := range analysis.Prefixes(q.prefix) {
		begun = append(begun, tsLexeme(service.Lexeme{Text: p, Prefix: true}))
	}
	rows, err := s.readPool(ctx).Query(ctx, sql, others, queries, after, before, known, strings.Join(begun, " | "))
	if err != nil {
		return err
	}
	var found service.Completion
	left := int64(mostBeside)
	_, err = pgx.ForEachRow(rows, []any{&found.Word, &found.Documents}, func() error {
		if n := x.documentsWith(found.Word); n > 0 {
			found.Documents = n
		} else {
			left -= found.Documents
		}
		if left >= 0 {
			q.answer.Beside = append(q.answer.Beside, found)
		}
		return nil
	})
	return err
}

// besideSQL selects lexemes that begin with a prefix, the rarest first, with about how many documents have each, of the titles and names of
// the documents that have the rarest of some words, unless these are more than a few. What the vocabulary does not know may have
// just been written. It is empty where there are no such fields.
func (s shape) besideSQL() string {
	var vectors, begun []string
	for _, f := range s.fields {
		if f.searched() && f.info.Typos && f.info.Title() && len(vectors) < maxBesideFields {
			vectors, begun = append(vectors, f.tsv()), append(begun, f.tsv()+" @@ (SELECT $6::text::tsquery)")
		}
	}
	if len(vectors) == 0 {
		return ""
	}
	// To ask a vector whether it has such a word takes a tenth of the time to list its words.
	return fmt.Sprintf(`
WITH rarest AS MATERIALIZED (
  SELECT o.query::tsquery FROM unnest($1::text[], $2::text[]) AS o(word, query) LEFT JOIN %[1]s w ON w.word = o.word
  WHERE coalesce(w.documents, 0) <= %[2]d ORDER BY w.documents NULLS LAST LIMIT 1),
beside AS MATERIALIZED (SELECT %[3]s FROM %[4]s t WHERE %[5]s @@ (SELECT query FROM rarest) LIMIT %[2]d + 1)
SELECT l.lexeme, greatest(l.documents, w.documents)::bigint
FROM (SELECT u.lexeme, count(*) AS documents FROM beside, unnest(%[6]s) u
  WHERE (SELECT count(*) FROM beside) <= %[2]d AND (%[7]s)
    AND u.lexeme COLLATE "C" > $3::text AND u.lexeme COLLATE "C" < $4::text AND u.lexeme <> ALL($5::text[])
  GROUP BY u.lexeme) l
LEFT JOIN %[1]s w ON w.word = l.lexeme
ORDER BY 2, l.lexeme COLLATE "C" LIMIT %[8]d`, s.words(), fewBeside, strings.Join(vectors, ", "), s.table, s.allLexemes("t."),
		strings.Join(vectors, " || "), strings.Join(begun, " OR "), maxBeside)
}
