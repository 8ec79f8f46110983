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

// operation describes a route: everything that the router, the middleware and the OpenAPI document need to know of it.
type operation struct {
	id, method, path string
	tag              string
	summary          string
	description      string
	// public operations need no credentials; searchKey operations accept search keys as well as admin keys.
	public, searchKey bool
	// body is nil for an operation that takes none; a body that is sent all the same is ignored.
	body *bodySpec
	// status is the HTTP status of success, 0 means 200; also is a second one that the answer may have, 0 means none.
	status, also int
	// example is an answer in JSON; alsoExample is one with the other status, if that differs.
	example, alsoExample string
	// errors are the codes that the operation may answer with, besides those of every operation of its kind.
	errors []service.Code
}

// bodySpec says what the body of a request may be.
type bodySpec struct {
	limit    int64 // bytes
	optional bool
	// mergePatch also allows application/merge-patch+json.
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

// register adds an operation to the router and to the OpenAPI document. huma checks the input of fn. fn returns errors as
// they are: problem.go decides what clients see of them.
func register[I, O any](a *api, op operation, fn func(context.Context, *I) (*O, error)) {
	huma.Register(a.oas, describe(&op), func(ctx context.Context, in *I) (*O, error) {
		out, err := fn(ctx, in)
		if err != nil {
			return nil, problem(ctx, err)
		}
		return out, nil
	})
}

// describe returns the description of op for huma. describeBody adds the body of the request later, once huma has decided
// that it has no body to read.
func describe(op *operation) huma.Operation {
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
		Responses:     op.errorResponses(),
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

// describeBody completes huma's description with the body of the request and with the second status, which has the schema
// of the first.
func describeBody(_ *huma.OpenAPI, described *huma.Operation) {
	op := specOf(described)
	if op.also != 0 {
		first := described.Responses[strconv.Itoa(op.status)]
		also := &huma.Response{Description: http.StatusText(op.also), Content: first.Content}
		if op.alsoExample != "" {
			also.Content = map[string]*huma.MediaType{jsonType: {Schema: first.Content[jsonType].Schema, Example: json.RawMessage(op.alsoExample)}}
		}
		if op.also == http.StatusServiceUnavailable { // huma has put the header on the first
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

// codes returns every code that op may answer with, in the order of the documentation.
func (op *operation) codes() []service.Code {
	codes := slices.Concat(op.errors, []service.Code{service.CodeInternal, service.CodeUnavailable})
	if op.public {
		return ordered(codes)
	}
	codes = append(codes, service.CodeUnauthorized, service.CodeWrongApplication, service.CodeMisdirected, service.CodeTooManyRequests)
	if !op.searchKey {
		codes = append(codes, service.CodeKeyNotAllowed)
	}
	codes = append(codes, service.CodeInvalidRequest) // for parameters, known or not
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

// errorResponses describes the errors of op: one response for each status, which names its codes.
func (op *operation) errorResponses() map[string]*huma.Response {
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
			Content:     map[string]*huma.MediaType{problemType: {Schema: refTo("Problem")}},
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
