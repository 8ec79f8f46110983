package handlers

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
	docs "github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// Types of service under their names in the OpenAPI document. Enumerations have names because generators number those without
// (Type2, Match3), and make another type for each place where one occurs. MatchInForce is not called Match because PHP does
// not allow a class of that name.
type (
	// fieldMapping is not called Mapping, which would hide Python's own class in generated clients.
	fieldMapping  mapping.Mapping
	mappingType   mapping.Type
	actionOutcome docs.Result
	keyType       service.KeyType
	matchInForce  service.Match
)

// Schema points at the enumeration.
func (mappingType) Schema(huma.Registry) *huma.Schema { return refTo("MappingType") }

// Schema points at the enumeration.
func (actionOutcome) Schema(huma.Registry) *huma.Schema { return refTo("ActionOutcome") }

// Schema points at the enumeration.
func (keyType) Schema(huma.Registry) *huma.Schema { return refTo("KeyType") }

// Schema points at the enumeration.
func (matchInForce) Schema(huma.Registry) *huma.Schema { return refTo("MatchInForce") }

// nameTypes makes the registry use these names for the types of service.
func nameTypes(registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[mapping.Mapping](), reflect.TypeFor[fieldMapping]())
	registry.RegisterTypeAlias(reflect.TypeFor[mapping.Type](), reflect.TypeFor[mappingType]())
	registry.RegisterTypeAlias(reflect.TypeFor[docs.Result](), reflect.TypeFor[actionOutcome]())
	registry.RegisterTypeAlias(reflect.TypeFor[service.KeyType](), reflect.TypeFor[keyType]())
	registry.RegisterTypeAlias(reflect.TypeFor[service.Match](), reflect.TypeFor[matchInForce]())
}

// enumerations returns the schemas of strings with a fixed set of values.
func enumerations() map[string]*huma.Schema {
	return map[string]*huma.Schema{
		"MappingType": enumeration("Type of a field.", mapping.Types...),
		"ActionName": enumeration("What to do with a document; case does not matter. create takes no _id; update is the same as patch.",
			"create", "upsert", "update", "patch", "delete"),
		"ActionOutcome": enumeration("Outcome of an action.",
			docs.ResultCreated, docs.ResultUpdated, docs.ResultNoop, docs.ResultDeleted, docs.ResultNotFound),
		"KeyType": enumeration("admin keys may do everything in their application, search keys may only search.", service.AdminKey, service.SearchKey),
		"MatchMode": enumeration("all: documents with all words. any: with any of them. auto (default): all words if there are at least 20 such documents, "+
			"otherwise those with the words that matter.", service.MatchAll, service.MatchAny, service.MatchAuto),
		"MatchInForce": enumeration("all: documents with all words were found. any: with any of them, or with those that matter.", service.MatchAll, service.MatchAny),
		"ProblemCode":  enumeration("Stable identifier of the error; programs should use it.", service.Codes...),
		"HealthStatus": enumeration("State of the service.", "ok", "unavailable"),
		"StoreAction":  enumeration("upsert (default) stores the document, patch changes its properties.", "upsert", "patch"),
	}
}

func enumeration[T ~string](description string, values ...T) *huma.Schema {
	s := text(description)
	for _, value := range values {
		s.Enum = append(s.Enum, string(value))
	}
	return s
}
