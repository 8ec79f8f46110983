package searchsql

import "fmt"

// leavesOf selects the values of some JSON types anywhere in json. It is written out, because a query inside a function would be planned for each
// document; and it goes through an array, because jsonb_path_query moves all remaining values for each one.
func leavesOf(json, jsonTypes string) string {
	return fmt.Sprintf(`jsonb_array_elements(jsonb_path_query_array(%s, 'strict $.** ? (%s)'))`, json, jsonTypes)
}

// anyLeaf is the condition of leavesOf for all values.
const anyLeaf = `@.type() == "string" || @.type() == "number" || @.type() == "boolean"`

// unmappedValue says how values of a property without a mapping compare: jsonTypes are the types of a single value, leafTypes the same for values in
// an array or object, and of returns the SQL of one value.
type unmappedValue struct {
	jsonTypes, leafTypes string
	of                   func(json string) string
}

var (
	unmappedNumber = unmappedValue{"('number')", `@.type() == "number"`, func(json string) string { return json + "::numeric" }}
	unmappedText   = unmappedValue{"('string')", `@.type() == "string"`, foldedJSON}
	unmappedBool   = unmappedValue{"('boolean')", `@.type() == "boolean"`, func(json string) string { return json + "::boolean" }}
	// unmappedWord orders hits by values other than numbers, cut to the length of mapped fields' keys, since cursors contain them.
	unmappedWord = unmappedValue{"('string', 'boolean')", `@.type() == "string" || @.type() == "boolean"`, func(json string) string {
		return fmt.Sprintf(`left(rowan.fold(%s #>> '{}'), %d) COLLATE "C"`, json, maxKey)
	}}
)

func foldedJSON(json string) string { return "rowan.fold(" + json + ` #>> '{}') COLLATE "C"` }

// anyOf returns a condition that one of the values in a property passes a test. The property is looked up once, and a single value, the usual case,
// does not need a subquery.
func (u unmappedValue) anyOf(src string, test func(value string) string) string {
	within := "EXISTS (SELECT FROM " + leavesOf("x.v", u.leafTypes) + " AS l(v) WHERE " + test(u.of("l.v")) + ")"
	return u.each(src, test(u.of("x.v")), within, "false")
}

// extreme returns the smallest or largest of the values in a property, as determined by aggregate; null if there is none.
func (u unmappedValue) extreme(src, aggregate string) string {
	within := "(SELECT " + aggregate + "(" + u.of("l.v") + ") FROM " + leavesOf("x.v", u.leafTypes) + " AS l(v))"
	return u.each(src, u.of("x.v"), within, "NULL")
}

func (u unmappedValue) each(src, alone, within, none string) string {
	return fmt.Sprintf("(SELECT CASE WHEN jsonb_typeof(x.v) IN %s THEN %s WHEN jsonb_typeof(x.v) IN ('array', 'object') THEN %s ELSE %s END FROM (SELECT %s AS v OFFSET 0) x)",
		u.jsonTypes, alone, within, none, src)
}
