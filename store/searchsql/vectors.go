package searchsql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// Vectors selects documents with their vectors, with the place of each by the keys of the order that come before the score, and
// those keys. These are the documents of m or, where m is nil, the first few that are found; the latter come with what the facets
// count. Of documents that are likely to be on the page it also selects what the page shows: of all where they fit or hardly more are
// found than do, else of the first candidates.
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
		// Of phrases, and of what many words begin with, bounds are close to scores, but not in the same order.
		first := m.Candidates[:min(len(m.Candidates), likelyShown)]
		return shown("t._seq = ANY("+b.Args.Add(first, "bigint[]")+")", rows)
	}
	return shown(fmt.Sprintf("count(*) OVER () <= CASE WHEN pg_column_size(t._body) <= %d THEN %d ELSE %d END", smallBody, p.Limit+mostShown, p.Limit),
		" FROM (SELECT *"+rows+") t")
}

// vectorRows are what is ranked of the documents, and where it comes from.
func (b *Builder) vectorRows(few int) (columns []string, rows string) {
	p, m := b.Plan, b.among
	rows = " FROM " + b.Table + " t WHERE "
	if m == nil && p.Filter != nil {
		// A filter is asked of the few that the words find: what it is makes no difference to the plan then.
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
	// Whether a document has all words is told by whoever ranks it.
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
	// moreShown is how many more candidates than fit on the page have their bodies read with their vectors.
	moreShown = 5
	// mostShown is how many more documents than fit on the page may be found for all of them to have their bodies read with
	// their vectors, if they are small as they are stored, in bytes. To read the bodies of the page for themselves takes as
	// long as these.
	mostShown, smallBody = 10, 8192
)

// FacetFields are the fields of a plan's facets.
func FacetFields(sh table.Shape, p *service.Plan) (list []table.Field) {
	for _, name := range p.Facets {
		f, _ := sh.Field(name)
		list = append(list, f)
	}
	return list
}

// FewDocuments is how many documents are fetched at most, and counted one by one, to be ranked from their vectors.
const FewDocuments = 500
