package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
)

// RestColumn holds the lexemes of every property without a mapping.
const RestColumn = "_rest_tsv"

// Field is a mapping with the columns that represent it.
type Field struct {
	mapping.Mapping
	Info   mapping.Info
	Column string // base name, unquoted
}

// HasValue reports whether a field has a column for its value, and one for all values of documents that have several.
func (f Field) HasValue() bool { return f.Info.Kind != mapping.KindPresence }

// HasKey reports whether a field compares by keys in columns of their own, as text does.
func (f Field) HasKey() bool {
	return f.Info.Kind == mapping.KindFolded || f.Info.Kind == mapping.KindLevels || f.Info.Kind == mapping.KindExact
}

// Searched reports whether a field has a column of lexemes.
func (f Field) Searched() bool { return f.Info.Analysis != mapping.NotSearched }

// Value returns the quoted column of the value.
func (f Field) Value() string { return sqltext.Quote(f.Column) }

// All returns the quoted column of all values of documents that have several.
func (f Field) All() string { return sqltext.Quote(f.Column + allSuffix) }

// TSV returns the quoted column of the lexemes.
func (f Field) TSV() string { return sqltext.Quote(f.Column + tsvSuffix) }

// Key returns the quoted column that the field compares by: its own column for text, otherwise that of the value.
func (f Field) Key() string {
	if f.HasKey() {
		return sqltext.Quote(f.Column + keySuffix)
	}
	return f.Value()
}

// Keys is like Key for all values of documents that have several.
func (f Field) Keys() string {
	if f.HasKey() {
		return sqltext.Quote(f.Column + keysSuffix)
	}
	return f.All()
}

// SQLType returns the type of the value column.
func (f Field) SQLType() string {
	switch f.Type {
	case mapping.Int:
		return "integer"
	case mapping.Long:
		return "bigint"
	case mapping.Float:
		return "double precision"
	case mapping.Price, mapping.SearchableNumber:
		return "numeric"
	case mapping.Bool:
		return "boolean"
	case mapping.Date:
		return "timestamptz"
	default:
		return "text"
	}
}

// Indexed reports whether the value column has an index of its own. Long texts are rarely compared as a whole, and an index on a boolean finds too
// many rows to be useful.
func (f Field) Indexed() bool {
	switch f.Type {
	case mapping.Sentence, mapping.Text, mapping.Address, mapping.Bool, mapping.LongText, mapping.HTML:
		return false
	default:
		return true
	}
}

// Source returns the SQL expression of a property in the document's body.
func Source(name string) string {
	if strings.Contains(name, ".") {
		return "rowan.field(_body, " + sqltext.Literal(name) + ")"
	}
	return "_body -> " + sqltext.Literal(name)
}

// Definition is one generated column.
type Definition struct {
	Name, SQLType, Expression string
}

func (f Field) definitions(language string) []Definition {
	src := "(" + Source(f.Name) + ")"
	var defs []Definition
	add := func(suffix, sqlType, expression string) {
		defs = append(defs, Definition{f.Column + suffix, sqlType, expression})
	}
	call := func(function string) string { return "rowan." + function + "(" + src + ")" }
	switch f.Info.Kind {
	case mapping.KindFolded:
		add("", "text", call("text_value"))
		add(keySuffix, `text COLLATE "C"`, call("text_key"))
		add(allSuffix, "text[]", call("text_all"))
		add(keysSuffix, `text[] COLLATE "C"`, call("text_keys"))
	case mapping.KindExact:
		add("", "text", call("text_value"))
		add(keySuffix, `text COLLATE "C"`, call("exact_key"))
		add(allSuffix, "text[]", call("exact_all"))
		add(keysSuffix, `text[] COLLATE "C"`, call("exact_keys"))
	case mapping.KindLevels:
		levels := func(function string) string {
			return "rowan." + function + "(" + src + ", " + sqltext.Literal(f.Info.Separator) + ")"
		}
		add("", "text", call("text_value"))
		add(keySuffix, `text COLLATE "C"`, levels("levels_key"))
		add(allSuffix, "text[]", levels("levels_all"))
		add(keysSuffix, `text[] COLLATE "C"`, levels("levels_keys"))
	case mapping.KindNumber:
		prefix := map[mapping.Type]string{mapping.Int: "int", mapping.Long: "long", mapping.Float: "float"}[f.Type]
		if prefix == "" {
			prefix = "number"
		}
		add("", f.SQLType(), call(prefix+"_value"))
		add(allSuffix, f.SQLType()+"[]", call(prefix+"_all"))
	case mapping.KindBool:
		add("", "boolean", call("bool_value"))
		add(allSuffix, "boolean[]", call("bool_all"))
	case mapping.KindDate:
		add("", "timestamptz", call("date_value"))
		add(allSuffix, "timestamptz[]", call("date_all"))
	}
	if f.Searched() {
		add(tsvSuffix, "tsvector", "setweight(coalesce("+f.lexemes(language, src)+", ''::tsvector), '"+string(f.Info.Weight)+"')")
	}
	return defs
}

// lexemes returns the expression that analyses the property.
func (f Field) lexemes(language, src string) string {
	config := sqltext.Literal(language) + "::regconfig"
	switch f.Info.Analysis {
	case mapping.Stemmed:
		return "rowan.tsv_stemmed(" + config + ", " + src + ")"
	case mapping.StemmedHTML:
		return "rowan.tsv_html(" + config + ", " + src + ")"
	case mapping.Levels:
		return "rowan.tsv_levels(" + config + ", " + src + ", " + sqltext.Literal(f.Info.Separator) + ")"
	case mapping.TagWords:
		return "rowan.tsv_tags(" + config + ", " + src + ")"
	case mapping.Plain:
		return "rowan.tsv_plain(" + src + ")"
	case mapping.IdentifierParts:
		return "rowan.tsv_identifier(" + src + ")"
	case mapping.Whole:
		return "rowan.tsv_whole(" + src + ")"
	case mapping.WholeExact:
		return "rowan.tsv_whole_exact(" + src + ")"
	case mapping.EmailParts:
		return "rowan.tsv_email(" + src + ")"
	case mapping.PathSegments:
		return "rowan.tsv_path(" + src + ")"
	case mapping.Digits:
		return "rowan.tsv_digits(" + src + ")"
	default:
		panic(fmt.Sprintf("table: analysis %d has no expression", f.Info.Analysis))
	}
}

// Shape describes the table of an index.
type Shape struct {
	Relations
	language string
	// Fields are the mappings, in the order of the index.
	Fields []Field
	// Suggested are the fields that suggestions are made from.
	Suggested []string
}

// ShapeOf returns the shape of an index with its mappings and settings.
func ShapeOf(ix *service.Index) Shape {
	s := Shape{Relations: RelationsOf(ix.Application, ix.Name), language: ix.Settings.Language}
	names := columnNames(ix.Mappings)
	for i, m := range ix.Mappings {
		s.Fields = append(s.Fields, Field{Mapping: m, Info: m.Type.Info(), Column: names[i]})
	}
	s.Suggested = SuggestedOf(ix)
	return s
}

// SuggestedOf returns the fields that the suggestions of an index are made from.
func SuggestedOf(ix *service.Index) (fields []string) {
	for _, m := range ix.Mappings {
		if m.Type == mapping.Completion {
			fields = append(fields, m.Name)
		}
	}
	return append(fields, ix.Settings.Autocomplete.Fields...)
}

// Field returns the field with the given name.
func (s Shape) Field(name string) (Field, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Vectors returns the quoted columns of lexemes, heaviest first, that of the unmapped properties last.
func (s Shape) Vectors() []string {
	var cols []string
	for weight := byte('A'); weight <= 'D'; weight++ {
		for _, f := range s.Fields {
			if f.Searched() && byte(f.Info.Weight) == weight {
				cols = append(cols, f.TSV())
			}
		}
	}
	return append(cols, sqltext.Quote(RestColumn))
}

// AllLexemes returns the expression that the search index is on: every lexeme of a document. prefix is put before each column ("t." or nothing).
func (s Shape) AllLexemes(prefix string) string {
	cols := s.Vectors()
	for i := range cols {
		cols[i] = prefix + cols[i]
	}
	// PostgreSQL passes at most 100 arguments, so more fields than that are first joined in groups.
	for len(cols) > maxArguments {
		var joined []string
		for group := range slices.Chunk(cols, maxArguments) {
			joined = append(joined, joinedLexemes(group))
		}
		cols = joined
	}
	return joinedLexemes(cols)
}

// maxArguments is PostgreSQL's FUNC_MAX_ARGS, unless it was built with another value.
const maxArguments = 100

func joinedLexemes(cols []string) string { return "rowan.join_tsv(" + strings.Join(cols, ", ") + ")" }

// rest returns the expression for the column of the unmapped properties.
func (s Shape) rest() string {
	var plain, dotted []string
	for _, f := range s.Fields {
		if strings.Contains(f.Name, ".") {
			dotted = append(dotted, f.Name)
		} else {
			plain = append(plain, f.Name)
		}
	}
	return "coalesce(rowan.tsv_rest(" + sqltext.Literal(s.language) + "::regconfig, _body, " + sqltext.TextArray(plain) + ", " + sqltext.TextArray(dotted) + "), ''::tsvector)"
}

// Columns returns the columns of the index's table.
func (s Shape) Columns() []string {
	out := []string{"_seq", "_boost", "_created_at", "_updated_at", "_id", "_autocomplete", RestColumn, "_body"}
	for _, f := range s.Fields {
		for _, d := range f.definitions(s.language) {
			out = append(out, d.Name)
		}
	}
	return out
}

// ValueColumns returns the columns from which the values of a field are read: the key and the spelling of a single value, the keys and the spellings
// of several.
func (f Field) ValueColumns() []string {
	columns := []string{"t." + f.Key(), "t." + f.Value(), "t." + f.Keys(), "t." + f.All()}
	if f.Info.Kind == mapping.KindBool || f.Info.Kind == mapping.KindNumber {
		for i := range columns {
			columns[i] += []string{"::text", "::text", "::text[]", "::text[]"}[i]
		}
	}
	return columns
}

// BodySource returns the SQL expression of a property in the body of the row t.
func BodySource(name string) string {
	return "(" + strings.Replace(Source(name), "_body", "t._body", 1) + ")"
}
