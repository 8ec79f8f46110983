package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
)

// operation describes a route: all that the router, the middleware and the OpenAPI document need to know.
type operation struct {
	id, method, path string
	tag              string
	summary          string
	description      string
	// public operations need no credentials; searchKey ones take search keys as well as admin keys.
	public, searchKey bool
	// body is nil for an operation that takes none; what is sent nevertheless is ignored.
	body *bodySpec
	// status is the status of success, also is another one that it may have; 0 means none.
	status, also int
	// example is the JSON of an answer, alsoExample that of one with the other status, where that differs.
	example, alsoExample string
	// errors are the codes besides those that every operation of its kind may answer with.
	errors []service.Code
}

// bodySpec says what the body of a request may be.
type bodySpec struct {
	limit    int64 // bytes
	optional bool
	// mergePatch: application/merge-patch+json is taken, too.
	mergePatch  bool
	description string
	schema      *huma.Schema
	example     string
}

const (
	jsonType       = "application/json"
	mergePatchType = "application/merge-patch+json"
	problemType    = "application/problem+json"
	specKey        = "operation"
)

// specOf returns the operation that op was registered from.
func specOf(op *huma.Operation) *operation { return op.Metadata[specKey].(*operation) }

// register adds an operation to the router and to the document. fn gets its input checked and returns any
// error as it is: what clients see of it is decided in problem.go.
func register[I, O any](a *api, op operation, fn func(context.Context, *I) (*O, error)) {
	huma.Register(a.oas, a.describe(&op), func(ctx context.Context, in *I) (*O, error) {
		out, err := fn(ctx, in)
		if err != nil {
			return nil, problem(ctx, err)
		}
		return out, nil
	})
}

// describe makes huma's description of op. The body of the request joins it in describeBody, once huma has
// decided that it has no body to read.
func (a *api) describe(op *operation) huma.Operation {
	if op.status == 0 {
		op.status = http.StatusOK
	}
	described := huma.Operation{
		OperationID:   op.id,
		Method:        op.method,
		Path:          op.path,
		Tags:          []string{op.tag},
		Summary:       op.summary,
		Description:   op.description,
		DefaultStatus: op.status,
		Responses:     a.errorResponses(op),
		Metadata:      map[string]any{specKey: op},
	}
	described.Security = []map[string][]string{}
	if !op.public {
		described.Security = append(described.Security, map[string][]string{"basic": {}}, map[string][]string{"application": {}, "apiKey": {}})
	}
	if op.example != "" {
		described.Responses[strconv.Itoa(op.status)] = &huma.Response{
			Content: map[string]*huma.MediaType{jsonType: {Example: json.RawMessage(op.example)}},
		}
	}
	return described
}

// describeBody completes what huma has described: the body of the request, and the second status, which
// has the schema of the first.
func describeBody(_ *huma.OpenAPI, described *huma.Operation) {
	op := specOf(described)
	if op.also != 0 {
		first := described.Responses[strconv.Itoa(op.status)]
		also := &huma.Response{Description: http.StatusText(op.also), Content: first.Content}
		if op.alsoExample != "" {
			also.Content = map[string]*huma.MediaType{jsonType: {Schema: first.Content[jsonType].Schema, Example: json.RawMessage(op.alsoExample)}}
		}
		if op.also == http.StatusServiceUnavailable { // huma gives the header to the first
			first.Headers, also.Headers = nil, retryAfter()
		}
		described.Responses[strconv.Itoa(op.also)] = also
	}
	if op.body == nil {
		return
	}
	content := map[string]*huma.MediaType{jsonType: {Schema: op.body.schema, Example: json.RawMessage(op.body.example)}}
	if op.body.mergePatch {
		content[mergePatchType] = &huma.MediaType{Schema: refTo("MergePatch"), Example: json.RawMessage(op.body.example)}
	}
	described.RequestBody = &huma.RequestBody{
		Description: op.body.description,
		Content:     content,
		Required:    !op.body.optional,
	}
}

// codes lists every code that op may answer with, in the order of the documentation.
func (op *operation) codes() []service.Code {
	codes := slices.Concat(op.errors, []service.Code{service.CodeInternal, service.CodeUnavailable})
	if op.public {
		return ordered(codes)
	}
	codes = append(codes, service.CodeUnauthorized, service.CodeWrongApplication, service.CodeMisdirected, service.CodeTooManyRequests)
	if !op.searchKey {
		codes = append(codes, service.CodeKeyNotAllowed)
	}
	codes = append(codes, service.CodeInvalidRequest) // of parameters, known or not
	if op.body != nil {
		codes = append(codes, service.CodeInvalidJSON, service.CodeTooLarge, service.CodeUnsupportedMediaType)
	}
	return ordered(codes)
}

func ordered(codes []service.Code) []service.Code {
	var out []service.Code
	for _, code := range service.Codes {
		if slices.Contains(codes, code) {
			out = append(out, code)
		}
	}
	return out
}

// errorResponses describes the errors of op: a response for each status, which names its codes.
func (a *api) errorResponses(op *operation) map[string]*huma.Response {
	out := map[string]*huma.Response{}
	for _, code := range op.codes() {
		m := meanings[code]
		status := strconv.Itoa(m.status)
		if r, ok := out[status]; ok {
			r.Description += " `" + string(code) + "`: " + m.title + "."
			continue
		}
		response := &huma.Response{
			Description: "`" + string(code) + "`: " + m.title + ".",
			Content:     map[string]*huma.MediaType{problemType: {Schema: a.ref("Problem")}},
		}
		switch m.status {
		case http.StatusUnauthorized:
			response.Headers = header("WWW-Authenticate", "How to authenticate.", huma.TypeString)
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			response.Headers = retryAfter()
		}
		out[status] = response
	}
	return out
}

func header(name, description, kind string) map[string]*huma.Header {
	return map[string]*huma.Header{name: {Description: description, Schema: &huma.Schema{Type: kind}}}
}

func retryAfter() map[string]*huma.Header {
	return header("Retry-After", "Seconds to wait before trying again.", huma.TypeInteger)
}
