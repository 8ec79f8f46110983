package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
)

// restColumn holds the lexemes of every property without a mapping.
const restColumn = "_rest_tsv"

// field is a mapping with the columns that stand for it.
type field struct {
	mapping.Mapping
	info   mapping.Info
	column string // base name, unquoted
}

// has tells which columns a field has besides its value: text compares by a key, and several values of one
// property are kept in arrays.
func (f field) hasValue() bool { return f.info.Kind != mapping.KindPresence }
func (f field) hasKey() bool {
	return f.info.Kind == mapping.KindFolded || f.info.Kind == mapping.KindLevels || f.info.Kind == mapping.KindExact
}
func (f field) searched() bool { return f.info.Analysis != mapping.NotSearched }

func (f field) value() string { return sqltext.Quote(f.column) }
func (f field) all() string   { return sqltext.Quote(f.column + allSuffix) }
func (f field) tsv() string   { return sqltext.Quote(f.column + tsvSuffix) }

// key and keys are what the field compares by: columns of their own for text, the values themselves otherwise.
func (f field) key() string {
	if f.hasKey() {
		return sqltext.Quote(f.column + keySuffix)
	}
	return f.value()
}

func (f field) keys() string {
	if f.hasKey() {
		return sqltext.Quote(f.column + keysSuffix)
	}
	return f.all()
}

// sqlType is the type of the value column.
func (f field) sqlType() string {
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

// indexed tells whether the value column has an index of its own. Long texts are rarely compared whole, and
// an index on a boolean finds too much to be of use.
func (f field) indexed() bool {
	switch f.Type {
	case mapping.Sentence, mapping.Text, mapping.Address, mapping.Bool, mapping.LongText, mapping.HTML:
		return false
	default:
		return true
	}
}

// source is the SQL expression of the property in the document's body.
func source(name string) string {
	if strings.Contains(name, ".") {
		return "rowan.field(_body, " + sqltext.Literal(name) + ")"
	}
	return "_body -> " + sqltext.Literal(name)
}

// definition is one generated column.
type definition struct {
	name, sqlType, expression string
}

func (f field) definitions(language string) []definition {
	src := "(" + source(f.Name) + ")"
	var defs []definition
	add := func(suffix, sqlType, expression string) {
		defs = append(defs, definition{f.column + suffix, sqlType, expression})
	}
	call := func(function string) string { return "rowan." + function + "(" + src + ")" }
	switch f.info.Kind {
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
			return "rowan." + function + "(" + src + ", " + sqltext.Literal(f.info.Separator) + ")"
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
		add("", f.sqlType(), call(prefix+"_value"))
		add(allSuffix, f.sqlType()+"[]", call(prefix+"_all"))
	case mapping.KindBool:
		add("", "boolean", call("bool_value"))
		add(allSuffix, "boolean[]", call("bool_all"))
	case mapping.KindDate:
		add("", "timestamptz", call("date_value"))
		add(allSuffix, "timestamptz[]", call("date_all"))
	}
	if f.searched() {
		add(tsvSuffix, "tsvector", "setweight(coalesce("+f.lexemes(language, src)+", ''::tsvector), '"+string(f.info.Weight)+"')")
	}
	return defs
}

// lexemes is the expression that analyses the property.
func (f field) lexemes(language, src string) string {
	config := sqltext.Literal(language) + "::regconfig"
	switch f.info.Analysis {
	case mapping.Stemmed:
		return "rowan.tsv_stemmed(" + config + ", " + src + ")"
	case mapping.StemmedHTML:
		return "rowan.tsv_html(" + config + ", " + src + ")"
	case mapping.Levels:
		return "rowan.tsv_levels(" + config + ", " + src + ", " + sqltext.Literal(f.info.Separator) + ")"
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
		panic(fmt.Sprintf("store: analysis %d has no expression", f.info.Analysis))
	}
}

// shape is an index as its table shows it.
type shape struct {
	relations
	language string
	fields   []field
	// suggested are the fields that the suggestions are made of.
	suggested []string
}

func shapeOf(ix *service.Index) shape {
	s := shape{relations: relationsOf(ix.Application, ix.Name), language: ix.Settings.Language}
	names := columnNames(ix.Mappings)
	for i, m := range ix.Mappings {
		s.fields = append(s.fields, field{Mapping: m, info: m.Type.Info(), column: names[i]})
	}
	s.suggested = suggestedOf(ix)
	return s
}

// suggestedOf are the fields that the suggestions of an index are made of.
func suggestedOf(ix *service.Index) (fields []string) {
	for _, m := range ix.Mappings {
		if m.Type == mapping.Completion {
			fields = append(fields, m.Name)
		}
	}
	return append(fields, ix.Settings.Autocomplete.Fields...)
}

// versionKey is an index in one version of its mappings and settings.
type versionKey struct{ id, version int64 }

// maxShapeFields bounds the fields of the shapes that are remembered: a few hundred bytes each.
const maxShapeFields = 10000

// shape is shapeOf, remembered: to find the columns of hundreds of fields takes most of a millisecond, and each search needs them. It is
// for an index as the catalog has it.
func (c *catalogCache) shape(ix *service.Index) shape {
	key := versionKey{ix.ID, ix.Version}
	sh, ok := c.shapes.Get(key)
	if !ok {
		sh = shapeOf(ix)
		c.shapes.Put(key, sh)
	}
	return sh
}

// field returns the field of that name.
func (s shape) field(name string) (field, bool) {
	for _, f := range s.fields {
		if f.Name == name {
			return f, true
		}
	}
	return field{}, false
}

// vectors are the quoted columns of lexemes, heaviest first, that of the unmapped properties last.
func (s shape) vectors() []string {
	var cols []string
	for weight := byte('A'); weight <= 'D'; weight++ {
		for _, f := range s.fields {
			if f.searched() && byte(f.info.Weight) == weight {
				cols = append(cols, f.tsv())
			}
		}
	}
	return append(cols, sqltext.Quote(restColumn))
}

// allLexemes is the expression that the search index is on: every lexeme of a document. prefix is put
// before each column ("t." or nothing).
func (s shape) allLexemes(prefix string) string {
	cols := s.vectors()
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
func (s shape) rest() string {
	var plain, dotted []string
	for _, f := range s.fields {
		if strings.Contains(f.Name, ".") {
			dotted = append(dotted, f.Name)
		} else {
			plain = append(plain, f.Name)
		}
	}
	return "coalesce(rowan.tsv_rest(" + sqltext.Literal(s.language) + "::regconfig, _body, " + sqltext.TextArray(plain) + ", " + sqltext.TextArray(dotted) + "), ''::tsvector)"
}
