package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// among limits a search to some documents, by their numbers.
type among struct {
	// candidates are known to be found. Of the others it is yet to be seen; these are counted, too.
	candidates, others []int64
	// likely tells that the first candidates are likely to be on the page.
	likely bool
}

// rows is the condition on the rows of the table, limited to some documents where the search is.
func (b *searchBuilder) rows() string {
	m := b.among
	if m == nil {
		return b.where()
	}
	candidates := "t._seq = ANY(" + b.args.Add(m.candidates, "bigint[]") + ")"
	if len(m.others) == 0 {
		return candidates
	}
	return "t._seq = ANY(" + b.args.Add(slices.Concat(m.others, m.candidates), "bigint[]") + ") AND (" + candidates + " OR (" + b.where() + "))"
}

// amongSQL is the plain statement for some documents. Its hits are of all of them, its totals and facets of the others alone. The
// column words of the totals is how many others there are without the own conditions of facets. A facet has a row for each
// spelling of a value, with the value's key as its id.
func amongSQL(sh table.Shape, p *service.Plan, r ranking, m *among) statement {
	b := &searchBuilder{Shape: sh, plan: p, ranking: r, among: m, owned: ownedFacets(p), prepared: true}
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
			rowHit, b.more(), b.Table, b.orderBy("top."))
	}
	if len(m.others) > 0 {
		for i, name := range p.Facets {
			fmt.Fprintf(&sql, "\nUNION ALL SELECT %d, %d, count(*), 0, key::text, to_jsonb(value), NULL, NULL FROM (%s) elements GROUP BY key, value",
				rowFacet, i, b.facetElements(i, name, b.othersOf(name)))
		}
	}
	return statement{sql.String(), b.args.Values, true}
}

// othersOf are the other rows that a facet counts.
func (b *searchBuilder) othersOf(name string) string {
	if len(b.owned) == 0 {
		return "others"
	}
	return "(SELECT * FROM found WHERE other AND " + b.ownExcept(name) + ") others"
}

// changedSQL finds the numbers of the documents that are not, or may not be, as their blocks have them: those in
// the log, those of which a lexeme without postings decides something, and those whose ids do.
//
// Each word of a query may be a whole value (math), and hardly one is. To ask for each with all the other words takes the
// index a hundred times as long as to see that it has none of them; so that is asked first.
func (a *accelerated) changedSQL() statement {
	b := &searchBuilder{Shape: a.sh, plan: a.plan, ranking: a.ranking, prepared: true}
	sql := loggedSQL(a.sh.Relations)
	w := &rareWays{search: a}
	for i, term := range a.terms {
		w.add(term.rare, i)
	}
	w.add(a.rare, -1)
	if len(w.all) > 0 {
		query := b.tsquery(anyWay(w.all))
		if len(w.wholes) > 0 {
			bare := "NULL"
			if len(w.bare) > 0 {
				bare = b.args.Add(anyWay(w.bare), "tsquery")
			}
			slices.Sort(w.wholes)
			// The planner does not see that one is enough, or it might hope to meet one soon, anywhere in the table.
			query = "(SELECT CASE WHEN (SELECT count(*) FROM (SELECT FROM " + a.sh.Table + " v WHERE " + a.sh.AllLexemes("v.") + " @@ " +
				b.tsquery(strings.Join(slices.Compact(w.wholes), " | ")) + " LIMIT (SELECT 1)) first) > 0 THEN " + query + " ELSE " + bare + " END)"
		}
		sql += " UNION SELECT _seq, NULL FROM " + a.sh.Table + " t WHERE " + a.sh.AllLexemes("t.") + " @@ " + query
	}
	if len(a.ids) > 0 {
		sql += " UNION SELECT _seq, NULL FROM " + a.sh.Table + " t WHERE t._id = ANY(" + b.args.Add(a.ids, "text[]") + ")"
	}
	// What is logged and has such a lexeme is there twice. The limit is another one for each search: in the text it would have each
	// prepare a statement of its own, in the place of one that is needed again.
	return statement{"SELECT _seq, writers FROM (" + sql + ") changed LIMIT (SELECT " + b.args.Add(2*a.mostLogged+1, "bigint") + ")", b.args.Values, true}
}

// rareWays are the tsqueries of what has one of the rare lexemes of a term and the other terms: all of them, and those that
// are left where no document has one of the whole values.
type rareWays struct {
	search            *accelerated
	all, bare, wholes []string
}

// add adds those of a term, by its place; -1 is none of them. Each term's rare lexemes are searched for with the other
// terms; so the index need not go through the common lexemes of the same term, too.
func (w *rareWays) add(rare []rareLexeme, term int) {
	var all, bare []string
	for _, l := range rare {
		all = append(all, l.query)
		if l.whole {
			w.wholes = append(w.wholes, l.query)
		} else {
			bare = append(bare, l.query)
		}
	}
	if len(all) == 0 {
		return
	}
	all, bare = []string{"(" + strings.Join(all, " | ") + ")"}, []string{"(" + strings.Join(bare, " | ") + ")"}
	possible := bare[0] != "()"
	for i, other := range w.search.terms {
		if i != term && other.required && !w.search.any() {
			all, bare = append(all, "("+other.query+")"), append(bare, "("+other.bare+")")
			possible = possible && other.bare != ""
		}
	}
	w.all = append(w.all, strings.Join(all, " & "))
	if possible {
		w.bare = append(w.bare, strings.Join(bare, " & "))
	}
}

func anyWay(ways []string) string { return "(" + strings.Join(ways, ") | (") + ")" }

// firstSQL finds the first documents in the order of an index: by boost and id.
func (a *accelerated) firstSQL() statement {
	b := &searchBuilder{Shape: a.sh, plan: a.plan, ranking: a.ranking}
	where := b.where()
	if after := b.after(); after != "" {
		where = "(" + where + ") AND (" + strings.TrimPrefix(after, " WHERE ") + ")"
	}
	return statement{fmt.Sprintf("SELECT _seq FROM %s t WHERE %s ORDER BY _boost DESC, _id LIMIT %d",
		a.sh.Table, where, a.plan.Offset+a.plan.Limit), b.args.Values, false}
}
