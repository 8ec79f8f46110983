package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
)

// definition is a defined search as clients see it.
type definition service.SearchDefinition

// Schema points at the schema of definitions.
func (definition) Schema(huma.Registry) *huma.Schema { return refTo("SearchDefinition") }

type searchName struct {
	Name string `json:"name" doc:"Name of the search." example:"popular-films"`
}

type (
	definitionOutput struct {
		Status int
		Body   definition
	}
	definitionListOutput struct{ Body []definition }
	searchNameOutput     struct{ Body searchName }
)

const (
	definitionBodyExample = `{"index":"films","fields":{"title":3,"description":1},"facets":["genres"],"filter":"year >= 1950","match":"auto"}`
	definitionExample     = `{"name":"popular-films","index":"films","fields":{"title":3,"description":1},"facets":["genres"],"filter":"year >= 1950","match":"auto"}`
)

func (a *api) registerDefinitions() {
	const (
		tag  = "Defined searches"
		path = "/v1/search/{search}"
	)
	register(a, operation{
		id: "listSearches", method: http.MethodGet, path: "/v1/search", tag: tag,
		summary: "List the defined searches", description: "Sorted by name.", example: "[" + definitionExample + "]",
	}, a.listDefinitions)
	register(a, operation{
		id: "getSearch", method: http.MethodGet, path: path, tag: tag,
		summary: "Get a defined search", example: definitionExample,
		errors: []service.Code{service.CodeSearchNotFound},
	}, a.getDefinition)
	register(a, operation{
		id: "putSearch", method: http.MethodPut, path: path, tag: tag, status: http.StatusOK, also: http.StatusCreated,
		summary: "Define a search", description: "201 if the name is new, 200 if the search of that name was replaced. The index need not exist yet.",
		body:    &bodySpec{limit: a.cfg.MaxSearchBytes, schema: refTo("DefinitionRequest"), example: definitionBodyExample},
		example: definitionExample,
		errors: []service.Code{
			service.CodeNameTaken, service.CodeInvalidFilter, service.CodeInvalidSort, service.CodeInvalidFacets,
		},
	}, a.putDefinition)
	register(a, operation{
		id: "deleteSearch", method: http.MethodDelete, path: path, tag: tag, status: http.StatusAccepted,
		summary: "Delete a defined search", description: "The index is kept.", example: `{"name":"popular-films"}`,
		errors: []service.Code{service.CodeSearchNotFound},
	}, a.deleteDefinition)
}

func (a *api) listDefinitions(ctx context.Context, _ *struct{}) (*definitionListOutput, error) {
	found, err := a.svc.SearchDefinitions(ctx, application(ctx))
	if err != nil {
		return nil, err
	}
	out := make([]definition, len(found))
	for i, def := range found {
		out[i] = definition(def)
	}
	return &definitionListOutput{out}, nil
}

func (a *api) getDefinition(ctx context.Context, in *definitionPath) (*definitionOutput, error) {
	def, err := a.svc.SearchDefinition(ctx, application(ctx), in.Search)
	if err != nil {
		return nil, err
	}
	return &definitionOutput{http.StatusOK, definition(def)}, nil
}

func (a *api) putDefinition(ctx context.Context, in *definitionPath) (*definitionOutput, error) {
	d, def, err := decodeDefinition(bodyOf(ctx).data, in.Search)
	if err != nil {
		return nil, err
	}
	created, err := a.svc.PutSearch(ctx, application(ctx), def)
	if err != nil {
		return nil, d.asSent(err)
	}
	if created {
		return &definitionOutput{http.StatusCreated, definition(def)}, nil
	}
	return &definitionOutput{http.StatusOK, definition(def)}, nil
}

func (a *api) deleteDefinition(ctx context.Context, in *definitionPath) (*searchNameOutput, error) {
	if err := a.svc.DeleteSearch(ctx, application(ctx), in.Search); err != nil {
		return nil, err
	}
	return &searchNameOutput{searchName{in.Search}}, nil
}

// decodeDefinition reads a definition. It may repeat the name in the path, so that the answer of GET can be sent back.
func decodeDefinition(body []byte, name string) (*decoder, service.SearchDefinition, error) {
	d, o, err := decodeBody(body)
	if err != nil {
		return nil, service.SearchDefinition{}, err
	}
	o.only("name", "index", "per_page", "fields", "facets", "filter", "sort", "match", "typo_tolerance")
	if given, ok := o.get("name"); ok && d.str("body.name", given) != name {
		d.fault("body.name", given, "must be the name in the path, or omitted")
	}
	def := service.SearchDefinition{
		Name:          name,
		Index:         o.required("index"),
		PerPage:       o.integer("per_page"),
		Fields:        o.weights("fields"),
		Filter:        o.filter("filter"),
		Sort:          o.str("sort"),
		Match:         service.Match(o.oneOf("match", string(service.MatchAll), string(service.MatchAny), string(service.MatchAuto))),
		TypoTolerance: o.boolean("typo_tolerance"),
	}
	facets := o.facets("facets")
	if err := d.err(service.CodeInvalidRequest); err != nil {
		return nil, service.SearchDefinition{}, err
	}
	def.Facets, err = facets.List()
	return d, def, err
}

// weights reads an object of numbers greater than 0. service checks their range.
func (o object) weights(name string) map[string]float64 {
	raw, ok := o.get(name)
	if !ok {
		return nil
	}
	if raw[0] != '{' {
		o.d.fault(o.at+"."+name, raw, `expected an object of fields and their weights, such as {"title": 1}`)
		return nil
	}
	fields, _ := o.d.object(o.at+"."+name, raw)
	out := make(map[string]float64, len(fields.members))
	for _, field := range slices.Sorted(maps.Keys(fields.members)) {
		var weight float64
		if json.Unmarshal(fields.members[field], &weight) != nil || weight <= 0 {
			o.d.fault(fmt.Sprintf("%s.%s", fields.at, field), fields.members[field], "expected a number, %g to %d", service.LeastWeight, service.MostWeight)
		}
		out[field] = weight
	}
	return out
}
