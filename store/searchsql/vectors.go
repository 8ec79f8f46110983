package searchsql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// Vectors selects documents with their vectors, their place according to the order's keys before the score, and those keys. The documents are those
// of m or, if m is nil, the first few that match; the latter come with the values that facets count. For documents that are likely to be on the page,
// it also selects what the page shows: for all if they fit on it or nearly do, otherwise for the first candidates.
func Vectors(sh table.Shape, p *service.Plan, m *Among, few int) sqltext.Statement {
	b := &Builder{Shape: sh, Plan: p, among: m, Prepared: p.Filter == nil || m == nil || len(m.Others) == 0}
	columns, rows := b.vectorRows(few)
	vectors := "SELECT " + strings.Join(columns, ", ")
	shown := func(condition, rows string) sqltext.Statement {
		return sqltext.Statement{SQL: vectors + ", CASE WHEN " + condition + " THEN t._body END, CASE WHEN " + condition + " THEN t._autocomplete END" + rows, Args: b.Args.Values, Prepared: b.Prepared}
	}
	likelyShown := p.Limit + min(p.Limit/2, moreShown)
	switch {
	case p.Offset > 0 || p.After != nil || p.Limit == 0 || few > FewDocuments+1 || m != nil && !m.Likely && len(m.Candidates)+len(m.Others) > p.Limit:
		return sqltext.Statement{SQL: vectors + ", NULL::jsonb, NULL::text[]" + rows, Args: b.Args.Values, Prepared: b.Prepared}
	case m != nil && len(m.Candidates)+len(m.Others) <= likelyShown:
		return sqltext.Statement{SQL: vectors + ", t._body, t._autocomplete" + rows, Args: b.Args.Values, Prepared: b.Prepared}
	case m != nil:
		// For phrases and for prefixes of many words, bounds are close to scores, but in a slightly different order.
		first := m.Candidates[:min(len(m.Candidates), likelyShown)]
		return shown("t._seq = ANY("+b.Args.Add(first, "bigint[]")+")", rows)
	}
	return shown(fmt.Sprintf("count(*) OVER () <= CASE WHEN pg_column_size(t._body) <= %d THEN %d ELSE %d END", smallBody, p.Limit+mostShown, p.Limit),
		" FROM (SELECT *"+rows+") t")
}

// vectorRows returns the columns needed to rank the documents, and the clauses that select them.
func (b *Builder) vectorRows(few int) (columns []string, rows string) {
	p, m := b.Plan, b.among
	rows = " FROM " + b.Table + " t WHERE "
	if m == nil && p.Filter != nil {
		// The filter is applied to the few documents that the words find, so it does not affect the plan.
		rows = " FROM (SELECT *" + rows + b.indexed() + " OFFSET 0) t WHERE " + allOf(b.checked())
	} else {
		rows += b.rows()
	}
	columns = []string{"t._seq", "t._id", "t._boost"}
	for _, f := range p.Fields {
		columns = append(columns, b.Vector(f))
	}
	if few > 0 {
		rows += fmt.Sprintf(" LIMIT %d", few)
	}
	if m == nil {
		for _, f := range FacetFields(b.Shape, p) {
			columns = append(columns, f.ValueColumns()...)
		}
	}
	// The ranker determines whether a document has all words.
	keys := slices.DeleteFunc(b.keysBeforeScore(), func(k OrderKey) bool { return k.Column == "every" })
	if len(keys) == 0 {
		return columns, rows
	}
	var sorts []string
	for i, k := range p.Sort {
		sorts = append(sorts, b.sortColumns(i, k)...)
	}
	columns = append(columns, "dense_rank() OVER ("+orderedBy(keys, "t.")+")")
	for _, k := range keys {
		columns = append(columns, "t."+k.Column+"::text")
	}
	return columns, " FROM (SELECT t.*, " + strings.Join(sorts, ", ") + rows + ") t"
}

const (
	// moreShown is the number of candidates beyond the page whose bodies are read with their vectors.
	moreShown = 5
	// mostShown is the number of documents beyond the page up to which all bodies are read with the vectors, provided that they are stored in at most
	// smallBody bytes. Reading the page's bodies separately takes as long as reading these.
	mostShown, smallBody = 10, 8192
)

// FacetFields returns the fields of a plan's facets.
func FacetFields(sh table.Shape, p *service.Plan) (list []table.Field) {
	for _, name := range p.Facets {
		f, _ := sh.Field(name)
		list = append(list, f)
	}
	return list
}

// FewDocuments is the maximum number of documents that are fetched and counted one by one to be ranked from their vectors.
const FewDocuments = 500
