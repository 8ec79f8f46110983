// Package table defines how an index is represented in PostgreSQL: the names and columns of its tables, and the DDL that creates and removes them. It
// does not run anything.
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

// maxIdent is the maximum length of PostgreSQL identifiers in bytes (NAMEDATALEN - 1).
const maxIdent = 63

// Fit returns base+suffix. If that would be too long, it replaces the end of base by a hash of base.
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

// LeastCut is the minimum length in bytes of two index names whose tables have the same name because one is cut: with the longest suffix of a table,
// such a name has maxIdent bytes.
const LeastCut = maxIdent - len("_nextpostings")

// CutAlike reports whether tables of two indices would have the same name, because one is cut.
func CutAlike(index, other string) bool {
	return slices.ContainsFunc(append([]string{"_seq", "_next"}, derivedTables...), func(suffix string) bool { return Fit(index, suffix) == Fit(other, suffix) })
}

// SchemaOf returns the schema of an application's indices. Application ids have no underscore, so it differs from every DerivedSchemaOf.
func SchemaOf(application string) string { return "app_" + application }

// DerivedSchemaOf returns the schema of what is derived from an application's indices.
func DerivedSchemaOf(application string) string { return "app_" + application + "_derived" }

// The suffixes of a field's columns.
const (
	keySuffix  = "_key"  // what text compares by
	allSuffix  = "_all"  // all values of documents that have several
	keysSuffix = "_keys" // what all values compare by, of documents that have several
	tsvSuffix  = "_tsv"  // lexemes
)

var suffixes = []string{"", keySuffix, allSuffix, keysSuffix, tsvSuffix}

// systemColumns are the names of PostgreSQL's system columns.
var systemColumns = map[string]bool{"ctid": true, "tableoid": true, "xmin": true, "xmax": true, "cmin": true, "cmax": true}

// columnNames derives a column name for each mapping: the mapping's own name if PostgreSQL accepts it and no other mapping's columns have it. The
// catalog keeps the result, so the rule may change.
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

// Relations are the quoted names of everything that belongs to one index.
type Relations struct {
	Schema, Derived string
	Name            string
	Table           string      // documents
	Sequence        string      // numbers of documents
	Changes         string      // log of changed numbers
	RebuildLog      string      // log of changed ids while the table is being rebuilt
	Next            string      // table being built
	Set             PostingsSet // of the tables of postings
}

// RelationsOf returns the relations of an index, with the tables of postings that are in use.
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

// indexName returns the name of a PostgreSQL index of a table. The dot distinguishes it from names of tables, which have none.
func indexName(table, column string) string { return Fit(table+"."+column, "") }

// derivedTables are the suffixes of the tables that may exist beside an index's own.
var derivedTables = []string{"_changes", "_rebuild", "_words", "_suggestions", "_touched", "_postings", "_counts", "_values",
	"_newpostings", "_newcounts", "_newvalues", "_nexttouched", "_nextpostings", "_nextcounts", "_nextvalues", "_recount", "_suggested", "_progress"}
