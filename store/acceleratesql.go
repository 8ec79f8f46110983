package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// among limits a search to some documents, by their numbers.
type among struct {
	// candidates are known to be found. Of the others it is yet to be seen; these are counted, too.
	candidates, others []int64
}

// rows is the condition on the rows of the table, limited to some documents where the search is.
func (b *searchBuilder) rows() string {
	m := b.among
	if m == nil {
		return b.where()
	}
	candidates := "t._seq = ANY(" + b.args.add(m.candidates, "bigint[]") + ")"
	if len(m.others) == 0 {
		return candidates
	}
	return "t._seq = ANY(" + b.args.add(slices.Concat(m.others, m.candidates), "bigint[]") + ") AND (" + candidates + " OR (" + b.where() + "))"
}

// amongSQL is the plain statement for some documents. Its hits are of all of them, its totals and facets of the
// others alone; words of the totals is how many of these there are without the own conditions of facets. A facet has a row for each spelling, with the key of the value as its id.
func (s shape) amongSQL(p *service.Plan, r ranking, m *among) statement {
	b := &searchBuilder{shape: s, plan: p, ranking: r, among: m, owned: ownedFacets(p), prepared: true}
	var sql strings.Builder
	sql.WriteString("WITH found AS MATERIALIZED (\n" + b.found() + "\n),\n")
	// What fulfils all but the condition of one facet is counted there, and is no hit.
	hits := "found"
	if len(b.owned) > 0 {
		hits = "hits"
		sql.WriteString("hits AS (SELECT * FROM found WHERE " + b.ownExcept("") + "),\n")
	}
	sql.WriteString("others AS (SELECT * FROM " + hits + " WHERE other),\n")
	sql.WriteString("top AS (SELECT * FROM " + hits + b.after() + " " + b.orderBy("") + b.page() + ")\n")
	fmt.Fprintf(&sql, `SELECT %d AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT count(*) FROM found WHERE other)::text] AS words, NULL::jsonb AS more FROM others`, rowTotals)
	if p.Limit > 0 {
		fmt.Fprintf(&sql, "\nUNION ALL (SELECT %d, 0, 0, top.score, t._id, t._body, t._autocomplete, %s FROM top JOIN %s t ON t.ctid = top.tid %s)",
			rowHit, b.more(), b.table, b.orderBy("top."))
	}
	if len(m.others) > 0 {
		for i, name := range p.Facets {
			fmt.Fprintf(&sql, "\nUNION ALL SELECT %d, %d, count(*), 0, key::text, value, NULL, NULL FROM (%s) elements GROUP BY key, value",
				rowFacet, i, b.facetElements(i, name, b.othersOf(name)))
		}
	}
	return statement{sql.String(), b.args.values, true}
}

// othersOf are the other rows that a facet counts.
func (b *searchBuilder) othersOf(name string) string {
	if len(b.owned) == 0 {
		return "others"
	}
	return "(SELECT * FROM found WHERE other AND " + b.ownExcept(name) + ") others"
}

// changedSQL finds the numbers of the documents that are not, or may not be, as their blocks have them: those in
// the log, and those of which a lexeme without postings decides something.
func (a *accelerated) changedSQL() statement {
	b := &searchBuilder{shape: a.sh, plan: a.plan, ranking: a.ranking, prepared: true}
	sql := "SELECT DISTINCT _seq FROM " + a.sh.touched()
	// Each term's rare lexemes are searched for with the other terms; so the index need not go through the common
	// lexemes of the same term, too.
	var ways []string
	with := func(rare []string, term int) {
		if len(rare) == 0 {
			return
		}
		parts := []string{"(" + strings.Join(rare, " | ") + ")"}
		for i, other := range a.terms {
			if i != term && other.required && !a.any() {
				parts = append(parts, "("+other.query+")")
			}
		}
		ways = append(ways, strings.Join(parts, " & "))
	}
	for i, term := range a.terms {
		with(term.rare, i)
	}
	with(a.rare, -1)
	if len(ways) > 0 {
		sql += " UNION SELECT _seq FROM " + a.sh.table + " t WHERE " + a.sh.allLexemes("t.") + " @@ " + b.tsquery("("+strings.Join(ways, ") | (")+")")
	}
	return statement{fmt.Sprintf("SELECT _seq FROM (%s) changed LIMIT %d", sql, a.limits.changed+1), b.args.values, true}
}

// firstSQL finds the first documents in the order of an index: by boost and id.
func (a *accelerated) firstSQL() statement {
	b := &searchBuilder{shape: a.sh, plan: a.plan, ranking: a.ranking}
	where := b.where()
	if after := b.after(); after != "" {
		where = "(" + where + ") AND (" + strings.TrimPrefix(after, " WHERE ") + ")"
	}
	return statement{fmt.Sprintf("SELECT _seq FROM %s t WHERE %s ORDER BY _boost DESC, _id LIMIT %d",
		a.sh.table, where, a.plan.Offset+a.plan.Limit), b.args.values, false}
}
