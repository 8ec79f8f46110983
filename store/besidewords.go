package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/tsquery"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// A prefix of very many words stands for the most frequent of them. Beside a rare word that is not enough: while "matt h" is typed, Matt Hale is
// meant, though few documents have Hale. So the words of the documents that have the other words are looked up, too.

const (
	// fewBeside is the maximum number of documents with the other words whose titles and names are read; rareBeside is the maximum number with the
	// rarest of several other words, which the index goes through to find these.
	fewBeside, rareBeside = 300, 10000
	// maxBesideFields bounds the number of fields that are read.
	maxBesideFields = 8
	// maxBeside bounds the number of words found there, mostBeside the documents that have one of them without postings: searches examine each.
	maxBeside, mostBeside = 64, 1000
)

// addBeside adds to the answer what the prefix of very many words stands for beside the query's other words, unless these are frequent.
func (q *relatedQuestion) addBeside(ctx context.Context) error {
	q.answer.Beside = nil
	s := q.store
	words, queries, err := q.wordsBeside(ctx)
	if err != nil {
		return err
	}
	most := int64(rareBeside)
	if len(words) == 1 {
		most = fewBeside
	}
	if !slices.ContainsFunc(words, func(w string) bool { return q.frequent.Of(w) <= most }) {
		return nil
	}
	sql := besideSQL(s.shape(q.ix))
	if sql == "" {
		return nil
	}
	x, err := s.accelerator(ctx, q.ix.ID)
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
		begun = append(begun, tsquery.Lexeme(service.Lexeme{Text: p, Prefix: true}))
	}
	rows, err := s.readPool(ctx).Query(ctx, sql, words, queries, after, before, known, strings.Join(begun, " | "), most)
	if err != nil {
		return err
	}
	var found service.Completion
	left := int64(mostBeside)
	_, err = pgx.ForEachRow(rows, []any{&found.Word, &found.Documents}, func() error {
		switch n := x.documentsWith(found.Word); {
		case n > 0:
			found.Documents = n
		case found.Documents > left:
			return nil // others may be in fewer documents, or have postings
		default:
			left -= found.Documents
		}
		q.answer.Beside = append(q.answer.Beside, found)
		return nil
	})
	return err
}

// wordsBeside returns the words that documents must have beside the prefix, each with its query to the index.
func (q *relatedQuestion) wordsBeside(ctx context.Context) (words, queries []string, err error) {
	lexemes, err := q.store.Lexemes(ctx, q.ix.Settings.Language, q.Beside)
	if err != nil {
		return nil, nil, err
	}
	for i, w := range q.Beside {
		if !vocabulary.MayHave(w) || len(lexemes[i]) == 0 { // a stop word is not required
			continue
		}
		ways := []string{tsquery.Lexeme(service.Lexeme{Text: w})}
		for _, l := range lexemes[i] {
			ways = append(ways, tsquery.Lexeme(service.Lexeme{Text: l}))
		}
		words, queries = append(words, w), append(queries, "("+strings.Join(ways, " | ")+")")
	}
	return words, queries, nil
}

// besideSQL selects lexemes with a prefix, the rarest first, each with about how many documents have it, from the titles and names of the documents
// that have all of the given words, unless there are more than a few such documents. A word that the vocabulary does not know is misspelled or was
// just written: it only counts if there is no other. The result is "" if there are no such fields.
func besideSQL(sh table.Shape) string {
	var vectors, begun, lexemes []string
	for _, f := range sh.Fields {
		if f.Searched() && f.Info.Typos && f.Info.Title() && len(vectors) < maxBesideFields {
			vectors, begun = append(vectors, f.TSV()), append(begun, f.TSV()+" @@ (SELECT $6::text::tsquery)")
			lexemes = append(lexemes, "SELECT lexeme FROM unnest("+f.TSV()+")") // not of all vectors joined, which may be too long for one
		}
	}
	if len(vectors) == 0 {
		return ""
	}
	// Testing whether a vector has such a word takes a tenth of the time of listing its words.
	return fmt.Sprintf(`
WITH others AS MATERIALIZED (
  SELECT coalesce(string_agg(o.query, ' & ') FILTER (WHERE w.documents > 0), string_agg(o.query, ' & '))::tsquery AS query
  FROM unnest($1::text[], $2::text[]) AS o(word, query) LEFT JOIN %[1]s w ON w.word = o.word
  HAVING coalesce(min(w.documents) FILTER (WHERE w.documents > 0), 0) <= $7::bigint),
beside AS MATERIALIZED (SELECT %[3]s FROM %[4]s t WHERE %[5]s @@ (SELECT query FROM others) LIMIT %[2]d + 1)
SELECT l.lexeme, greatest(l.documents, w.documents)::bigint
FROM (SELECT u.lexeme, count(*) AS documents FROM beside, LATERAL (%[6]s) u
  WHERE (SELECT count(*) FROM beside) <= %[2]d AND (%[7]s)
    AND u.lexeme COLLATE "C" > $3::text AND u.lexeme COLLATE "C" < $4::text AND u.lexeme <> ALL($5::text[])
  GROUP BY u.lexeme) l
LEFT JOIN %[1]s w ON w.word = l.lexeme
ORDER BY 2, l.lexeme COLLATE "C" LIMIT %[8]d`, sh.Words(), fewBeside, strings.Join(vectors, ", "), sh.Table, sh.AllLexemes("t."),
		strings.Join(lexemes, " UNION "), strings.Join(begun, " OR "), maxBeside)
}
