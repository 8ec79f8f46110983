package store

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/bodywords"
	"github.com/rowansearch/rowan/store/suggestions"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// What was just written is found despite typos before the vocabulary has followed, too. Bringing that up to date takes a transaction; if the log
// names only a few documents, a search reads their words itself, and what they add to the suggestions unless one of them has changed or is gone.

const (
	// peekedDocuments is the number of log rows up to which a search reads their documents, peekedBytes the maximum stored size of a document, and of
	// its suggestions, for that. Searches do so until one of them, or the worker, has processed the log.
	peekedDocuments = 8
	peekedBytes     = 16 << 10
	// mostPeeked is that number for a search that no longer waits for a step that holds the lock: one that counts all documents again takes seconds.
	mostPeeked = 200
)

// peekSQL selects the length of the log, up to one more than a search processes, with each document that a log of up to most rows names: whether it
// is as inserted, its suggestions and whether they are not large, and its body; null instead of what is large.
func peekSQL(r table.Relations, most int) string {
	return fmt.Sprintf(`
WITH logged AS MATERIALIZED (SELECT _seq FROM %[1]s LIMIT %[3]d)
SELECT n.rows::int, t._created_at = t._updated_at, CASE WHEN pg_column_size(t._autocomplete) <= %[5]d THEN t._autocomplete END,
	coalesce(pg_column_size(t._autocomplete), 0) <= %[5]d, CASE WHEN pg_column_size(t._body) <= %[5]d THEN t._body::text END
FROM (SELECT count(*) AS rows FROM logged) n
LEFT JOIN %[2]s t ON t._seq = ANY(ARRAY(SELECT _seq FROM logged WHERE (SELECT count(*) FROM logged) <= %[4]d))`,
		r.Changes, r.Table, freshLog+1, most, peekedBytes)
}

// peeked is what a search has read of the log.
type peeked struct {
	vocabulary.Logged
	// gives are the suggestions of the documents; added reports whether they are all, and new, so that none must be removed.
	gives []string
	added bool
}

func readPeeked(ix *service.Index, rows pgx.Rows, most int) (*peeked, error) {
	counts := newTally()
	finder := bodywords.NewFinder(ix.Mappings, counts.add)
	p := &peeked{Logged: vocabulary.Logged{Whole: true, Words: map[string]int64{}}, added: true}
	documents := 0
	var unchanged *bool
	var body pgtype.DriverBytes
	var gives []string
	var allGiven bool
	_, err := pgx.ForEachRow(rows, []any{&p.Rows, &unchanged, &gives, &allGiven, &body}, func() error {
		if unchanged != nil {
			documents++
			p.added = p.added && *unchanged && allGiven
			p.gives = append(p.gives, suggestions.Distinct(gives)...)
			gives = nil
		}
		switch {
		case unchanged == nil: // gone
		case body == nil:
			p.Whole = false
		default:
			counts.begin(*unchanged)
			finder.Find(body)
		}
		return nil
	})
	p.Whole = p.Whole && p.Rows <= most
	p.added = p.added && p.Rows <= most && p.Rows == documents
	for word, c := range counts.words {
		p.Words[word] = int64(c.added)
	}
	return p, err
}

// suggested returns, by key, the suggestions that one of the ways finds, as the documents spell them.
func (p *peeked) suggested(ways []suggestions.Way) map[string][]string {
	byKey := map[string][]string{}
	for _, value := range p.gives {
		key := suggestions.Key(value)
		if slices.ContainsFunc(ways, func(way suggestions.Way) bool { return way.Finds(key) }) {
			byKey[key] = append(byKey[key], value)
		}
	}
	return byKey
}
