package searchsql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// Ranking a document takes several times as long as finding it. If other keys come before the score in the order of the hits, only those hits need a
// score that are on the page, or that equal its last hit in the keys before the score.

// ranksLate reports whether hits are ranked only after their order has shown which of them may be on the page. If any word is enough, the frequencies
// are needed earlier, to decide what matches.
func (b *Builder) ranksLate() bool {
	p := b.Plan
	return b.among == nil && len(p.Terms) > 0 && p.Match != service.MatchAny && (p.Limit == 0 || len(b.keysBeforeScore()) > 0)
}

// keysBeforeScore returns the keys of the order that come before the score; all keys if it does not contain the score.
func (b *Builder) keysBeforeScore() []OrderKey {
	keys := b.Order()
	if i := slices.IndexFunc(keys, IsScore); i >= 0 {
		return keys[:i]
	}
	return keys
}

// IsScore reports whether a key is the score.
func IsScore(k OrderKey) bool { return k.Column == "score" }

// topRankedLate selects the hits of the page, with their scores.
func (b *Builder) topRankedLate() string {
	if b.Plan.Limit == 0 {
		return "SELECT *, 0::float8 AS score FROM hits LIMIT 0"
	}
	if !slices.ContainsFunc(b.Order(), IsScore) {
		return b.scored("SELECT * FROM hits" + b.After() + " " + b.orderBy("") + b.page())
	}
	return "SELECT * FROM (" + b.scored(b.mayBeOnPage()) + ") scored" + b.After() + " " + b.orderBy("") + b.page()
}

// mayBeOnPage selects the hits up to the last one of the page, and those that equal it except for score and id. After a cursor, it leaves out those
// that come before its place whatever their scores.
func (b *Builder) mayBeOnPage() string {
	lead := b.keysBeforeScore()
	rows := b.Args.Add(b.Plan.Offset+b.Plan.Limit, "bigint")
	where := ""
	if c := b.Plan.After; c != nil {
		rows += " + " + b.Args.Add(len(c.Shown), "bigint")
		if len(c.Place) > 0 {
			equal := b.equalPlace(lead, c.Place)
			rows += " + (SELECT count(*) FROM hits WHERE " + equal + ")"
			where = " WHERE (" + equal + " OR " + b.afterKeys(lead, c.Place) + ")"
		}
	}
	return "SELECT * FROM hits" + where + " " + orderedBy(lead, "") + " FETCH FIRST (SELECT " + rows + ") ROWS WITH TIES"
}

// scored ranks the rows of hits. It reads each by its place in the table, because the planner does not know that there are few.
func (b *Builder) scored(hits string) string {
	columns := strings.Join(b.frequencies(), ",\n    ")
	return fmt.Sprintf("SELECT *, %s AS score FROM (\n  SELECT first.*,\n    %s\n  FROM (%s) first CROSS JOIN LATERAL (SELECT * FROM %s t WHERE t.ctid = first.tid OFFSET 0) t%s\n  OFFSET 0) matched",
		b.score(), columns, hits, b.Table, b.lateral())
}
