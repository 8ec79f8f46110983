package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
)

// errorPage explains each code under its own heading.
const errorPage = "https://github.com/rowansearch/rowan/blob/main/docs/errors.md"

// Limits of what an error may carry, so that an answer stays small whatever was sent.
const (
	maxProblemErrors = document.MaxProblems
	maxProblemValue  = 200  // characters
	maxProblemText   = 1000 // characters of a location, message or detail
)

type meaning struct {
	status int
	title  string
}

// meanings is the only place where a code gets its status. docs/errors.md lists the same; a test compares the two.
var meanings = map[service.Code]meaning{
	service.CodeMalformedRequest:     {http.StatusBadRequest, "This is not an HTTP request"},
	service.CodeHeadersTooLarge:      {http.StatusRequestHeaderFieldsTooLarge, "The headers are too large"},
	service.CodeInvalidJSON:          {http.StatusBadRequest, "The body is not JSON"},
	service.CodeUnauthorized:         {http.StatusUnauthorized, "Credentials are missing or wrong"},
	service.CodeKeyNotAllowed:        {http.StatusForbidden, "This key may not do this"},
	service.CodeWrongApplication:     {http.StatusForbidden, "The host belongs to another application"},
	service.CodeMisdirected:          {http.StatusMisdirectedRequest, "This host is not served here"},
	service.CodeIndexNotFound:        {http.StatusNotFound, "No such index"},
	service.CodeDocumentNotFound:     {http.StatusNotFound, "No such document"},
	service.CodeSearchNotFound:       {http.StatusNotFound, "No such search"},
	service.CodeKeyNotFound:          {http.StatusNotFound, "No such key"},
	service.CodeApplicationNotFound:  {http.StatusNotFound, "No such application"},
	service.CodeRouteNotFound:        {http.StatusNotFound, "No such route"},
	service.CodeMethodNotAllowed:     {http.StatusMethodNotAllowed, "The path does not take this method"},
	service.CodeIndexExists:          {http.StatusConflict, "The index already exists"},
	service.CodeApplicationExists:    {http.StatusConflict, "The application already exists"},
	service.CodeNameTaken:            {http.StatusConflict, "The name is taken"},
	service.CodeMappingConflict:      {http.StatusConflict, "Stored documents do not fit the mapping"},
	service.CodeIndexInUse:           {http.StatusConflict, "The index is in use in the database"},
	service.CodeLastAdminKey:         {http.StatusConflict, "The last admin key cannot be deleted"},
	service.CodeTooLarge:             {http.StatusRequestEntityTooLarge, "The request is too large"},
	service.CodeUnsupportedMediaType: {http.StatusUnsupportedMediaType, "The format of the body is not supported"},
	service.CodeInvalidRequest:       {http.StatusUnprocessableEntity, "The request does not fit"},
	service.CodeInvalidDocument:      {http.StatusUnprocessableEntity, "The document does not fit"},
	service.CodeInvalidFilter:        {http.StatusUnprocessableEntity, "The filter does not fit"},
	service.CodeInvalidSort:          {http.StatusUnprocessableEntity, "The sort expression does not fit"},
	service.CodeInvalidFacets:        {http.StatusUnprocessableEntity, "The facets do not fit"},
	service.CodeInvalidMapping:       {http.StatusUnprocessableEntity, "The mapping does not fit"},
	service.CodeTooManyRequests:      {http.StatusTooManyRequests, "Too many requests at once"},
	service.CodeUnavailable:          {http.StatusServiceUnavailable, "The service cannot answer right now"},
	service.CodeSearchTimeout:        {http.StatusGatewayTimeout, "The search ran past its time limit"},
	service.CodeInternal:             {http.StatusInternalServerError, "Something went wrong on our side"},
}

// ErrorStatus returns the HTTP status of a code; 500 for an unknown code.
func ErrorStatus(code service.Code) int {
	if m, ok := meanings[code]; ok {
		return m.status
	}
	return http.StatusInternalServerError
}

// Problem is the body of every error: application/problem+json (RFC 9457).
type Problem struct {
	Type      string         `json:"type" format:"uri-reference" doc:"Where the code is explained."`
	Title     string         `json:"title" doc:"What the code means, in a few words."`
	Status    int            `json:"status" doc:"The HTTP status." example:"422"`
	Detail    string         `json:"detail" doc:"What happened this time, and what to do about it."`
	Code      problemCode    `json:"code" doc:"Stable identifier of the error; programs should use it." example:"invalid_request"`
	Errors    []ProblemError `json:"errors" doc:"The faults and their locations; may be empty, never more than 100."`
	RequestID string         `json:"request_id" doc:"Identifies the request in the server's log; also in the X-Request-Id header." example:"0198f0c2-7a55-7c1e-8d0e-6f1b2a3c4d5e"`

	retryAfter   time.Duration
	authenticate string
}

// ProblemError is one fault in what a client sent.
type ProblemError struct {
	Location string `json:"location" doc:"Points at the value: body[17].body.price, query.action, path.index." example:"body.page"`
	Message  string `json:"message" doc:"What is wrong with it." example:"expected an integer"`
	Value    any    `json:"value,omitempty" doc:"The value itself, cut to 200 characters."`
}

type problemCode string

// Schema points at the list of codes, which become constants in generated clients.
func (problemCode) Schema(huma.Registry) *huma.Schema { return refTo("ProblemCode") }

// Error returns the detail. It makes Problem a huma.StatusError.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the media type of problems, for huma.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders returns the headers that huma sends with the error.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.authenticate != "" {
		h.Set("WWW-Authenticate", p.authenticate)
	}
	// Not for every 503: clients take it to mean that nothing was applied.
	if p.Status == http.StatusTooManyRequests || p.retryAfter > 0 {
		// Whole seconds, never 0, so that clients that obey it do not come back at once.
		h.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(p.retryAfter.Seconds())))))
	}
	return h
}

// statusLeft is the status recorded for a request whose client has gone, as in many servers: nobody reads the answer, and the server has
// not failed.
const statusLeft = 499

// problem turns any error into what the client sees. Its cause goes only to the log.
func problem(ctx context.Context, err error) *Problem {
	info := infoOf(ctx)
	known, ok := errors.AsType[*service.Error](err)
	left := errors.Is(err, context.Canceled) && ctx.Err() != nil
	switch {
	case left:
		known = service.Errorf(service.CodeUnavailable, "The request was cancelled.")
	case ok && known.Code != service.CodeInternal:
		// What others have created in the database is hidden from the client, but logged, as it is not the server's fault either.
		ofOthers := known.Code == service.CodeIndexInUse || (known.Code == service.CodeInvalidDocument || known.Code == service.CodeNameTaken) && known.Unwrap() != nil
		if ErrorStatus(known.Code) >= http.StatusInternalServerError || ofOthers {
			info.cause = err
		}
	default:
		info.cause = err
		known = service.Errorf(service.CodeInternal, "The server's log has the cause under the request_id.")
	}
	m, ok := meanings[known.Code]
	if !ok {
		info.cause = fmt.Errorf("error code %q has no status: %w", known.Code, err)
		known = service.Errorf(service.CodeInternal, "The server's log has the cause under the request_id.")
		m = meanings[known.Code]
	}
	p := &Problem{
		Type:       errorPage + "#" + string(known.Code),
		Title:      m.title,
		Status:     m.status,
		Detail:     cut(withFault(known), maxProblemText),
		Code:       problemCode(known.Code),
		Errors:     make([]ProblemError, 0, min(len(known.Fields), maxProblemErrors)),
		RequestID:  info.id,
		retryAfter: known.RetryAfter,
	}
	if left {
		p.Status = statusLeft
	}
	if known.Code == service.CodeUnauthorized {
		p.authenticate = fmt.Sprintf("Basic realm=%q, charset=\"UTF-8\"", info.realm())
	}
	for _, f := range known.Fields[:min(len(known.Fields), maxProblemErrors)] {
		p.Errors = append(p.Errors, ProblemError{
			Location: cut(f.Location, maxProblemText),
			Message:  cut(f.Message, maxProblemText),
			Value:    cutValue(f.Value),
		})
	}
	return p
}

// writeProblem answers with an error outside of huma: from the router, the middleware or a panic.
func writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	p := problem(r.Context(), err)
	body, _ := document.Encode(p) // strings, integers and JSON that has been checked
	body = append(body, '\n')
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", p.ContentType(""))
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // the client may have gone
}

// cut shortens s to at most n characters, the last of them an ellipsis, and repairs invalid UTF-8.
func cut(s string, n int) string {
	if len(s) > 4*n { // a rune takes at most 4 bytes, so these are more than n characters
		s = s[:4*n]
	} else if utf8.RuneCountInString(s) <= n {
		return strings.ToValidUTF8(s, "�")
	}
	runes := []rune(strings.ToValidUTF8(s, "�"))
	if len(runes) < n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}

// surrogates matches the escapes of surrogates, which form a character only in pairs. Parsers that refuse half a pair would
// lose the whole problem.
var surrogates = regexp.MustCompile(`(?i)\\ud[89a-f]`)

// cutValue returns v as it is if its JSON is short and every parser can read it, otherwise the beginning of its JSON or text as a string.
func cutValue(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return cut(v, maxProblemValue)
	case json.RawMessage:
		if len(v) <= maxProblemValue && json.Valid(v) && !surrogates.Match(v) {
			return v
		}
		return cut(textOf(v), maxProblemValue)
	}
	text, err := document.Encode(v)
	if err != nil {
		return cut(fmt.Sprint(v), maxProblemValue)
	}
	if utf8.RuneCount(text) > maxProblemValue {
		return cut(string(text), maxProblemValue)
	}
	return v
}

// textOf returns the text of a JSON string, whose end may be missing; for any other value, its JSON.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if len(raw) > 0 && raw[0] == '"' {
		// The cut may have split an escape of up to six bytes.
		for end := len(raw); end >= max(1, len(raw)-6); end-- {
			if json.Unmarshal(append(slices.Clone(raw[:end]), '"'), &s) == nil {
				return s
			}
		}
	}
	return string(raw)
}

// huma makes errors of its own only for parameters: we read and check bodies ourselves. These hooks are global in huma, so
// they are set once, here.
func init() {
	huma.DefaultArrayNullable = false
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		return problem(ctx.Context(), humaError(status, message, errs))
	}
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return problem(context.Background(), humaError(status, message, errs))
	}
}

func humaError(status int, message string, errs []error) error {
	if status != http.StatusUnprocessableEntity {
		return fmt.Errorf("huma: %d %s: %w", status, message, errors.Join(errs...))
	}
	out := service.Errorf(service.CodeInvalidRequest, "%s", message)
	for _, err := range errs {
		var d huma.ErrorDetailer
		if errors.As(err, &d) {
			detail := d.ErrorDetail()
			out.Fields = append(out.Fields, service.FieldError{Location: detail.Location, Message: detail.Message, Value: detail.Value})
			continue
		}
		out.Fields = append(out.Fields, service.FieldError{Message: err.Error()})
	}
	out.Detail = summary(out.Fields, 0)
	return out
}

// withFault returns the detail of an error. If it names none of the faults, the first is added: many programs log only the detail.
func withFault(e *service.Error) string {
	for _, f := range e.Fields {
		if strings.Contains(e.Detail, f.Message) {
			return e.Detail
		}
	}
	if len(e.Fields) == 0 {
		return e.Detail
	}
	return e.Detail + " " + summary(e.Fields, 0)
}

// summary returns the detail of an error with faults: the first of them and how many follow, including those that were only counted.
func summary(fields []service.FieldError, counted int) string {
	switch len(fields) {
	case 0:
		return "The request does not fit."
	case 1:
		return fields[0].Location + ": " + fields[0].Message
	}
	return fmt.Sprintf("%s: %s (and %d more)", fields[0].Location, fields[0].Message, len(fields)-1+counted)
}
