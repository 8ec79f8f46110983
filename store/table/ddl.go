package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
)

// CreateTable returns the DDL of an index's table under a quoted name, without its secondary indexes. What is counted and sorted comes first among
// its columns, what is large comes last.
func (s Shape) CreateTable(table string) []string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", table)
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+",\n", args...) }
	line("_seq bigint NOT NULL DEFAULT nextval(%s)", sqltext.Literal(s.Sequence))
	line("%s double precision NOT NULL GENERATED ALWAYS AS (%s) STORED", BoostColumn.Name, BoostColumn.Expression)
	line("_created_at timestamptz NOT NULL DEFAULT now()")
	line("_updated_at timestamptz NOT NULL DEFAULT now()")
	line(`_id text COLLATE "C" NOT NULL CONSTRAINT _id_length CHECK (octet_length(_id) BETWEEN 1 AND 512)`)
	column := func(d Definition) {
		line("%s %s GENERATED ALWAYS AS (%s) STORED", sqltext.Quote(d.Name), d.SQLType, d.Expression)
	}
	values, vectors := s.Generated()
	for _, d := range values {
		column(d)
	}
	for _, d := range vectors {
		line("%s %s COMPRESSION pglz GENERATED ALWAYS AS (%s) STORED", sqltext.Quote(d.Name), d.SQLType, d.Expression)
	}
	line("_body jsonb NOT NULL CONSTRAINT _body_object CHECK (jsonb_typeof(_body) = 'object')")
	fmt.Fprintf(&b, "  CONSTRAINT %s PRIMARY KEY (_id)\n) WITH (toast_tuple_target = %d)", sqltext.Quote(indexName(s.Name, "_id")), rowInLine)
	statements := []string{b.String()}

	// Ranking reads the vectors of each row found, so they stay in line as long as possible (MAIN is moved out last) and uncompressed (pglz gives up on
	// them, lz4 would not); the body is only read for hits. The planner never uses statistics of any of them, which would take two thirds of ANALYZE's
	// time. If there are very many fields, this is done for only some.
	var storage []string
	for i, d := range vectors {
		if i >= maxSetColumns && d.Name != RestColumn {
			continue
		}
		name := "ALTER " + sqltext.Quote(d.Name)
		storage = append(storage, name+" SET STORAGE MAIN", name+" SET STATISTICS 0")
	}
	storage = append(storage, "ALTER _body SET STATISTICS 0")
	statements = append(statements, "ALTER TABLE "+table+" "+strings.Join(storage, ", "))
	return append(statements, s.comments(table)...)
}

// BoostColumn is the column of the documents' boosts.
var BoostColumn = Definition{"_boost", "double precision", "rowan.boost(_body)"}

// Generated returns the other columns of an index's table that are computed from the documents: values, and lexemes.
func (s Shape) Generated() (values, vectors []Definition) {
	for _, f := range s.Fields {
		for _, d := range f.definitions(s.language) {
			if d.SQLType == "tsvector" {
				vectors = append(vectors, d)
			} else {
				values = append(values, d)
			}
		}
	}
	suggestions := "NULL::text[]"
	if len(s.Suggested) > 0 {
		suggestions = "rowan.autocomplete(_body, " + sqltext.TextArray(s.Suggested) + ")"
	}
	return append(values, Definition{"_autocomplete", "text[]", suggestions}), append(vectors, Definition{RestColumn, "tsvector", s.rest()})
}

// maxSetColumns bounds the fields for whose vectors storage and statistics are set. For each setting, PostgreSQL rebuilds the description of the
// table with all of its columns, and keeps the previous one until the transaction ends: for all vectors of an index with 400 mappings that would take
// 1.6 GB.
const maxSetColumns = 32

// rowInLine is the size in bytes up to which a row stays whole on a page of its table; a page holds two of them. By default, PostgreSQL would move
// the body out of each row of more than 2,032 bytes, as most rows with some text are: compressing it and storing it in another table with its own
// index takes a tenth of the time for storing a row, and saves no space.
const rowInLine = 4080

// comments returns comments that explain each column to a reader of the table, and give the full name of a mapping whose column needed another name.
func (s Shape) comments(table string) []string {
	var out []string
	comment := func(column, text string) {
		out = append(out, fmt.Sprintf("COMMENT ON COLUMN %s.%s IS %s", table, sqltext.Quote(column), sqltext.Literal(text)))
	}
	out = append(out, fmt.Sprintf("COMMENT ON TABLE %s IS %s", table,
		sqltext.Literal("Documents of the Rowan index "+s.Name+". Write only _id and _body; the other columns follow from them.")))
	comment("_seq", "Number of the document, kept when it is updated.")
	comment("_boost", "Factor of the document's score.")
	comment("_autocomplete", "Suggestions that the document gives.")
	comment(RestColumn, "Lexemes of all properties without a mapping.")
	comment("_body", "The document, as its client sent it.")
	for _, f := range s.Fields {
		about := fmt.Sprintf("%s (%s)", f.Name, f.Type)
		if f.HasValue() {
			comment(f.Column, about)
			comment(f.Column+allSuffix, f.Name+": all values, where there are several")
		}
		if f.HasKey() {
			comment(f.Column+keySuffix, f.Name+": what it compares by")
			comment(f.Column+keysSuffix, f.Name+": what all values compare by, where there are several")
		}
		if f.Info.Kind == mapping.KindLevels {
			comment(f.Column+allSuffix, f.Name+": every level of every value")
			comment(f.Column+keysSuffix, f.Name+": what every level compares by")
		}
		if f.Searched() {
			comment(f.Column+tsvSuffix, about+": lexemes")
		}
	}
	return out
}

// pendingList is the maximum size of a GIN index's pending list in kB. The background worker moves it into the index before a writer would have to.
const pendingList = 262144

// CreateIndexes returns the DDL of a table's secondary indexes.
func (s Shape) CreateIndexes(table string) []string {
	var out []string
	index := func(name, method, on, more string) {
		out = append(out, fmt.Sprintf("CREATE INDEX %s ON %s USING %s (%s)%s", sqltext.Quote(indexName(s.Name, name)), table, method, on, more))
	}
	pending := fmt.Sprintf(" WITH (fastupdate = on, gin_pending_list_limit = %d)", pendingList)
	out = append(out, fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s (_seq)", sqltext.Quote(indexName(s.Name, "_seq")), table))
	index("_search", "gin", s.AllLexemes(""), pending)
	index("_boost", "btree", "_boost DESC, _id", "")
	for _, f := range s.Fields {
		if !f.HasValue() {
			continue
		}
		several := " WHERE " + f.Keys() + " IS NOT NULL"
		switch {
		case f.Info.Kind == mapping.KindLevels, f.Type == mapping.Tags:
			index(f.Column+keysSuffix, "gin", f.Keys(), pending+several)
			if f.Type == mapping.Tags {
				index(f.Column, "btree", f.Key(), "")
			}
		case !f.Indexed():
		case f.HasKey():
			index(f.Column, "btree", f.Key(), "")
			index(f.Column+keysSuffix, "gin", f.Keys(), pending+several)
		default:
			index(f.Column, "btree", f.Value(), "")
			index(f.Column+allSuffix, "btree", "_seq", several)
		}
	}
	// The planner's estimate of how many documents have a lexeme decides between ways to search. With 500, it knows lexemes in an eight-hundredth of the
	// documents or more; with 1000, it would know those in a two-thousandth, but ANALYZE would take twice as long.
	out = append(out, fmt.Sprintf("ALTER INDEX %s.%s ALTER COLUMN 1 SET STATISTICS 500",
		sqltext.Quote(tableSchema(table)), sqltext.Quote(indexName(s.Name, "_search"))))
	return out
}

// tableSchema returns the schema of a quoted, qualified table name.
func tableSchema(table string) string {
	schema, _, _ := strings.Cut(table[1:], `"."`)
	return strings.ReplaceAll(schema, `""`, `"`)
}

// CreateDerived returns the DDL of everything beside the table.
func (s Shape) CreateDerived() []string {
	return slices.Concat([]string{"CREATE SEQUENCE " + s.Sequence}, s.CreateChanges(), s.CreateFollowing(true))
}

// CreateChanges returns the DDL of the log of changes, which creates it unless it exists.
func (s Shape) CreateChanges() []string {
	return []string{
		"CREATE TABLE IF NOT EXISTS " + s.Changes + " (_seq bigint NOT NULL)",
		Publishable(s.Changes),
		"COMMENT ON TABLE " + s.Changes + " IS " + sqltext.Literal("Numbers of the documents of "+s.Name+" written since the background worker last looked."),
	}
}

// Publishable returns the DDL that allows a table without a key in a publication, such as one of all tables: otherwise PostgreSQL refuses updates and
// deletes, whose rows subscribers could not find.
func Publishable(table string) string { return "ALTER TABLE " + table + " REPLICA IDENTITY FULL" }

// Drop returns the DDL that removes everything of an index.
func (s Shape) Drop() []string {
	statements := []string{"DROP TABLE IF EXISTS " + s.Table, "DROP TABLE IF EXISTS " + s.Next}
	for _, kind := range derivedTables {
		statements = append(statements, "DROP TABLE IF EXISTS "+sqltext.Quote(s.Derived)+"."+sqltext.Quote(Fit(s.Name, kind)))
	}
	return append(statements, "DROP SEQUENCE IF EXISTS "+s.Sequence)
}
