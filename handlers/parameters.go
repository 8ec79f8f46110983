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

// parameters refuses a query string that cannot be read, parameters in it that the operation does not know, that are there twice
// or have a value that it does not know, since what was meant by them would not be done, and parameters that are not UTF-8:
// PostgreSQL could neither store nor find them. The query string of a public operation is not looked at: those who ask for the
// health may add what they like.
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

// queryFaults names the parameters of a query string that op does not have, those that are there more than once, since none of
// ours is a list and huma takes the first, and those that have none of the values there are: huma takes an empty one for none.
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
			fault(name, values[0], "unknown parameter; "+knownNames(names))
		case len(values) > 1:
			fault(name, values, fmt.Sprintf("is given %d times; send it once", len(values)))
		case len(choices[name]) > 0 && !slices.Contains(choices[name], values[0]):
			fault(name, values[0], "expected one of "+strings.Join(choices[name], ", "))
		}
	}
	return faults
}

// choices returns the values of an enumeration; none for any other schema.
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

// knownNames tells whoever gave a name that is none of names what these are.
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

// withValues gives parameters without a value an empty one: ?filter is ?filter=. huma has them for flags, of the value true.
func withValues(query string) string {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if part != "" && !strings.Contains(part, "=") {
			parts[i] += "="
		}
	}
	return strings.Join(parts, "&")
}
