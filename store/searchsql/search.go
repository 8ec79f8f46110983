// Package searchsql writes the plan of a search as SQL: a statement for the whole search, for some documents, or for the vectors from which documents
// are ranked. It is pure: the same plan gives the same text and parameters. It does not run anything.
package searchsql

import (
	"fmt"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/tsquery"
)

// Ranking is what the score needs to know about an index.
type Ranking struct {
	// AverageLength is the mean number of lexemes of a document.
	AverageLength float64
}

// Search builds the whole search as one statement, so that hits, totals and facets are of one snapshot.
// The rows that it returns have the columns kind, place, n, score, id, body, words, more:
//
//	totals  n = found documents, place = those with all words, words = {version of the catalog}
//	hit     score, id, body, words = suggestions, more = {place in the order, frequencies}; in rank order
//	facet   place = number of the facet, n = documents, body = value
//	stats   place = number of the facet, n = values, more = [min, max, avg]
func Search(sh table.Shape, p *service.Plan, r Ranking) sqltext.Statement {
	// A filter may be rarer or more frequent than the words, so the best plan depends on both.
	b := &Builder{Shape: sh, Plan: p, Ranking: r, Prepared: p.Filter == nil && len(p.Own) == 0 && p.After == nil}
	sql := b.build()
	return sqltext.Statement{SQL: sql, Args: b.Args.Values, Prepared: b.Prepared}
}

// The kinds of rows, in the column kind.
const (
	// RowTotals is the row of the totals.
	RowTotals = iota
	// RowHit is the row of a hit.
	RowHit
	// RowFacet is the row of a value of a facet.
	RowFacet
	// RowStats is the row of the statistics of a facet.
	RowStats
)

// Builder builds a statement, or parts of one.
type Builder struct {
	table.Shape
	// Plan is the search, Ranking what its score needs to know.
	Plan    *service.Plan
	Ranking Ranking
	// Args are the parameters of what has been written so far.
	Args sqltext.Args
	// owned are the facets with a condition of their own, in order: found has a column own<i> for each.
	owned []string
	// among limits the search to some documents; nil: all.
	among *Among
	// ranks are the ranks of lexemes in fields that the statement computes for each row, each once; inline writes them out instead, for places that
	// cannot refer to these rows.
	ranks  []lexemeRank
	inline bool
	// named are the measured titles of which the statement determines, for each row, whether the query names them.
	named []service.Field
	// Prepared statements contain no number of a particular search except the number of hits on a page, and hide tsqueries from the planner, which would
	// otherwise prefer a plan for this search over the generic one.
	Prepared bool
	// pairs are the neighbours, nil until they are first needed.
	pairs map[mapping.Analysis][]service.Alternative
}

// number writes a number of this search as a parameter.
func (b *Builder) number(n float64) string { return b.Args.Add(n, "float8") }

// TSQuery writes the query that the rows of the table are searched for.
func (b *Builder) TSQuery(q string) string {
	if b.Prepared {
		return "(SELECT " + b.Args.Add(q, "tsquery") + ")"
	}
	return b.Args.Add(q, "tsquery")
}

func (b *Builder) build() string {
	p := b.Plan
	b.owned = ownedFacets(p)
	var sql strings.Builder
	sql.WriteString("WITH found AS MATERIALIZED (\n" + b.found() + "\n),\n")
	hits := "SELECT * FROM found"
	if len(b.owned) > 0 {
		hits += " WHERE " + b.ownExcept("")
	}
	sql.WriteString("hits AS (" + hits + "),\n")
	if b.ranksLate() {
		sql.WriteString("top AS (" + b.topRankedLate() + ")\n")
	} else {
		sql.WriteString("top AS (SELECT * FROM hits" + b.After() + " " + b.orderBy("") + b.page() + ")\n")
	}
	fmt.Fprintf(&sql, `SELECT %d AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = %s)] AS words, NULL::jsonb AS more FROM hits`,
		RowTotals, b.Args.Add(p.Index.Application, "text"))
	if p.Limit > 0 {
		fmt.Fprintf(&sql, "\nUNION ALL (SELECT %d, 0, 0, top.score, t._id, t._body, t._autocomplete, %s FROM top JOIN %s t ON t.ctid = top.tid %s)",
			RowHit, b.more(), b.Table, b.orderBy("top."))
	}
	for i, name := range p.Facets {
		sql.WriteString("\nUNION ALL " + b.facet(i, name))
	}
	return sql.String()
}

// page returns the clauses that select the page. The planner must see that the hits are few, or it would join them with the whole table.
func (b *Builder) page() string {
	return fmt.Sprintf(" LIMIT %d OFFSET (SELECT %s)", b.Plan.Limit, b.Args.Add(b.Plan.Offset, "bigint"))
}

// ownedFacets returns the facets with a condition of their own.
func ownedFacets(p *service.Plan) []string {
	var list []string
	for _, name := range p.Facets {
		if _, ok := p.Own[name]; ok {
			list = append(list, name)
		}
	}
	return list
}

// found selects the matching rows with everything that ranking, sorting and facets need. The inner query computes the frequencies once; OFFSET 0
// keeps the planner from copying their expressions into each use.
func (b *Builder) found() string {
	p := b.Plan
	inner := []string{"t.ctid AS tid", "t._id", "t._boost"}
	if b.among != nil {
		inner = append(inner, "t._seq = ANY("+b.Args.Add(b.among.Others, "bigint[]")+") AS other")
	}
	for i, k := range p.Sort {
		inner = append(inner, b.sortColumns(i, k)...)
	}
	for i, name := range p.Facets {
		inner = append(inner, b.facetColumns(i, name)...)
	}
	for i, name := range b.owned {
		inner = append(inner, fmt.Sprintf("(%s) IS TRUE AS own%d", condition(b.Shape, p.Own[name], &b.Args), i))
	}
	if b.ranksLate() {
		return "SELECT " + strings.Join(inner, ",\n    ") + ", true AS every\n  FROM " + b.Table + " t\n  WHERE " + b.rows()
	}
	inner = append(inner, b.frequencies()...)
	outer := "SELECT *, " + b.score() + " AS score, " + b.every() + " AS every FROM (\n  SELECT " + strings.Join(inner, ",\n    ") +
		"\n  FROM " + b.Table + " t" + b.lateral() + "\n  WHERE " + b.rows() + "\n  OFFSET 0) matched"
	if threshold := b.threshold(); threshold != "" {
		outer += " WHERE " + threshold
	}
	return outer
}

// frequencies returns the columns that the score is computed from.
func (b *Builder) frequencies() (columns []string) {
	p := b.Plan
	for i, t := range p.Terms {
		for g, of := range Shares(t) {
			inBody, inTitles := b.frequencyColumns(i, g, t, of)
			body, titles := b.frequency(t, of)
			if inBody != "" {
				columns = append(columns, body+" AS "+inBody)
			}
			if inTitles != "" {
				columns = append(columns, titles+" AS "+inTitles)
			}
		}
		if b.HasBonus(t) {
			columns = append(columns, fmt.Sprintf("%s AS bonus%d", b.bonus(t), i))
		}
	}
	if len(p.Terms) > 0 {
		columns = append(columns, b.saturation()+" AS k")
	}
	if near := b.adjacent(); near != "" {
		columns = append(columns, near+" AS near")
	}
	return columns
}

// Where returns the condition on the rows of the table.
func (b *Builder) Where() string {
	if b.Plan.Nothing {
		return "false"
	}
	var conditions []string
	if c := b.indexed(); c != "" {
		conditions = append(conditions, c)
	}
	return allOf(append(conditions, b.checked()...))
}

// allOf joins conditions with AND.
func allOf(conditions []string) string {
	if len(conditions) == 0 {
		return "true"
	}
	return strings.Join(conditions, "\n    AND ")
}

// indexed returns the condition that the index on lexemes answers; "" if there is none.
func (b *Builder) indexed() string {
	p := b.Plan
	operator := " & "
	if p.Match == service.MatchAny {
		operator = " | "
	}
	var parts, others []string
	light := p.Light()
	for i, t := range p.Terms {
		if t.Optional && p.Match != service.MatchAny || b.looksAt(t) {
			continue
		}
		switch q := tsquery.InIndex(t, p.Fields, nil); {
		case q == "":
		case light[i]:
			others = append(others, "("+q+")")
		default:
			parts = append(parts, "("+q+")")
		}
	}
	if len(parts) == 0 {
		parts = others // no field knows the other terms
	}
	if len(parts) == 0 {
		return ""
	}
	return b.AllLexemes("t.") + " @@ " + b.TSQuery(strings.Join(parts, operator))
}

// checked returns the remaining conditions: phrases, fields, excluded terms, and the filter.
func (b *Builder) checked() (conditions []string) {
	p := b.Plan
	if p.Match != service.MatchAny {
		for _, t := range p.Terms {
			if b.looksAt(t) {
				conditions = append(conditions, b.inRow(t))
			}
			if !t.Optional && tsquery.ByField(t, p) {
				conditions = append(conditions, b.inFields(t))
			}
		}
	}
	var excluded []string // terms that lexemes alone decide, in one condition
	for _, t := range p.Excluded {
		switch q := tsquery.InIndex(t, p.Fields, nil); {
		case q == "":
		case tsquery.ByFieldAlone(t, p):
			conditions = append(conditions, "NOT "+b.inFields(t))
		default:
			excluded = append(excluded, q)
		}
	}
	if len(excluded) > 0 {
		conditions = append(conditions, "NOT "+b.inVectors(strings.Join(excluded, " | ")))
	}
	if p.Filter != nil {
		if c := condition(b.Shape, p.Filter, &b.Args); c != "true" {
			conditions = append(conditions, c)
		}
	}
	return conditions
}

// inFields returns the condition that a term, which may be a phrase, is in one of the searched fields.
func (b *Builder) inFields(t service.Term) string {
	var tests []string
	for _, f := range b.Plan.Fields {
		if list := t.Alternatives[f.Analysis]; len(list) > 0 {
			tests = append(tests, b.Vector(f)+" @@ "+b.Args.Add(tsquery.Any(list, true), "tsquery"))
		}
	}
	if len(tests) == 0 {
		return "false"
	}
	return "(" + strings.Join(tests, " OR ") + ")"
}

// Vector returns the column with the lexemes of a searched field.
func (b *Builder) Vector(f service.Field) string {
	if f.Name == "" {
		return "t." + sqltext.Quote(table.RestColumn)
	}
	column, ok := b.Field(f.Name)
	if !ok {
		panic("searchsql: searched field without a column: " + f.Name)
	}
	return "t." + column.TSV()
}

// more returns what else a hit carries: its place in the order, for the cursor, and frequencies, for the explanation.
func (b *Builder) more() string {
	keys := b.Order()
	place := make([]string, len(keys))
	for i, k := range keys {
		place[i] = "top." + k.Column + "::text"
	}
	members := "'place', jsonb_build_array(" + strings.Join(place, ", ") + ")"
	if b.Plan.Explain {
		members += ", 'boost', top._boost, 'words', " + b.explanation()
		if len(b.Neighbours()) > 0 {
			members += ", 'adjacent', top.near"
		}
	}
	return "jsonb_build_object(" + members + ")"
}

func (b *Builder) explanation() string {
	b.inline = true
	defer func() { b.inline = false }()
	words := make([]string, len(b.Plan.Terms))
	for i, t := range b.Plan.Terms {
		fields := make([]string, len(b.Plan.Fields))
		for j, f := range b.Plan.Fields {
			var groups []string
			for _, of := range Shares(t) {
				if one := b.alternatives(f, t, of); one != "" {
					groups = append(groups, one)
				}
			}
			fields[j] = "0"
			if len(groups) > 0 {
				fields[j] = "greatest(" + strings.Join(groups, ", ") + ")"
			}
		}
		bonus := "0"
		if b.HasBonus(t) {
			bonus = fmt.Sprintf("top.bonus%d", i)
		}
		words[i] = fmt.Sprintf("jsonb_build_object('fields', to_jsonb(ARRAY[%s]::float8[]), 'saturated', %s, 'bonus', %s)",
			strings.Join(fields, ", "), b.saturated("top.", i, t), bonus)
	}
	return "jsonb_build_array(" + strings.Join(words, ", ") + ")"
}

// ownExcept returns the condition that the own conditions of all facets but one hold.
func (b *Builder) ownExcept(name string) string {
	var tests []string
	for i, n := range b.owned {
		if n != name {
			tests = append(tests, fmt.Sprintf("own%d", i))
		}
	}
	if len(tests) == 0 {
		return "true"
	}
	return strings.Join(tests, " AND ")
}
