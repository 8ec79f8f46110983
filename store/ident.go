package store

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
)

// maxIdent is the length in bytes at which PostgreSQL cuts identifiers (NAMEDATALEN - 1).
const maxIdent = 63

// fit returns base+suffix, with base cut and a hash of it put in its place where that would be too long.
func fit(base, suffix string) string {
	if len(base)+len(suffix) <= maxIdent {
		return base + suffix
	}
	sum := sha256.Sum256([]byte(base))
	keep := maxIdent - len(suffix) - 9
	for !utf8.RuneStart(base[keep]) {
		keep--
	}
	return base[:keep] + "_" + hex.EncodeToString(sum[:4]) + suffix
}

// leastCut is how many bytes two names of indices have, at the least, of which one is cut to what the other is: with the longest suffix
// of a table they have maxIdent.
const leastCut = maxIdent - len("_nextpostings")

// cutAlike tells that tables of two indices would have one name, because that of one is cut.
func cutAlike(index, other string) bool {
	return slices.ContainsFunc(append([]string{"_seq", "_next"}, derivedTables...), func(suffix string) bool { return fit(index, suffix) == fit(other, suffix) })
}

// schemaOf names the schema of an application's indices. derivedSchemaOf names that of what is made from
// them. Application ids have no underscore, so no two of these names are equal.
func schemaOf(application string) string        { return "app_" + application }
func derivedSchemaOf(application string) string { return "app_" + application + "_derived" }

// The suffixes of a field's columns.
const (
	keySuffix  = "_key"  // what text compares by
	allSuffix  = "_all"  // all values, where there are several
	keysSuffix = "_keys" // what all values compare by, where there are several
	tsvSuffix  = "_tsv"  // lexemes
)

var suffixes = []string{"", keySuffix, allSuffix, keysSuffix, tsvSuffix}

// systemColumns are names that PostgreSQL gives to columns of its own.
var systemColumns = map[string]bool{"ctid": true, "tableoid": true, "xmin": true, "xmax": true, "cmin": true, "cmax": true}

// columnNames derives a column name for each mapping: the mapping's own name where PostgreSQL can take it and
// no other mapping's columns are called so. The catalog keeps the result, so the rule may change.
func columnNames(mappings []mapping.Mapping) []string {
	taken := map[string]bool{}
	free := func(base string) bool {
		if systemColumns[base] {
			return false
		}
		for _, s := range suffixes {
			if taken[base+s] {
				return false
			}
		}
		return true
	}
	names := make([]string, len(mappings))
	for i, m := range mappings {
		base := fit(m.Name, keysSuffix)
		base = base[:len(base)-len(keysSuffix)]
		name := base
		for n := 2; !free(name); n++ {
			suffix := "_" + strconv.Itoa(n)
			name = fit(m.Name, suffix+keysSuffix)
			name = name[:len(name)-len(keysSuffix)]
		}
		for _, s := range suffixes {
			taken[name+s] = true
		}
		names[i] = name
	}
	return names
}

// relations are the quoted names of what belongs to one index.
type relations struct {
	schema, derived string
	name            string
	table           string // documents
	sequence        string // numbers of documents
	changes         string // log of changed numbers
	rebuildLog      string // log of changed ids while the table is being rebuilt
	next            string // table being built
	set             postingsSet
}

func relationsOf(application, index string) relations {
	r := relations{schema: schemaOf(application), derived: derivedSchemaOf(application), name: index}
	in := func(schema, name string) string { return sqltext.Quote(schema) + "." + sqltext.Quote(name) }
	r.table = in(r.schema, index)
	r.sequence = in(r.derived, fit(index, "_seq"))
	r.changes = in(r.derived, fit(index, "_changes"))
	r.rebuildLog = in(r.derived, fit(index, "_rebuild"))
	r.next = in(r.derived, fit(index, "_next"))
	return r
}

// indexName names a PostgreSQL index of a table. The dot keeps it from the names of tables, which have none.
func indexName(table, column string) string { return fit(table+"."+column, "") }
