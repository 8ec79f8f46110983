// Package table is an index as PostgreSQL has it: the names and columns of its tables, and the DDL that makes and removes them. It runs
// nothing.
package table

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

// Fit returns base+suffix, with base cut and a hash of it put in its place where that would be too long.
func Fit(base, suffix string) string {
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

// LeastCut is how many bytes two names of indices have, at the least, of which one is cut to what the other is: with the longest suffix
// of a table they have maxIdent.
const LeastCut = maxIdent - len("_nextpostings")

// CutAlike tells that tables of two indices would have one name, because that of one is cut.
func CutAlike(index, other string) bool {
	return slices.ContainsFunc(append([]string{"_seq", "_next"}, derivedTables...), func(suffix string) bool { return Fit(index, suffix) == Fit(other, suffix) })
}

// SchemaOf names the schema of an application's indices. Application ids have no underscore, so it is not the DerivedSchemaOf another one.
func SchemaOf(application string) string { return "app_" + application }

// DerivedSchemaOf names the schema of what is made from them.
func DerivedSchemaOf(application string) string { return "app_" + application + "_derived" }

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
		base := Fit(m.Name, keysSuffix)
		base = base[:len(base)-len(keysSuffix)]
		name := base
		for n := 2; !free(name); n++ {
			suffix := "_" + strconv.Itoa(n)
			name = Fit(m.Name, suffix+keysSuffix)
			name = name[:len(name)-len(keysSuffix)]
		}
		for _, s := range suffixes {
			taken[name+s] = true
		}
		names[i] = name
	}
	return names
}

// Relations are the quoted names of what belongs to one index.
type Relations struct {
	Schema, Derived string
	Name            string
	Table           string      // documents
	Sequence        string      // numbers of documents
	Changes         string      // log of changed numbers
	RebuildLog      string      // log of changed ids while the table is being rebuilt
	Next            string      // table being built
	Set             PostingsSet // that the names of the tables of postings are of
}

// RelationsOf are those of an index, with the tables of postings that are in use.
func RelationsOf(application, index string) Relations {
	r := Relations{Schema: SchemaOf(application), Derived: DerivedSchemaOf(application), Name: index}
	in := func(schema, name string) string { return sqltext.Quote(schema) + "." + sqltext.Quote(name) }
	r.Table = in(r.Schema, index)
	r.Sequence = in(r.Derived, Fit(index, "_seq"))
	r.Changes = in(r.Derived, Fit(index, "_changes"))
	r.RebuildLog = in(r.Derived, Fit(index, "_rebuild"))
	r.Next = in(r.Derived, Fit(index, "_next"))
	return r
}

// indexName names a PostgreSQL index of a table. The dot keeps it from the names of tables, which have none.
func indexName(table, column string) string { return Fit(table+"."+column, "") }

// derivedTables are the suffixes of the tables that may stand beside an index's own.
var derivedTables = []string{"_changes", "_rebuild", "_words", "_suggestions", "_touched", "_postings", "_counts", "_values",
	"_newpostings", "_newcounts", "_newvalues", "_nexttouched", "_nextpostings", "_nextcounts", "_nextvalues", "_recount", "_suggested", "_progress"}
