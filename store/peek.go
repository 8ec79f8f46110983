package store

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/bodywords"
	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/table"
)

// What was just written is found by words close to it, too, before the vocabulary has followed. To bring that up to
// date is a transaction; where the log names only a few documents, a search reads their words itself, and what they add
// to the suggestions unless one of them has changed or gone.

const (
	// peekedDocuments is how many log rows a search looks behind, peekedBytes how large a document may be for that, as
	// it is stored. A search does it once, and each that follows until the worker has come by.
	peekedDocuments = 8
	peekedBytes     = 16 << 10
	// mostPeeked is how many it looks behind when it waits no longer for a step that has the lock: one that counts all
	// documents anew takes seconds.
	mostPeeked = 200
)

// peekSQL selects how long the log is, up to one more than a search deals with, with each document that a log of up to most rows
// names: whether it is as it was inserted, its suggestions, and its body unless it is large.
func peekSQL(r table.Relations, most int) string {
	return fmt.Sprintf(`
WITH logged AS MATERIALIZED (SELECT _seq FROM %[1]s LIMIT %[3]d)
SELECT n.rows::int, t._created_at = t._updated_at, t._autocomplete, CASE WHEN pg_column_size(t._body) <= %[5]d THEN t._body::text END
FROM (SELECT count(*) AS rows FROM logged) n
LEFT JOIN %[2]s t ON t._seq = ANY(ARRAY(SELECT _seq FROM logged WHERE (SELECT count(*) FROM logged) <= %[4]d))`,
		r.Changes, r.Table, freshLog+1, most, peekedBytes)
}

// peeked is what the log says.
type peeked struct {
	logged int  // rows, up to one more than a search deals with
	whole  bool // the words of all documents that it names were read
	// words are those of the documents, with how many new documents have each.
	words map[string]int64
	// gives are the suggestions of the documents; added tells that they are all to be added, and none to be taken away.
	gives []string
	added bool
}

func readPeeked(ix *service.Index, rows pgx.Rows, most int) (*peeked, error) {
	counts := newTally()
	finder := bodywords.NewFinder(ix.Mappings, counts.add)
	p := &peeked{whole: true, added: true, words: map[string]int64{}}
	documents := 0
	var unchanged *bool
	var body pgtype.DriverBytes
	var gives []string
	_, err := pgx.ForEachRow(rows, []any{&p.logged, &unchanged, &gives, &body}, func() error {
		if unchanged != nil {
			documents++
			p.added = p.added && *unchanged
			p.gives = append(p.gives, distinctSuggestions(gives)...)
			gives = nil
		}
		switch {
		case unchanged == nil: // it is gone
		case body == nil:
			p.whole = false
		default:
			counts.begin(*unchanged)
			finder.Find(body)
		}
		return nil
	})
	p.whole = p.whole && p.logged <= most
	p.added = p.added && p.logged <= most && p.logged == documents
	for word, c := range counts.words {
		p.words[word] = int64(c.documents)
	}
	return p, err
}

// addNear adds to candidates those words that are as close to word as it may be mistyped, if it is begun also those whose
// beginnings are. A word that is new counts for one document at least, as in the vocabulary.
func (p *peeked) addNear(word string, begun bool, candidates []service.NearWord) []service.NearWord {
	limit := spelling.Limit(word)
	for v, n := range p.words {
		if !spelling.MayBeMeant(v, utf8.RuneCountInString(v)) {
			continue
		}
		d := spelling.Distance(word, v, limit)
		if d == 0 || d > limit && !(begun && spelling.BeginsNear(word, v)) {
			continue
		}
		if i := slices.IndexFunc(candidates, func(c service.NearWord) bool { return c.Word == v }); i >= 0 {
			candidates[i].Documents += n
		} else {
			candidates = append(candidates, service.NearWord{Word: v, Documents: max(n, 1)})
		}
	}
	return candidates
}

// addBegun adds the words that begin with prefix to a list of up to limit, and returns in how many more documents they
// are.
func (p *peeked) addBegun(prefix string, list []service.Completion, limit int) (completions []service.Completion, more int64) {
	for v, n := range p.words {
		if v == prefix || !analysis.Begins(v, prefix) {
			continue
		}
		if i := slices.IndexFunc(list, func(c service.Completion) bool { return c.Word == v }); i >= 0 {
			list[i].Documents += n
		} else {
			n = max(n, 1)
			list = append(list, service.Completion{Word: v, Documents: n})
		}
		more += n
	}
	slices.SortFunc(list, byFrequency)
	return list[:min(len(list), limit)], more
}

// suggested are the suggestions that are found in one of the ways, as the documents spell them, by key.
func (p *peeked) suggested(ways []suggestionWay) map[string][]string {
	byKey := map[string][]string{}
	for _, value := range p.gives {
		key := suggestionKey(value)
		if slices.ContainsFunc(ways, func(way suggestionWay) bool { return way.finds(key) }) {
			byKey[key] = append(byKey[key], value)
		}
	}
	return byKey
}
