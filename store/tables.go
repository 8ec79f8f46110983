package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
)

// createTable is the DDL of an index's table under a quoted name, without its secondary indexes. The order
// of the columns puts what is counted and sorted first and what is large last.
func (s shape) createTable(table string) []string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", table)
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+",\n", args...) }
	line("_seq bigint NOT NULL DEFAULT nextval(%s)", sqltext.Literal(s.sequence))
	line("%s double precision NOT NULL GENERATED ALWAYS AS (%s) STORED", boostColumn.name, boostColumn.expression)
	line("_created_at timestamptz NOT NULL DEFAULT now()")
	line("_updated_at timestamptz NOT NULL DEFAULT now()")
	line(`_id text COLLATE "C" NOT NULL CONSTRAINT _id_length CHECK (octet_length(_id) BETWEEN 1 AND 512)`)
	column := func(d definition) {
		line("%s %s GENERATED ALWAYS AS (%s) STORED", sqltext.Quote(d.name), d.sqlType, d.expression)
	}
	values, vectors := s.generated()
	for _, d := range values {
		column(d)
	}
	for _, d := range vectors {
		line("%s %s COMPRESSION pglz GENERATED ALWAYS AS (%s) STORED", sqltext.Quote(d.name), d.sqlType, d.expression)
	}
	line("_body jsonb NOT NULL CONSTRAINT _body_object CHECK (jsonb_typeof(_body) = 'object')")
	fmt.Fprintf(&b, "  CONSTRAINT %s PRIMARY KEY (_id)\n) WITH (toast_tuple_target = %d)", sqltext.Quote(indexName(s.name, "_id")), rowInLine)
	statements := []string{b.String()}

	// Ranking reads the vectors of each found row, so they stay in line as long as they can (MAIN is moved
	// out last) and uncompressed (pglz gives up on them, lz4 would not); the body is read for hits only. The planner is
	// never asked about any of them: their statistics would take two thirds of ANALYZE's time. Where there are very many fields, that is
	// done for some only.
	var storage []string
	for i, d := range vectors {
		if i >= maxSetColumns && d.name != restColumn {
			continue
		}
		name := "ALTER " + sqltext.Quote(d.name)
		storage = append(storage, name+" SET STORAGE MAIN", name+" SET STATISTICS 0")
	}
	storage = append(storage, "ALTER _body SET STATISTICS 0")
	statements = append(statements, "ALTER TABLE "+table+" "+strings.Join(storage, ", "))
	return append(statements, s.comments(table)...)
}

// boostColumn is that of the documents' boosts.
var boostColumn = definition{"_boost", "double precision", "rowan.boost(_body)"}

// generated are the other columns of an index's table that follow from the documents: values, and lexemes.
func (s shape) generated() (values, vectors []definition) {
	for _, f := range s.fields {
		for _, d := range f.definitions(s.language) {
			if d.sqlType == "tsvector" {
				vectors = append(vectors, d)
			} else {
				values = append(values, d)
			}
		}
	}
	suggestions := "NULL::text[]"
	if len(s.suggested) > 0 {
		suggestions = "rowan.autocomplete(_body, " + sqltext.TextArray(s.suggested) + ")"
	}
	return append(values, definition{"_autocomplete", "text[]", suggestions}), append(vectors, definition{restColumn, "tsvector", s.rest()})
}

// maxSetColumns is of how many fields' vectors the storage and the statistics are set. Each setting has PostgreSQL make the description
// of the table anew, with all of its columns, and keep the former one until the transaction ends: for all vectors of an index with 400
// mappings that takes 1.6 GB.
const maxSetColumns = 32

// rowInLine is up to how many bytes a row stands whole on a page of its table, two of them on one. PostgreSQL would move the
// body out of each of more than 2,032 bytes, which most with a text of some length are: to compress it and to store it
// elsewhere, in a table with an index of its own, takes a tenth of the time that it takes to store a row, and saves no room.
const rowInLine = 4080

// comments tell a reader of the table what each column is, and the whole name of a mapping whose column had
// to be called otherwise.
func (s shape) comments(table string) []string {
	var out []string
	comment := func(column, text string) {
		out = append(out, fmt.Sprintf("COMMENT ON COLUMN %s.%s IS %s", table, sqltext.Quote(column), sqltext.Literal(text)))
	}
	out = append(out, fmt.Sprintf("COMMENT ON TABLE %s IS %s", table,
		sqltext.Literal("Documents of the Rowan index "+s.name+". Write only _id and _body; the other columns follow from them.")))
	comment("_seq", "Number of the document, kept when it is updated.")
	comment("_boost", "Factor of the document's score.")
	comment("_autocomplete", "Suggestions that the document gives.")
	comment(restColumn, "Lexemes of all properties without a mapping.")
	comment("_body", "The document, as its client sent it.")
	for _, f := range s.fields {
		about := fmt.Sprintf("%s (%s)", f.Name, f.Type)
		if f.hasValue() {
			comment(f.column, about)
			comment(f.column+allSuffix, f.Name+": all values, where there are several")
		}
		if f.hasKey() {
			comment(f.column+keySuffix, f.Name+": what it compares by")
			comment(f.column+keysSuffix, f.Name+": what all values compare by, where there are several")
		}
		if f.info.Kind == mapping.KindLevels {
			comment(f.column+allSuffix, f.Name+": every level of every value")
			comment(f.column+keysSuffix, f.Name+": what every level compares by")
		}
		if f.searched() {
			comment(f.column+tsvSuffix, about+": lexemes")
		}
	}
	return out
}

// pendingList is how much a GIN index may put off, in kB. The background worker moves it into the index
// before a writer would have to.
const pendingList = 262144

// createIndexes is the DDL of a table's secondary indexes.
func (s shape) createIndexes(table string) []string {
	var out []string
	index := func(name, method, on, more string) {
		out = append(out, fmt.Sprintf("CREATE INDEX %s ON %s USING %s (%s)%s", sqltext.Quote(indexName(s.name, name)), table, method, on, more))
	}
	pending := fmt.Sprintf(" WITH (fastupdate = on, gin_pending_list_limit = %d)", pendingList)
	out = append(out, fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s (_seq)", sqltext.Quote(indexName(s.name, "_seq")), table))
	index("_search", "gin", s.allLexemes(""), pending)
	index("_boost", "btree", "_boost DESC, _id", "")
	for _, f := range s.fields {
		if !f.hasValue() {
			continue
		}
		several := " WHERE " + f.keys() + " IS NOT NULL"
		switch {
		case f.info.Kind == mapping.KindLevels, f.Type == mapping.Tags:
			index(f.column+keysSuffix, "gin", f.keys(), pending+several)
			if f.Type == mapping.Tags {
				index(f.column, "btree", f.key(), "")
			}
		case !f.indexed():
		case f.hasKey():
			index(f.column, "btree", f.key(), "")
			index(f.column+keysSuffix, "gin", f.keys(), pending+several)
		default:
			index(f.column, "btree", f.value(), "")
			index(f.column+allSuffix, "btree", "_seq", several)
		}
	}
	// The planner's estimate of how many documents have a lexeme decides between ways to search. It knows lexemes of an
	// eight-hundredth of the documents and more; of those of a two-thousandth, at 1000, it would take twice as long to learn.
	out = append(out, fmt.Sprintf("ALTER INDEX %s.%s ALTER COLUMN 1 SET STATISTICS 500",
		sqltext.Quote(tableSchema(table)), sqltext.Quote(indexName(s.name, "_search"))))
	return out
}

// tableSchema is the schema of a quoted, qualified table name.
func tableSchema(table string) string {
	schema, _, _ := strings.Cut(table[1:], `"."`)
	return strings.ReplaceAll(schema, `""`, `"`)
}

// createDerived is the DDL of what stands beside the table.
func (s shape) createDerived() []string {
	return slices.Concat([]string{"CREATE SEQUENCE " + s.sequence}, s.createChanges(), s.createFollowing(true))
}

// createChanges is the DDL of the log of changes, where there is none.
func (s shape) createChanges() []string {
	return []string{
		"CREATE TABLE IF NOT EXISTS " + s.changes + " (_seq bigint NOT NULL)",
		publishable(s.changes),
		"COMMENT ON TABLE " + s.changes + " IS " + sqltext.Literal("Numbers of the documents of "+s.name+" written since the background worker last looked."),
	}
}

// publishable is the DDL by which a table without a key may be in a publication, as that of all tables: PostgreSQL refuses to change and delete
// what subscribers could not find.
func publishable(table string) string { return "ALTER TABLE " + table + " REPLICA IDENTITY FULL" }
