package client_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/openapi/client"
)

// connected acts as a transport that has a connection.
func connected(request *http.Request) {
	httptrace.ContextClientTrace(request.Context()).GotConn(httptrace.GotConnInfo{})
}

func TestProblems(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status      int
		contentType string
		body        string
		want        client.Problem
		message     string
	}{
		"of the service": {
			422, "application/problem+json; charset=utf-8",
			`{"type":"/docs/errors","title":"Unprocessable","status":422,"detail":"1 action is wrong","code":"invalid_document","errors":[{"location":"body[17].body.price","message":"expected a number","value":"x"}],"request_id":"r1"}`,
			client.Problem{
				Type: "/docs/errors", Title: "Unprocessable", Status: 422, Detail: "1 action is wrong", Code: "invalid_document", RequestID: "r1", RetryAfter: 7 * time.Second,
				Errors: []client.Fault{{Location: "body[17].body.price", Message: "expected a number", Value: "x"}},
			},
			"1 action is wrong (422 invalid_document); body[17].body.price: expected a number",
		},
		"about a number": {
			422, "application/problem+json", `{"detail":"Too large","errors":[{"location":"body.n","message":"must be smaller","value":9007199254740993}]}`,
			client.Problem{
				Status: 422, Detail: "Too large", RetryAfter: 7 * time.Second,
				Errors: []client.Fault{{Location: "body.n", Message: "must be smaller", Value: json.Number("9007199254740993")}},
			},
			"Too large (422); body.n: must be smaller",
		},
		"with a fault that the detail names": {
			422, "application/problem+json",
			`{"title":"The filter does not fit","detail":"The filter cannot be used: column 8: expected a value.","code":"invalid_filter","errors":[{"location":"body.filter","message":"column 8: expected a value"},{"location":"body.page","message":"expected an integer"}]}`,
			client.Problem{
				Title: "The filter does not fit", Status: 422, Detail: "The filter cannot be used: column 8: expected a value.", Code: "invalid_filter", RetryAfter: 7 * time.Second,
				Errors: []client.Fault{{Location: "body.filter", Message: "column 8: expected a value"}, {Location: "body.page", Message: "expected an integer"}},
			},
			"The filter cannot be used: column 8: expected a value. (422 invalid_filter); body.page: expected an integer",
		},
		"with a fault of which the detail names one": {
			422, "application/problem+json",
			`{"detail":"body[0]._id: required (and 1 more)","code":"invalid_request","errors":[{"location":"body[0]._id","message":"required"},{"location":"body[3]._id","message":"required"}]}`,
			client.Problem{
				Status: 422, Detail: "body[0]._id: required (and 1 more)", Code: "invalid_request", RetryAfter: 7 * time.Second,
				Errors: []client.Fault{{Location: "body[0]._id", Message: "required"}, {Location: "body[3]._id", Message: "required"}},
			},
			"body[0]._id: required (and 1 more) (422 invalid_request); body[3]._id: required",
		},
		"of a proxy": {
			404, "text/html", "<h1>Not found</h1>",
			client.Problem{Status: 404, Detail: "the server answered 404 Not Found", RetryAfter: 7 * time.Second},
			"the server answered 404 Not Found (404)",
		},
		"internal": {
			500, "application/problem+json", `{"title":"Internal error","code":"internal","errors":[],"request_id":"r2"}`,
			client.Problem{Status: 500, Title: "Internal error", Code: "internal", Errors: []client.Fault{}, RequestID: "r2", RetryAfter: 7 * time.Second},
			"Internal error (500 internal); request id r2",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}))
			defer server.Close()
			api := newClient(t, nil, func(c *client.Config) { c.Hosts = []string{server.URL} })
			_, err := api.GetIndexWithResponse(t.Context(), "films")
			got, ok := errors.AsType[*client.Problem](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(test.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err.Error() != test.message {
				t.Errorf("message %q, want %q", err, test.message)
			}
			if client.Temporary(err) || client.Unreachable(err) {
				t.Error("taken for a temporary failure")
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	api := newClient(t, nil, func(c *client.Config) { c.Hosts, c.Attempts = []string{server.URL}, 1 })
	_, err := api.ListIndicesWithResponse(t.Context(), nil)
	if !client.Unreachable(err) || !client.Temporary(err) {
		t.Errorf("%v is not seen as unreachable", err)
	}
	if client.Unreachable(&client.Problem{Status: 503}) {
		t.Error("an answer is seen as unreachable")
	}
}

// Numbers that are neither a document's nor have a type of their own keep their digits, too.
func TestNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	const filter = `{"n":{"eq":9007199254740993}}`
	var result client.SearchResult
	if err := json.Unmarshal([]byte(`{"filter":`+filter+`,"facets":{"n":[{"value":9007199254740993,"count":1}]},"facet_stats":{"n":{"min":1234567,"max":9007199254740993,"avg":0.5,"count":1}}}`), &result); err != nil {
		t.Fatal(err)
	}
	number := json.Number("9007199254740993")
	if diff := cmp.Diff([]client.FacetValue{{Value: number, Count: 1}}, result.Facets["n"]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(client.FacetStats{Min: json.Number("1234567"), Max: number, Avg: json.Number("0.5"), Count: 1}, result.FacetStats["n"]); diff != "" {
		t.Error(diff)
	}
	var definition client.SearchDefinition
	if err := json.Unmarshal([]byte(`{"name":"s","index":"i","filter":`+filter+`}`), &definition); err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string]any{"the filter of a result": result.Filter, "the filter of a definition": definition.Filter} {
		if text, err := json.Marshal(got); err != nil || string(text) != filter {
			t.Errorf("%s: %s, %v", what, text, err)
		}
	}
}
