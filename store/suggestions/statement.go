package suggestions

import (
	"fmt"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// fewSuggestions is the number of suggestions with a prefix up to which all are sorted; if there are more, the most frequent are looked up.
const fewSuggestions = 100

// Statement selects the best suggestions that each of the ways finds, up to limit for each. Its rows have the index of the way, the key, the value,
// the number of documents, and how many suggestions the way's prefix finds: see IsMany.
func Statement(r table.Relations, ways []Way, limit int) sqltext.Statement {
	var a sqltext.Args
	var statements []string
	for i, way := range ways {
		statements = append(statements, way.sql(&a, r.Suggestions(), i, ways[0].Prefix, limit))
	}
	return sqltext.Statement{SQL: strings.Join(statements, "\nUNION ALL "), Args: a.Values}
}

// IsMany reports whether a prefix finds so many that others may be the best: those of MostStatement.
func IsMany(found int) bool { return found > fewSuggestions }

// sql selects the best of the suggestions that the way finds, as group i, and the number of those with its prefix. Words are not searched if enough
// suggestions begin with whole, except in the suggestions in the most documents.
func (w Way) sql(a *sqltext.Args, suggestions string, i int, whole string, limit int) string {
	if w.Prefix != "" {
		return fmt.Sprintf(`(WITH few AS MATERIALIZED (SELECT key, value, documents FROM %s WHERE %s ORDER BY key LIMIT %d)
  SELECT %d, key, value, documents, (SELECT count(*)::int FROM few) FROM few ORDER BY documents DESC, key LIMIT %d)`,
			suggestions, between(a, w.Prefix), fewSuggestions+1, i, limit)
	}
	found := fmt.Sprintf(`SELECT key, value, documents FROM %[1]s WHERE (SELECT count(*) FROM (SELECT FROM %[1]s WHERE %[2]s LIMIT %[3]d) begun) < %[3]d AND %[4]s @@ (SELECT %[5]s) LIMIT %[6]d`,
		suggestions, between(a, whole), w.enough(limit), table.SuggestionLexemes, a.Add(w.tsquery(), "tsquery"), w.mostHaving())
	if w.narrow {
		// The letters may be anywhere in the key; which suggestions have them at the beginning of a word is decided later.
		found, limit = fmt.Sprintf(`SELECT * FROM (%s) AS with_words WHERE strpos(key, (SELECT %s)) > 0 LIMIT %d`, found, a.Add(w.lettersOfLast(), "text"), fewInside), fewInside
	}
	sql := fmt.Sprintf(`(WITH few AS MATERIALIZED (%s)
  SELECT %d, key, value, documents, 0 FROM few ORDER BY documents DESC, key LIMIT %d)`, found, i, limit)
	if w.several() {
		return sql
	}
	// The index on numbers of documents has the keys, too, so this reads few pages.
	return sql + fmt.Sprintf(`
UNION ALL (SELECT %[2]d, s.key, s.value, s.documents, 0
  FROM (SELECT key FROM %[1]s WHERE documents > %[3]d ORDER BY documents DESC, key LIMIT %[4]d) AS frequent JOIN %[1]s AS s ON s.key = frequent.key
  WHERE strpos(frequent.key, (SELECT %[5]s)) > 0)`, suggestions, i, begunCounts, mostFrequent, a.Add(w.longest(), "text"))
}

// manyDocuments is the number of documents from which suggestions are read one by one, in the order of that number: there is at most one of them for
// every 64 documents.
const manyDocuments = 64

// MostStatement selects the suggestions with a prefix that are in the most documents, and maybe more, if there are very many: the key, the value and
// the number of documents. Those of many documents are read until there are enough. Below, there are few distinct numbers of documents, each with
// many suggestions: the prefix is looked up within each number, from the largest.
func MostStatement(r table.Relations, prefix string, limit int) sqltext.Statement {
	var a sqltext.Args
	condition := between(&a, prefix)
	return sqltext.Statement{SQL: fmt.Sprintf(`
WITH RECURSIVE number(n) AS (
  (SELECT documents FROM %[1]s WHERE documents < %[4]d ORDER BY documents DESC LIMIT 1)
  UNION ALL
  SELECT (SELECT documents FROM %[1]s WHERE documents < n ORDER BY documents DESC LIMIT 1) FROM number WHERE n IS NOT NULL)
(SELECT key, value, documents FROM %[1]s WHERE documents >= %[4]d AND %[2]s ORDER BY documents DESC, key LIMIT %[3]d)
UNION ALL
(SELECT x.key, x.value, x.documents FROM number CROSS JOIN LATERAL (
  SELECT key, value, documents FROM %[1]s WHERE documents = n AND %[2]s ORDER BY key LIMIT %[3]d) AS x LIMIT %[3]d)`,
		r.Suggestions(), condition, limit, manyDocuments), Args: a.Values}
}

// between returns the condition that a key begins with prefix. A space at the end of a prefix ends a word, which may be the last of the key: one
// range covers both, because no character of a key sorts before the space. The planner does not see the prefix, so that one plan serves all: planning
// would take longer than execution.
func between(a *sqltext.Args, prefix string) string {
	least := ">"
	from, before := analysis.BegunRange(prefix)
	if from == prefix {
		least, from = ">=", strings.TrimRight(prefix, " ")
	}
	return fmt.Sprintf("key %s (SELECT %s) AND key < (SELECT %s)", least, a.Add(from, "text"), a.Add(before, "text"))
}
