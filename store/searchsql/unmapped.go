package searchsql

import "fmt"

// leavesOf selects the values of some JSON types in json, wherever they stand in it. Written out rather than a call of a function, since
// a query within that is planned for each document; and from an array, since jsonb_path_query moves all that are left for each.
func leavesOf(json, jsonTypes string) string {
	return fmt.Sprintf(`jsonb_array_elements(jsonb_path_query_array(%s, 'strict $.** ? (%s)'))`, json, jsonTypes)
}

// anyLeaf is the condition of leavesOf for all values.
const anyLeaf = `@.type() == "string" || @.type() == "number" || @.type() == "boolean"`

// unmappedValue is how values of a property without a mapping compare: jsonTypes are those of a value that stands alone, leafTypes the
// same within an array or object, of is the SQL of one value.
type unmappedValue struct {
	jsonTypes, leafTypes string
	of                   func(json string) string
}

var (
	unmappedNumber = unmappedValue{"('number')", `@.type() == "number"`, func(json string) string { return json + "::numeric" }}
	unmappedText   = unmappedValue{"('string')", `@.type() == "string"`, foldedJSON}
	unmappedBool   = unmappedValue{"('boolean')", `@.type() == "boolean"`, func(json string) string { return json + "::boolean" }}
	// unmappedWord is what is no number, in the order of the hits: as much of it as the keys of mapped fields hold. A cursor has it.
	unmappedWord = unmappedValue{"('string', 'boolean')", `@.type() == "string" || @.type() == "boolean"`, func(json string) string {
		return fmt.Sprintf(`left(rowan.fold(%s #>> '{}'), %d) COLLATE "C"`, json, maxKey)
	}}
)

func foldedJSON(json string) string { return "rowan.fold(" + json + ` #>> '{}') COLLATE "C"` }

// anyOf writes a condition that one of the values in a property passes a test. The property is looked up once, and a value that
// stands alone, as nearly all do, takes no query.
func (u unmappedValue) anyOf(src string, test func(value string) string) string {
	within := "EXISTS (SELECT FROM " + leavesOf("x.v", u.leafTypes) + " AS l(v) WHERE " + test(u.of("l.v")) + ")"
	return u.each(src, test(u.of("x.v")), within, "false")
}

// extreme is the smallest or largest of the values in a property, by an aggregate; null where there is none.
func (u unmappedValue) extreme(src, aggregate string) string {
	within := "(SELECT " + aggregate + "(" + u.of("l.v") + ") FROM " + leavesOf("x.v", u.leafTypes) + " AS l(v))"
	return u.each(src, u.of("x.v"), within, "NULL")
}

func (u unmappedValue) each(src, alone, within, none string) string {
	return fmt.Sprintf("(SELECT CASE WHEN jsonb_typeof(x.v) IN %s THEN %s WHEN jsonb_typeof(x.v) IN ('array', 'object') THEN %s ELSE %s END FROM (SELECT %s AS v OFFSET 0) x)",
		u.jsonTypes, alone, within, none, src)
}
