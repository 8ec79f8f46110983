package handlers

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

const (
	schemaPrefix = "#/components/schemas/"
	typeNull     = "null" // huma has no name for it
)

// refTo returns a reference to a named schema.
func refTo(name string) *huma.Schema { return &huma.Schema{Ref: schemaPrefix + name} }

// nameSchemas registers the schemas that no Go type of an answer brings along: those of requests, which are decoded by
// hand, and of values whose form clients choose.
func nameSchemas(registry huma.Registry) {
	nameTypes(registry)
	add := func(named map[string]*huma.Schema) {
		for name, schema := range named {
			schema.PrecomputeMessages()
			registry.Map()[name] = schema
		}
	}
	add(enumerations()) // before the schemas that refer to them
	for _, v := range []any{Problem{}, mapping.Mapping{}, service.Explanation{}, service.ApplicationSettings{}, service.FacetValue{}, service.FacetStats{}} {
		registry.Schema(reflect.TypeOf(v), true, "")
	}
	describeFacets(registry)
	add(map[string]*huma.Schema{
		"FacetNames":         facetNamesSchema(),
		"FacetScalar":        anyOfTypes(huma.TypeString, huma.TypeNumber, huma.TypeBoolean),
		"NumberOrDate":       anyOfTypes(huma.TypeNumber, huma.TypeString),
		"Document":           documentSchema(),
		"MergePatch":         mergePatchSchema(),
		"Hit":                hitSchema(),
		"Filter":             filterSchema(),
		"FilterObject":       openObject("A filter as an object: properties and their values.", nil),
		"PageNumber":         quotable("Number of a page, or the same in quotes.", 1, "^0*[1-9][0-9]*$"),
		"PageSize":           quotable("Number of hits, or the same in quotes.", 0, "^[0-9]+$"),
		"Synonym":            synonymSchema(),
		"OneWaySynonym":      oneWaySynonymSchema(),
		"BatchReadAction":    batchReadActionSchema(),
		"BatchWriteAction":   batchWriteActionSchema(),
		"IndexRequest":       indexRequestSchema(),
		"IndexSettingsPatch": indexSettingsPatchSchema(),
		"SearchRequest":      searchRequestSchema(),
		"NamedSearchRequest": namedSearchRequestSchema(),
		"MultiSearchRequest": multiSearchRequestSchema(),
		"SearchDefinition":   definitionSchema(true),
		"DefinitionRequest":  definitionSchema(false),
		"KeyRequest":         keyRequestSchema(),
	})
}

// describeFacets sets the schemas of the values of facets, for which Go has no type.
func describeFacets(registry huma.Registry) {
	registry.Map()["FacetValue"].Properties["value"].Ref = schemaPrefix + "FacetScalar"
	for _, name := range []string{"min", "max", "avg"} {
		registry.Map()["FacetStats"].Properties[name].Ref = schemaPrefix + "NumberOrDate"
	}
}

// anyOfTypes has no description, so that generated clients show the one at each place where it is used.
func anyOfTypes(types ...string) *huma.Schema {
	s := &huma.Schema{}
	for _, kind := range types {
		s.AnyOf = append(s.AnyOf, &huma.Schema{Type: kind})
	}
	return s
}

func text(description string, examples ...any) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: description, Examples: examples}
}

func boolean(description string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeBoolean, Description: description}
}

func integer(description string, lowest, highest float64) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Description: description, Minimum: &lowest, Maximum: &highest}
}

func listOf(items *huma.Schema, description string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: items, Description: description}
}

func atLeast(n int, list *huma.Schema) *huma.Schema {
	list.MinItems = &n
	return list
}

func atMost(n int, list *huma.Schema) *huma.Schema {
	list.MaxItems = &n
	return list
}

func sized(least, most int, s *huma.Schema) *huma.Schema {
	s.MinLength, s.MaxLength = &least, &most
	return s
}

// idText describes the identifier of a document. Its real limit is in bytes, of which a character takes one or more.
func idText(description string, examples ...any) *huma.Schema {
	return sized(1, 512, text(description, examples...))
}

func openObject(description string, properties map[string]*huma.Schema, required ...string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Description: description, Properties: properties, Required: required, AdditionalProperties: true}
}

func closedObject(description string, properties map[string]*huma.Schema, required ...string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Description: description, Properties: properties, Required: required, AdditionalProperties: false}
}

func boostSchema() *huma.Schema {
	lowest, highest := 0.0, 1000.0
	return &huma.Schema{Type: huma.TypeNumber, Format: "double", ExclusiveMinimum: &lowest, Maximum: &highest, Nullable: true,
		Description: "Factor of the document's score; 1 if absent."}
}

func documentProperties() map[string]*huma.Schema {
	return map[string]*huma.Schema{
		"_id":          idText("Identifier of the document: 1 to 512 bytes.", "blade-runner"),
		"boost":        boostSchema(),
		"autocomplete": listOf(text(""), "Suggestions, written by the service from the settings of the index."),
	}
}

func documentSchema() *huma.Schema {
	return openObject("A JSON object with any properties; names that start with an underscore are reserved.", documentProperties())
}

// mergePatchSchema is not Document because generated clients choose the media type by the type of what they send.
func mergePatchSchema() *huma.Schema {
	return openObject("Changes to a document (RFC 7396): null removes a property, objects are merged, anything else replaces.", nil)
}

func hitSchema() *huma.Schema {
	properties := documentProperties()
	properties["_score"] = &huma.Schema{Type: huma.TypeNumber, Format: "double", Description: "Score of the hit; 0 without a query."}
	properties["_highlight"] = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: listOf(text(""), ""),
		Description: "For each field that matched, its texts as HTML with the matched words in <b>."}
	properties["_explanation"] = refTo("Explanation")
	return openObject("A document that was found.", properties, "_id", "_score")
}

// filterSchema has no description, so that 3.0 has it at each place instead of a named schema of any value, which
// generated clients send as an empty value where it is absent.
func filterSchema() *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{text("An expression: brand = Acme AND price 10 TO 20."), refTo("FilterObject")}}
}

func filterProperty() *huma.Schema {
	return described(refTo("Filter"), "A filter: an expression, or an object of properties and their values.")
}

// quotable describes an integer that may also come in quotes, in the form of pattern.
func quotable(description string, least float64, pattern string) *huma.Schema {
	quoted := text("")
	quoted.Pattern = pattern
	return &huma.Schema{Description: description, OneOf: []*huma.Schema{{Type: huma.TypeInteger, Format: "int32", Minimum: &least}, quoted}}
}

func facetNamesSchema() *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{atMost(50, listOf(text(""), "")), text("", "genres year")}}
}

func synonymSchema() *huma.Schema {
	return &huma.Schema{
		Description: "Words that find each other, or words that also find others.",
		OneOf:       []*huma.Schema{atLeast(2, entries("Equivalents.")), refTo("OneWaySynonym")},
	}
}

func oneWaySynonymSchema() *huma.Schema {
	return closedObject("Words that also find others, but not vice versa.", map[string]*huma.Schema{
		"from": atLeast(1, entries("Words of a query.")),
		"to":   atLeast(1, entries("Words that they also find.")),
	}, "from", "to")
}

// entries describes a list of words or phrases of a synonym.
func entries(description string) *huma.Schema {
	return atMost(50, listOf(sized(1, 200, text("")), description))
}

func batchReadActionSchema() *huma.Schema {
	return closedObject("Names a document to read.", map[string]*huma.Schema{"_id": idText("Identifier of the document.")}, "_id")
}

func batchWriteActionSchema() *huma.Schema {
	return closedObject("One change.", map[string]*huma.Schema{
		"action": refTo("ActionName"),
		"_id":    idText("Identifier of the document. Without one, upsert and update generate it."),
		"body":   refTo("Document"),
	}, "action")
}

func indexRequestSchema() *huma.Schema {
	return closedObject("An index to create or change. Beyond this schema, an index as GET returns it is also accepted: properties that cannot be set are ignored, but a name must be that in the path.", map[string]*huma.Schema{
		"mappings": atMost(400, listOf(refTo("FieldMapping"), "Types of the documents' properties.")),
	})
}

func indexSettingsPatchSchema() *huma.Schema {
	return closedObject("Settings of an index. Absent settings keep their values in a PATCH and get their defaults in a PUT.", map[string]*huma.Schema{
		"language":     text("Language of the texts: any PostgreSQL text-search configuration; english unless set.", service.DefaultLanguage),
		"autocomplete": refTo("Autocomplete"),
		"synonyms":     atMost(10000, listOf(refTo("Synonym"), "Words that find each other.")),
		"stop_words":   atMost(10000, listOf(sized(1, 200, text("")), "Words of a query that need not be found, in addition to those of the language.")),
	})
}

func searchProperties() map[string]*huma.Schema {
	return map[string]*huma.Schema{
		"query":       text(`Words, "a phrase", -excluded, a OR b. Any string is a valid query; none matches everything.`, "blade runner"),
		"page":        described(refTo("PageNumber"), "Page, from 1."),
		"per_page":    described(refTo("PageSize"), "Hits per page, 0 to 1000 (more means 1000)."),
		"facets":      described(refTo("FacetNames"), "Fields to count: an array, or a string of names separated by spaces or commas (a name that contains either goes in backquotes)."),
		"filter":      filterProperty(),
		"filters":     filterProperty(),
		"sort":        text("Comma-separated: field, -field, field:asc, field desc, _score, _id.", "-year, _score"),
		"match":       refTo("MatchMode"),
		"disjunctive": listOf(text(""), "Facets that are counted as if the filter said nothing about them."),
		"explain":     boolean("Whether each hit explains its score."),
		"cursor":      text("Continues after the last hit of the response that this cursor came with."),
	}
}

func described(s *huma.Schema, description string) *huma.Schema {
	s.Description = description
	return s
}

func searchRequestSchema() *huma.Schema {
	return closedObject("A search. Every property is optional; an empty search matches everything.", searchProperties())
}

func namedSearchRequestSchema() *huma.Schema {
	properties := searchProperties()
	properties["search"] = text("Name of a defined search or of an index.", "films")
	return closedObject("One of several searches.", properties, "search")
}

func multiSearchRequestSchema() *huma.Schema {
	searches := atMost(service.MaxSearches, atLeast(1, listOf(refTo("NamedSearchRequest"), "1 to 20 searches.")))
	return closedObject("Several searches.", map[string]*huma.Schema{"searches": searches}, "searches")
}

func definitionSchema(answer bool) *huma.Schema {
	least, most := service.LeastWeight, float64(service.MostWeight)
	fields := 100
	properties := map[string]*huma.Schema{
		"index":    text("Index to search.", "films"),
		"per_page": integer("Hits per page if the request does not say.", 0, 1000),
		"fields": {Type: huma.TypeObject, MaxProperties: &fields, AdditionalProperties: &huma.Schema{Type: huma.TypeNumber, Format: "double", Minimum: &least, Maximum: &most},
			Description: "Only these fields are searched, with these weights."},
		"facets":         atMost(50, listOf(text(""), "Facets if the request names none.")),
		"filter":         filterProperty(),
		"sort":           text("Sort expression if the request has none."),
		"match":          refTo("MatchMode"),
		"typo_tolerance": boolean("Whether words close to the query's words are searched too; true unless set."),
	}
	if !answer {
		properties["name"] = text("If present, it must be the name in the path, so that you can send back what GET returned.", "popular-films")
		properties["facets"].Description += " A string of names, as in a search, is also accepted."
		return closedObject("How an index is searched under another name.", properties, "index")
	}
	properties["name"] = text("Name of the search.", "popular-films")
	return closedObject("A defined search.", properties, "name", "index")
}

func keyRequestSchema() *huma.Schema {
	expires := text("When the key stops working, in the future; absent or null means never.")
	expires.Format, expires.Nullable = "date-time", true
	indices := atLeast(1, listOf(text(""), "Indices and searches that the key is limited to; all if absent."))
	filter := text("Filter that is always applied to searches with the key; none if absent.", "public = true")
	filter.MinLength = new(1)
	return closedObject("A key to create.", map[string]*huma.Schema{
		"type":        refTo("KeyType"),
		"description": sized(0, 500, text("What the key is for.", "web shop")),
		"expires_at":  expires,
		"indices":     indices,
		"filter":      filter,
	}, "type")
}
