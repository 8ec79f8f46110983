package handlers

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
	docs "github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// Types of service under the names that the document has for them. Enumerations have names, since generators number those that
// have none (Type2, Match3), and make a type of its own of each place where one stands. A class Match is none in PHP.
type (
	// fieldMapping: a class Mapping would hide Python's own in what is generated for it.
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

// nameTypes makes the registry call types of service by these names.
func nameTypes(registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[mapping.Mapping](), reflect.TypeFor[fieldMapping]())
	registry.RegisterTypeAlias(reflect.TypeFor[mapping.Type](), reflect.TypeFor[mappingType]())
	registry.RegisterTypeAlias(reflect.TypeFor[docs.Result](), reflect.TypeFor[actionOutcome]())
	registry.RegisterTypeAlias(reflect.TypeFor[service.KeyType](), reflect.TypeFor[keyType]())
	registry.RegisterTypeAlias(reflect.TypeFor[service.Match](), reflect.TypeFor[matchInForce]())
}

// enumerations are the schemas of strings of which there are only some.
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
