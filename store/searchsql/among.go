package searchsql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// Among limits a search to some documents, by their numbers.
type Among struct {
	// Candidates are known to match. Others may match; only these are counted.
	Candidates, Others []int64
	// Likely says that the first candidates are likely to be on the page.
	Likely bool
}

// rows returns the condition on the rows of the table, including the restriction to some documents if there is one.
func (b *Builder) rows() string {
	m := b.among
	if m == nil {
		return b.Where()
	}
	candidates := "t._seq = ANY(" + b.Args.Add(m.Candidates, "bigint[]") + ")"
	if len(m.Others) == 0 {
		return candidates
	}
	return "t._seq = ANY(" + b.Args.Add(slices.Concat(m.Others, m.Candidates), "bigint[]") + ") AND (" + candidates + " OR (" + b.Where() + "))"
}

// SearchAmong returns the plain statement for some documents. Its hits come from all of them, its totals and facets from the others only. The column
// words of the totals has the number of others that match without the facets' own conditions. A facet has a row for each spelling of a value, with
// the value's key as its id.
func SearchAmong(sh table.Shape, p *service.Plan, r Ranking, m *Among) sqltext.Statement {
	b := &Builder{Shape: sh, Plan: p, Ranking: r, among: m, owned: ownedFacets(p), Prepared: true}
	var sql strings.Builder
	sql.WriteString("WITH found AS MATERIALIZED (\n" + b.found() + "\n),\n")
	// A document that satisfies all but one facet's own condition is counted in that facet, but is not a hit.
	hits := "found"
	if len(b.owned) > 0 {
		hits = "hits"
		sql.WriteString("hits AS (SELECT * FROM found WHERE " + b.ownExcept("") + "),\n")
	}
	sql.WriteString("others AS (SELECT * FROM " + hits + " WHERE other),\n")
	sql.WriteString("top AS (SELECT * FROM " + hits + b.After() + " " + b.orderBy("") + b.page() + ")\n")
	fmt.Fprintf(&sql, `SELECT %d AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT count(*) FROM found WHERE other)::text] AS words, NULL::jsonb AS more FROM others`, RowTotals)
	if p.Limit > 0 {
		fmt.Fprintf(&sql, "\nUNION ALL (SELECT %d, 0, 0, top.score, t._id, t._body, t._autocomplete, %s FROM top JOIN %s t ON t.ctid = top.tid %s)",
			RowHit, b.more(), b.Table, b.orderBy("top."))
	}
	if len(m.Others) > 0 {
		for i, name := range p.Facets {
			fmt.Fprintf(&sql, "\nUNION ALL SELECT %d, %d, count(*), 0, key::text, to_jsonb(value), NULL, NULL FROM (%s) elements GROUP BY key, value",
				RowFacet, i, b.facetElements(i, name, b.othersOf(name)))
		}
	}
	return sqltext.Statement{SQL: sql.String(), Args: b.Args.Values, Prepared: true}
}

// othersOf returns the other rows that a facet counts.
func (b *Builder) othersOf(name string) string {
	if len(b.owned) == 0 {
		return "others"
	}
	return "(SELECT * FROM found WHERE other AND " + b.ownExcept(name) + ") others"
}
