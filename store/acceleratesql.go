package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/sqltext"
)

// changedSQL finds the numbers of the documents that are not, or may not be, as their blocks have them: those in the log, and those for which a
// lexeme without postings or an id decides something.
//
// Each word of a query may be a whole value (math), but hardly any is. Searching for each with all the other words takes the index a hundred times as
// long as finding that no document has one of them; so that is checked first.
func (a *accelerated) changedSQL() sqltext.Statement {
	b := &searchsql.Builder{Shape: a.sh, Plan: a.plan, Ranking: a.ranking, Prepared: true}
	sql := loggedSQL(a.sh.Relations)
	w := &rareWays{search: a}
	for i, term := range a.terms {
		w.add(term.rare, i)
	}
	w.add(a.rare, -1)
	if len(w.all) > 0 {
		query := b.TSQuery(anyWay(w.all))
		if len(w.wholes) > 0 {
			bare := "NULL"
			if len(w.bare) > 0 {
				bare = b.Args.Add(anyWay(w.bare), "tsquery")
			}
			slices.Sort(w.wholes)
			// count(*) hides from the planner that one row is enough: it might otherwise hope to find one soon by scanning the table.
			query = "(SELECT CASE WHEN (SELECT count(*) FROM (SELECT FROM " + a.sh.Table + " v WHERE " + a.sh.AllLexemes("v.") + " @@ " +
				b.TSQuery(strings.Join(slices.Compact(w.wholes), " | ")) + " LIMIT (SELECT 1)) first) > 0 THEN " + query + " ELSE " + bare + " END)"
		}
		sql += " UNION SELECT _seq, NULL FROM " + a.sh.Table + " t WHERE " + a.sh.AllLexemes("t.") + " @@ " + query
	}
	if len(a.ids) > 0 {
		sql += " UNION SELECT _seq, NULL FROM " + a.sh.Table + " t WHERE t._id = ANY(" + b.Args.Add(a.ids, "text[]") + ")"
	}
	// Logged documents with such a lexeme occur twice. The limit differs from search to search: in the text, it would make each search prepare a
	// statement of its own and evict one that is needed again.
	return sqltext.Statement{SQL: "SELECT _seq, writers FROM (" + sql + ") changed LIMIT (SELECT " + b.Args.Add(2*a.mostLogged+1, "bigint") + ")", Args: b.Args.Values, Prepared: true}
}

// rareWays are the tsqueries for documents that have one of the rare lexemes of a term and all other terms: all of them, and those that remain if no
// document has any of the whole values (bare).
type rareWays struct {
	search            *accelerated
	all, bare, wholes []string
}

// add adds the rare lexemes of a term, given by its index, or of none with -1. They are searched for together with the other terms only, so that the
// index need not go through the common lexemes of the same term, too.
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

// firstSQL finds the first documents by boost and id, in the order of an index.
func (a *accelerated) firstSQL() sqltext.Statement {
	b := &searchsql.Builder{Shape: a.sh, Plan: a.plan, Ranking: a.ranking}
	where := b.Where()
	if after := b.After(); after != "" {
		where = "(" + where + ") AND (" + strings.TrimPrefix(after, " WHERE ") + ")"
	}
	return sqltext.Statement{SQL: fmt.Sprintf("SELECT _seq FROM %s t WHERE %s ORDER BY _boost DESC, _id LIMIT %d",
		a.sh.Table, where, a.plan.Offset+a.plan.Limit), Args: b.Args.Values}
}
