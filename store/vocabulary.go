package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// The vocabulary of an index holds the words of its documents as they are written but for case and accents, not
// stemmed, with the number of documents that have each. New documents add to it; one that changes or goes leaves
// its old words, until so many have that all are counted anew.

// createWords is the DDL of a vocabulary.
func (s shape) createWords(table string) []string {
	return []string{
		"CREATE TABLE " + table + ` (
  word text COLLATE "C" PRIMARY KEY,
  documents integer NOT NULL,
  keys integer[]
) WITH (fillfactor = 85)`,
		"CREATE INDEX ON " + table + fmt.Sprintf(" USING gin (keys) WITH (fastupdate = on, gin_pending_list_limit = %d)", pendingList),
		"COMMENT ON TABLE " + table + " IS " + literal("Words of the documents of "+s.name+", folded but not stemmed."),
		"COMMENT ON COLUMN " + table + ".documents IS 'Number of documents with the word, about.'",
		"COMMENT ON COLUMN " + table + ".keys IS 'CRC-32 of what is left of the first letters after deletions: words close to each other have one in common.'",
	}
}

// tally counts words.
type tally struct {
	words    map[string]*wordCount
	document int32
	step     int32
}

type wordCount struct {
	documents int32
	last      int32 // the document that has it last
}

func newTally() *tally { return &tally{words: map[string]*wordCount{}} }

// begin begins a document. Of one that was counted before, in another state, only the words count that the
// vocabulary does not know.
func (t *tally) begin(counts bool) {
	t.document++
	t.step = 0
	if counts {
		t.step = 1
	}
}

func (t *tally) add(word []byte) {
	c, ok := t.words[string(word)]
	if !ok {
		c = &wordCount{}
		t.words[string(word)] = c
	}
	if c.last != t.document {
		c.last = t.document
		c.documents += t.step
	}
}

// write adds the tally to a vocabulary. Only one transaction at a time writes there.
func (t *tally) write(ctx context.Context, tx pgx.Tx, table string) error {
	if len(t.words) == 0 {
		return nil
	}
	words := slices.Sorted(maps.Keys(t.words))
	counts := make([]int32, len(words))
	for i, w := range words {
		counts[i] = t.words[w].documents
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`
WITH given AS MATERIALIZED (SELECT g.word COLLATE "C" AS word, g.documents FROM unnest($1::text[], $2::int[]) AS g(word, documents)),
added AS (UPDATE %[1]s AS w SET documents = w.documents + g.documents FROM given g WHERE w.word = g.word AND g.documents > 0)
SELECT g.word FROM given g WHERE NOT EXISTS (SELECT FROM %[1]s AS w WHERE w.word = g.word)`, table), words, counts)
	if err != nil {
		return err
	}
	unknown, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(unknown) == 0 {
		return err
	}
	slices.Sort(unknown)
	counts = counts[:0]
	keys := make([]*string, len(unknown))
	for i, w := range unknown {
		counts = append(counts, max(t.words[w].documents, 1))
		if k := indexKeys(w); k != nil {
			text := arrayLiteral(k)
			keys[i] = &text
		}
	}
	_, err = tx.Exec(ctx, "INSERT INTO "+table+" (word, documents, keys) SELECT w, d, k::int[] FROM unnest($1::text[], $2::int[], $3::text[]) AS g(w, d, k)",
		unknown, counts, keys)
	return err
}

const (
	// nearRarer is how many times rarer than a word close to it a known word must be to be taken for a typo.
	nearRarer = 20
	// maxNear bounds the words that one word is searched as.
	maxNear = 5
	// maxCandidates bounds the words that one is compared with; those in the most documents are.
	maxCandidates = 1000
	// maxNearWords bounds the words of one query that are searched with typos.
	maxNearWords = 16
)

// Near returns, for each of words, up to five words of the index that it may be a misspelling of, nearest first,
// then in most documents: at distance 1, for words of eight letters and more at distance 2, where a
// transposition counts 1 and a wrong first letter 2. Words of fewer than four letters or with digits have none;
// a word that the index knows has only such that are in at least 20 times as many documents. Of a long query
// the first 16 such words are looked up.
func (s *Store) Near(ctx context.Context, ix *service.Index, words []string) (map[string][]service.NearWord, error) {
	var asked []string
	for _, w := range words {
		if typoLimit(w) > 0 && !slices.Contains(asked, w) && len(asked) < maxNearWords {
			asked = append(asked, w)
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	var near map[string][]service.NearWord
	err := s.followed(ctx, ix, func(ctx context.Context, r relations) (logged int, err error) {
		near, logged, err = s.near(ctx, r, asked)
		return logged, err
	})
	return near, err
}

// near looks words up, and tells how long the change log is. Most words of most queries are known and frequent:
// only for the others does a second statement look for words close to them.
func (s *Store) near(ctx context.Context, r relations, asked []string) (map[string][]service.NearWord, int, error) {
	known, total, logged, err := s.known(ctx, r, asked)
	if err != nil {
		return nil, 0, err
	}
	var c candidates
	for _, w := range asked {
		if least := max(1, nearRarer*known[w]); least <= total {
			c.add(w, least)
		}
	}
	if len(c.words) == 0 {
		return nil, logged, nil
	}
	rows, err := s.readPool(ctx).Query(ctx, fmt.Sprintf(`
SELECT a.place, w.word, w.documents
FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[]) WITH ORDINALITY AS a(keys, shortest, longest, least, place)
CROSS JOIN LATERAL (SELECT word, documents FROM %[1]s WHERE keys && a.keys::int[]
  AND char_length(word) BETWEEN a.shortest AND a.longest AND documents >= a.least ORDER BY documents DESC LIMIT %[2]d) AS w
UNION ALL SELECT 0, word, documents FROM %[1]s WHERE word = ANY($5)`, r.words(), maxCandidates),
		c.keys, c.shortest, c.longest, c.least, c.others)
	if err != nil {
		return nil, 0, err
	}
	found := make([][]service.NearWord, len(c.words)+1)
	var place int
	var n service.NearWord
	_, err = pgx.ForEachRow(rows, []any{&place, &n.Word, &n.Documents}, func() error {
		found[place] = append(found[place], n)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	near := map[string][]service.NearWord{}
	for i, w := range c.words {
		if list := nearest(w, known[w], slices.Concat(found[i+1], found[0])); len(list) > 0 {
			near[w] = list
		}
	}
	return near, logged, nil
}

// known counts the documents that have each word, and all.
func (s *Store) known(ctx context.Context, r relations, words []string) (known map[string]int64, total int64, logged int, err error) {
	rows, err := s.readPool(ctx).Query(ctx, fmt.Sprintf("SELECT '', documents, %s FROM %s UNION ALL SELECT word, documents, 0 FROM %s WHERE word = ANY($1)",
		r.logged(), r.progress(), r.words()), words)
	if err != nil {
		return nil, 0, 0, err
	}
	known = map[string]int64{}
	var word string
	var documents int64
	var n int
	_, err = pgx.ForEachRow(rows, []any{&word, &documents, &n}, func() error {
		if word == "" {
			total, logged = documents, n
		} else {
			known[word] = documents
		}
		return nil
	})
	return known, total, logged, err
}

// candidates are the parameters of a lookup of words that are close to some words.
type candidates struct {
	words, keys, others []string
	shortest, longest   []int32 // in letters
	least               []int64 // documents
}

func (c *candidates) add(word string, least int64) {
	limit := typoLimit(word)
	keys, others := queryKeys(word, limit)
	n := int32(utf8.RuneCountInString(word))
	c.words, c.keys, c.others = append(c.words, word), append(c.keys, arrayLiteral(keys)), append(c.others, others...)
	c.shortest, c.longest, c.least = append(c.shortest, n-int32(limit)), append(c.longest, n+int32(limit)), append(c.least, least)
}

// nearest picks the words that word, of which the index has that many documents, is searched as.
func nearest(word string, documents int64, candidates []service.NearWord) []service.NearWord {
	limit := typoLimit(word)
	var list []service.NearWord
	for _, c := range candidates {
		c.Distance = typoDistance(word, c.Word, limit)
		if c.Distance > 0 && c.Distance <= limit && c.Documents >= max(1, nearRarer*documents) && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b service.NearWord) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
	})
	return list[:min(len(list), maxNear)]
}

// completionLength is the least length of a prefix that is completed. Stemmers leave the first letters of a word
// alone, so that a lexeme begins with these itself.
const completionLength = 3

// Completions returns up to limit words of the index that begin with prefix, a folded word, those in the most
// documents first. For fewer than three letters there are none.
func (s *Store) Completions(ctx context.Context, ix *service.Index, prefix string, limit int) ([]string, error) {
	if len([]rune(prefix)) < completionLength || !lettersOnly(prefix) {
		return nil, nil
	}
	var list []string
	err := s.followed(ctx, ix, func(ctx context.Context, r relations) (logged int, err error) {
		list = nil
		var a args
		from, to := a.add(prefix, "text"), a.add(afterPrefix(prefix), "text")
		rows, err := s.readPool(ctx).Query(ctx, fmt.Sprintf(`SELECT NULL, %s UNION ALL
(SELECT word, 0 FROM %s WHERE word >= %s AND word < %s ORDER BY documents DESC, word LIMIT %s)`,
			r.logged(), r.words(), from, to, a.add(limit, "int")), a.values...)
		if err != nil {
			return 0, err
		}
		var word *string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&word, &n}, func() error {
			if word == nil {
				logged = n
			} else {
				list = append(list, *word)
			}
			return nil
		})
		return logged, err
	})
	return list, err
}

// afterPrefix is the least string above all that begin with prefix, by bytes.
func afterPrefix(prefix string) string { return prefix + "\U0010FFFF" }
