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

// Field is a mapping with the columns that stand for it.
type Field struct {
	mapping.Mapping
	Info   mapping.Info
	Column string // base name, unquoted
}

// HasValue tells whether a field has a column of its value, and one of all values, where a document has several.
func (f Field) HasValue() bool { return f.Info.Kind != mapping.KindPresence }

// HasKey tells whether it compares by keys, which are columns of their own: text does.
func (f Field) HasKey() bool {
	return f.Info.Kind == mapping.KindFolded || f.Info.Kind == mapping.KindLevels || f.Info.Kind == mapping.KindExact
}

// Searched tells whether it has a column of lexemes.
func (f Field) Searched() bool { return f.Info.Analysis != mapping.NotSearched }

// Value is the quoted column of the value.
func (f Field) Value() string { return sqltext.Quote(f.Column) }

// All is the quoted column of all values, where there are several.
func (f Field) All() string { return sqltext.Quote(f.Column + allSuffix) }

// TSV is the quoted column of the lexemes.
func (f Field) TSV() string { return sqltext.Quote(f.Column + tsvSuffix) }

// Key is the quoted column that the field compares by: one of its own for text, that of the value otherwise.
func (f Field) Key() string {
	if f.HasKey() {
		return sqltext.Quote(f.Column + keySuffix)
	}
	return f.Value()
}

// Keys is the same of all values, where there are several.
func (f Field) Keys() string {
	if f.HasKey() {
		return sqltext.Quote(f.Column + keysSuffix)
	}
	return f.All()
}

// SQLType is the type of the value column.
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

// Indexed tells whether the value column has an index of its own. Long texts are rarely compared whole, and
// an index on a boolean finds too much to be of use.
func (f Field) Indexed() bool {
	switch f.Type {
	case mapping.Sentence, mapping.Text, mapping.Address, mapping.Bool, mapping.LongText, mapping.HTML:
		return false
	default:
		return true
	}
}

// Source is the SQL expression of the property in the document's body.
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

// lexemes is the expression that analyses the property.
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

// Shape is an index as its table shows it.
type Shape struct {
	Relations
	language string
	// Fields are the mappings, in the order of the index.
	Fields []Field
	// Suggested are the fields that the suggestions are made of.
	Suggested []string
}

// ShapeOf is the shape of an index with its mappings and settings.
func ShapeOf(ix *service.Index) Shape {
	s := Shape{Relations: RelationsOf(ix.Application, ix.Name), language: ix.Settings.Language}
	names := columnNames(ix.Mappings)
	for i, m := range ix.Mappings {
		s.Fields = append(s.Fields, Field{Mapping: m, Info: m.Type.Info(), Column: names[i]})
	}
	s.Suggested = SuggestedOf(ix)
	return s
}

// SuggestedOf are the fields that the suggestions of an index are made of.
func SuggestedOf(ix *service.Index) (fields []string) {
	for _, m := range ix.Mappings {
		if m.Type == mapping.Completion {
			fields = append(fields, m.Name)
		}
	}
	return append(fields, ix.Settings.Autocomplete.Fields...)
}

// Field returns the field of that name.
func (s Shape) Field(name string) (Field, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Vectors are the quoted columns of lexemes, heaviest first, that of the unmapped properties last.
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

// AllLexemes is the expression that the search index is on: every lexeme of a document. prefix is put
// before each column ("t." or nothing).
func (s Shape) AllLexemes(prefix string) string {
	cols := s.Vectors()
	for i := range cols {
		cols[i] = prefix + cols[i]
	}
	// PostgreSQL passes no more than 100 arguments: of more fields than that, several are joined first.
	for len(cols) > maxArguments {
		var joined []string
		for group := range slices.Chunk(cols, maxArguments) {
			joined = append(joined, joinedLexemes(group))
		}
		cols = joined
	}
	return joinedLexemes(cols)
}

// maxArguments is FUNC_MAX_ARGS of PostgreSQL, unless it was built otherwise.
const maxArguments = 100

func joinedLexemes(cols []string) string { return "rowan.join_tsv(" + strings.Join(cols, ", ") + ")" }

// rest is the expression of the column of the unmapped properties.
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

// Columns are those of the index's table.
func (s Shape) Columns() []string {
	out := []string{"_seq", "_boost", "_created_at", "_updated_at", "_id", "_autocomplete", RestColumn, "_body"}
	for _, f := range s.Fields {
		for _, d := range f.definitions(s.language) {
			out = append(out, d.Name)
		}
	}
	return out
}

// ValueColumns are what the values of a field are read from: the key and the spelling of one value, the keys
// and the spellings of several.
func (f Field) ValueColumns() []string {
	columns := []string{"t." + f.Key(), "t." + f.Value(), "t." + f.Keys(), "t." + f.All()}
	if f.Info.Kind == mapping.KindBool || f.Info.Kind == mapping.KindNumber {
		for i := range columns {
			columns[i] += []string{"::text", "::text", "::text[]", "::text[]"}[i]
		}
	}
	return columns
}

// BodySource is the SQL expression of a property in the body of the row t.
func BodySource(name string) string {
	return "(" + strings.Replace(Source(name), "_body", "t._body", 1) + ")"
}
