package filtertest

import (
	"encoding/json"
	"strconv"

	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

// Types are the mapped fields of the documents that Documents makes: one of every kind, an object's
// property, and names that need quoting. The fields free, nested.free and two words have no mapping.
var Types = map[string]mapping.Type{
	"brand":       mapping.Keyword,
	"code":        mapping.CaseSensitiveKeyword,
	"tags":        mapping.Tags,
	"category":    mapping.Category,
	"folder":      mapping.Path,
	"stock":       mapping.Int,
	"price":       mapping.Price,
	"active":      mapping.Bool,
	"released":    mapping.Date,
	"body":        mapping.LongText,
	"author.name": mapping.Name,
	"and":         mapping.Keyword,
}

// The values are few and close to each other, so that filters find documents.
var (
	texts    = []string{"red", "Red", "RÉD", "dark blue", "blue", "", "10", "true", `a"b\c`, "ünï", "re"}
	levels   = []string{"Home", "Home > Garden", "home > garden > Tools", "Homes", "Toys >  Home ", "Home/x", "Home >", "> Toys", ">"}
	paths    = []string{"/a", "/a/b", "/a/b/", "/ab", "/", "a/b", "/A/B/c", "https://x.org/a"}
	integers = []string{"0", "1", "2", "10", "-5", "2147483647"}
	numbers  = []string{"0", "1", "1.0", "10", "1e1", "-5.5", "0.10", "0.1", "12345678901234567890", "9.99"}
	dates    = []string{
		"2024-05-01", "2024-05-01T00:00:00Z", "2024-05-01T23:59:59.999999Z", "2024-05-02", "2024-04-30T22:00:00-02:00",
		"2024-01-01T00:00", "2023-12-31T23:59:59", "2024-06-15T12:00:00+02:00", "2023-12-31T23:59:59.9999999Z", "2024-05-01T22:59:59.99999950-01:00",
		"1969-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999999Z", "9999-12-31", "0001-01-01T00:00:00.0000009Z",
	}
)

func quoted(texts []string) *rapid.Generator[any] {
	return rapid.Map(rapid.SampledFrom(texts), func(s string) any { return s })
}

func digits(numbers []string) *rapid.Generator[any] {
	return rapid.Map(rapid.SampledFrom(numbers), func(s string) any { return json.Number(s) })
}

func booleans() *rapid.Generator[any] {
	return rapid.Map(rapid.Bool(), func(b bool) any { return b })
}

// element generates one element of a field, as a document has it.
func element(field string) *rapid.Generator[any] {
	switch Types[field] {
	case mapping.Category:
		return quoted(levels)
	case mapping.Path:
		return quoted(paths)
	case mapping.Int:
		return rapid.OneOf(digits(integers), quoted(integers))
	case mapping.Price:
		return digits(numbers)
	case mapping.Bool:
		return rapid.OneOf(booleans(), quoted([]string{"true", "false"}))
	case mapping.Date:
		return rapid.OneOf(quoted(dates), digits([]string{"1714521600000", "0"}))
	case "":
		return rapid.OneOf(quoted(texts), digits(numbers), booleans())
	}
	return rapid.OneOf(quoted(texts), digits(numbers))
}

// content generates what a field holds: an element, null, or an array of them.
func content(field string) *rapid.Generator[any] {
	one := element(field)
	return rapid.OneOf(one, one, rapid.Just[any](nil),
		rapid.Map(rapid.SliceOfN(rapid.OneOf(one, one, one, rapid.Just[any](nil)), 0, 3), func(s []any) any { return s }))
}

// Documents generates documents that the mappings of Types accept, their _id among their properties.
func Documents() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		doc := map[string]any{"_id": strconv.Itoa(rapid.IntRange(1, 20).Draw(t, "_id"))}
		for _, field := range Fields() {
			if field == filter.IDField || !rapid.Bool().Draw(t, "has "+field) {
				continue
			}
			switch v := content(field).Draw(t, field); field {
			case "author.name":
				doc["author"] = map[string]any{"name": v}
			case "nested.free":
				doc["nested"] = map[string]any{"free": v}
			default:
				doc[field] = v
			}
		}
		return doc
	})
}

// Fields returns the fields of which filters are made, in a fixed order.
func Fields() []string {
	return []string{
		"_id", "brand", "code", "tags", "category", "folder", "stock", "price", "active", "released", "body",
		"author.name", "and", "free", "nested.free", "two words",
	}
}

// Filters generates filters over Fields that Bind accepts.
func Filters() *rapid.Generator[filter.Node] {
	return rapid.Custom(func(t *rapid.T) filter.Node {
		n, err := filter.Parse(expression(t, 3))
		if err != nil {
			t.Fatalf("a generated filter does not parse: %v", err)
		}
		return n
	})
}

func expression(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "kind of node")
	if depth == 0 || kind > 2 {
		return Condition().Draw(t, "condition")
	}
	left := expression(t, depth-1)
	switch kind {
	case 0:
		return "(" + left + ") AND (" + expression(t, depth-1) + ")"
	case 1:
		return "(" + left + ") OR (" + expression(t, depth-1) + ")"
	}
	return "NOT (" + left + ")"
}

// Condition generates one comparison in the string form.
func Condition() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		field := rapid.SampledFrom(Fields()).Draw(t, "field")
		name := filter.QuoteName(field)
		op := "EXISTS"
		if Types[field] != mapping.LongText {
			op = rapid.SampledFrom(operators(field)).Draw(t, "operator")
		} else if rapid.Bool().Draw(t, "null") {
			op = "IS NULL"
		}
		v := func() string { return written(t, field) }
		switch op {
		case "EXISTS", "IS NULL":
			return name + " " + op
		case "IN", "NOT IN":
			return name + " " + op + " [" + v() + ", " + v() + "]"
		case "TO":
			return name + " " + v() + " TO " + v()
		case "[}", "{]":
			return name + ":" + op[:1] + v() + " TO " + v() + op[1:]
		}
		return name + " " + op + " " + v()
	})
}

func operators(field string) []string {
	ops := []string{"=", "=", "!=", "IN", "NOT IN", "EXISTS", "IS NULL"}
	ranges := []string{"<", "<=", ">", ">=", "TO", "[}", "{]"}
	switch Types[field] {
	case mapping.Bool:
		return ops
	case mapping.Int, mapping.Price, mapping.Date:
		return append(ops, ranges...)
	}
	return append(append(ops, ranges...), "STARTS WITH")
}

// written generates a value as a filter has it.
func written(t *rapid.T, field string) string {
	text := func(texts []string) string {
		return filter.Comparison{
			Field: "x", Values: []filter.Literal{{Text: rapid.SampledFrom(texts).Draw(t, "text"), Quoted: true}},
		}.String()[len("x = "):]
	}
	bare := func(texts []string) string { return rapid.SampledFrom(texts).Draw(t, "bare") }
	switch Types[field] {
	case mapping.Category:
		return text(append([]string{"home", "Garden", "Home >", "Home > "}, levels...))
	case mapping.Path:
		return text(append([]string{"/a/", "/a/b/c"}, paths...))
	case mapping.Int, mapping.Price:
		return bare(append([]string{"1.5", "1e30", "-1e400", "100"}, numbers...))
	case mapping.Bool:
		return bare([]string{"true", "false", "TRUE", `"false"`})
	case mapping.Date:
		return bare(append([]string{"2024", "2024-05", "2023-12", "1714521600000", "9999", "1969", "0001-01-01", "9999-12-31T23:59:59.99999999Z", "2024-05-01T10:00:00.5Z"}, dates...))
	}
	if field == "_id" {
		return bare([]string{"1", "2", `"12"`, "x"})
	}
	if rapid.Bool().Draw(t, "bare") {
		return bare(append([]string{"red", "blue", "true", "FALSE"}, numbers...))
	}
	return text(texts)
}
