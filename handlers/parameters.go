package handlers

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/rowansearch/rowan/service"
)

// parameters refuses a query string that cannot be parsed, and parameters that are unknown to the operation, are repeated or
// have a value outside their enumeration, because the server would not do what was meant by them. It also refuses parameters
// that are not UTF-8, which PostgreSQL can neither store nor find. The query string of a public operation is ignored: health
// checks may add anything to it.
func (a *api) parameters(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	if specOf(ctx.Operation()).public {
		r.URL.RawQuery = ""
	}
	given, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		writeProblem(w, r, service.Errorf(service.CodeInvalidRequest, "The query string of the URL is invalid: %s. Write %% as %%25 and ; as %%3B.", err).
			With(service.FieldError{Location: "query", Message: err.Error(), Value: r.URL.RawQuery}))
		return
	}
	r.URL.RawQuery = withValues(r.URL.RawQuery)
	faults := append(a.queryFaults(given, ctx.Operation()), notUTF8(ctx)...)
	if len(faults) > 0 {
		writeProblem(w, r, service.Errorf(service.CodeInvalidRequest, "%s", summary(faults, 0)).With(faults...))
		return
	}
	next(ctx)
}

// queryFaults returns a fault for each query parameter that op does not have, for each that is repeated, as none of ours is a
// list and huma would take the first, and for each whose value is not in its enumeration, as huma takes an empty one for no
// value.
func (a *api) queryFaults(given url.Values, op *huma.Operation) []service.FieldError {
	var names []string
	choices := map[string][]string{}
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
			choices[p.Name] = a.choices(p.Schema)
		}
	}
	var faults []service.FieldError
	fault := func(name string, value any, message string) {
		faults = append(faults, service.FieldError{Location: "query." + name, Message: message, Value: value})
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch values := given[name]; {
		case !slices.Contains(names, name):
			hint := a.bodyHint(name, op)
			if hint == "" {
				hint = knownNames(names)
			}
			fault(name, values[0], "unknown parameter; "+hint)
		case len(values) > 1:
			fault(name, values, fmt.Sprintf("is given %d times; send it once", len(values)))
		case len(choices[name]) > 0 && !slices.Contains(choices[name], values[0]):
			fault(name, values[0], "expected one of "+strings.Join(choices[name], ", "))
		}
	}
	return faults
}

// bodyHint returns what to write in a body for a query parameter that names one of its properties, in our spelling or in that of
// another search engine: some take searches in the query string. The body is that of op, or else of a search on its path. Without
// such a property it returns "".
func (a *api) bodyHint(name string, op *huma.Operation) string {
	path := a.oas.OpenAPI().Paths[op.Path]
	for _, other := range []*huma.Operation{op, path.Post} {
		if other == nil || other.RequestBody == nil || other != op && !specOf(other).searchKey {
			continue
		}
		known := slices.Sorted(maps.Keys(a.properties(other.RequestBody.Content[jsonType].Schema)))
		hint := "write " + name
		if !slices.Contains(known, name) {
			hint = service.Counterpart(name, known)
		}
		switch {
		case hint == "":
		case other == op:
			return "in the JSON body, " + hint
		default:
			return "send POST, and in its JSON body " + hint
		}
	}
	return ""
}

// properties returns the properties of an object.
func (a *api) properties(schema *huma.Schema) map[string]*huma.Schema {
	if schema.Ref != "" {
		schema = a.oas.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
	}
	return schema.Properties
}

// choices returns the values of an enumeration, and none for any other schema.
func (a *api) choices(schema *huma.Schema) []string {
	if schema.Ref != "" {
		schema = a.oas.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
	}
	var values []string
	for _, value := range schema.Enum {
		values = append(values, fmt.Sprint(value))
	}
	return values
}

// knownNames returns the hint that lists names to a client that sent an unknown one.
func knownNames(names []string) string {
	switch len(names) {
	case 0:
		return "none is expected here"
	case 1:
		return "expected " + names[0]
	}
	return "expected one of " + strings.Join(names, ", ")
}

func notUTF8(ctx huma.Context) []service.FieldError {
	var faults []service.FieldError
	for _, p := range ctx.Operation().Parameters {
		var value string
		switch p.In {
		case "path":
			value = ctx.Param(p.Name)
		case "query":
			value = ctx.Query(p.Name)
		}
		if !utf8.ValidString(value) {
			faults = append(faults, service.FieldError{Location: p.In + "." + p.Name, Message: "not UTF-8", Value: value})
		}
	}
	return faults
}

// withValues gives parameters without a value an empty one: ?filter becomes ?filter=. huma would take them for flags with the value true.
func withValues(query string) string {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if part != "" && !strings.Contains(part, "=") {
			parts[i] += "="
		}
	}
	return strings.Join(parts, "&")
}
