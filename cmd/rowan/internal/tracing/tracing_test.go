package tracing_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/rowansearch/rowan/cmd/rowan/internal/tracing"
)

// collector is an OpenTelemetry collector that answers with a status.
type collector struct {
	*httptest.Server
	status int

	mu    sync.Mutex
	spans []string
	about map[string]string // attributes of the resource
}

func newCollector(t *testing.T, status int) *collector {
	t.Helper()
	c := &collector{status: status, about: map[string]string{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var sent collectortrace.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &sent) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range sent.GetResourceSpans() {
		for _, a := range resource.GetResource().GetAttributes() {
			c.about[a.GetKey()] = a.GetValue().GetStringValue()
		}
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				c.spans = append(c.spans, span.GetName())
			}
		}
	}
	w.WriteHeader(c.status)
}

// sendSpan sends a span to the collector as the environment says, and returns what was logged.
func (c *collector) sendSpan(t *testing.T) (logged string) {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	var log strings.Builder
	tracer, stop, err := tracing.Start(t.Context(), "v1", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(t.Context(), "a search")
	span.End()
	stop()
	return log.String()
}

// environment sets the given variables of OpenTelemetry and unsets its others. It is not for parallel tests.
func environment(t *testing.T, set map[string]string) {
	t.Helper()
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
		"OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"} {
		t.Setenv(name, set[name])
	}
}

// Traces are sent if the environment names a collector and does not turn them off, over the only protocol that there is. The
// variable for traces takes precedence, as OpenTelemetry's specification says.
func TestTheEnvironmentDecidesWhetherTracesAreSent(t *testing.T) {
	for _, c := range []struct {
		name string
		set  map[string]string
		sent bool
		err  string
	}{
		{name: "nothing set"},
		{name: "any collector", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, sent: true},
		{name: "a collector of traces", set: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1"}, sent: true},
		{name: "turned off", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}},
		{name: "turned off in capitals", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "True"}},
		{name: "no exporter", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"}},
		{name: "our exporter", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "otlp"}, sent: true},
		{name: "not turned off", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "false"}, sent: true},
		{name: "our protocol", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, sent: true},
		{name: "another protocol", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
			err: `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"`},
		{name: "another protocol for traces", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
			"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"}, err: `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "http/json"`},
		{name: "another protocol for what is not traces", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
			"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf"}, sent: true},
		{name: "another protocol without a collector", set: map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}},
		{name: "no attributes", set: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_RESOURCE_ATTRIBUTES": "nonsense"}, err: "OTEL_RESOURCE_ATTRIBUTES: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t, c.set)
			tracer, stop, err := tracing.Start(t.Context(), "v1", slog.New(slog.DiscardHandler))
			if (tracer != nil) != c.sent || (err != nil) != (c.err != "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("there is a tracer: %t, want %t; error %v, want %q", tracer != nil, c.sent, err, c.err)
			}
			stop()
		})
	}
}

// The last spans are sent before stop returns, with the name of the service, which the environment may change, and its version.
func TestTheLastSpansAreSent(t *testing.T) {
	for name, set := range map[string]map[string]string{"rowan": nil, "search-of-the-shop": {"OTEL_SERVICE_NAME": "search-of-the-shop"}} {
		c := newCollector(t, http.StatusOK)
		environment(t, set)
		log := c.sendSpan(t)
		if len(c.spans) != 1 || c.spans[0] != "a search" || c.about["service.name"] != name || c.about["service.version"] != "v1" || log != "" {
			t.Errorf("sent %q of %v, logged %q", c.spans, c.about, log)
		}
	}
}

// If a collector refuses spans, the server logs that.
func TestSpansThatAreNotTakenAreLogged(t *testing.T) {
	c := newCollector(t, http.StatusForbidden)
	environment(t, nil)
	if got := c.sendSpan(t); !strings.Contains(got, "traces could not be sent") || !strings.Contains(got, "403") {
		t.Errorf("logged %q", got)
	}
}

// An address without a scheme is refused: otherwise spans went to no host, or to localhost.
func TestEndpointsHaveAScheme(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		for address, good := range map[string]bool{
			"http://collector:4318": true, "https://collector": true, "http://127.0.0.1:4318/v1/traces": true,
			"collector:4318": false, "127.0.0.1:4318": false, "collector": false, "http://": false, "grpc://collector:4317": false,
		} {
			environment(t, map[string]string{name: address})
			_, stop, err := tracing.Start(t.Context(), "test", slog.New(slog.DiscardHandler))
			stop()
			if good != (err == nil) || err != nil && !strings.Contains(err.Error(), name) {
				t.Errorf("%s=%s: %v", name, address, err)
			}
		}
	}
}

// Variables that OpenTelemetry cannot parse are logged without secrets: it used to write them to the error output, in a
// format of its own.
func TestVariablesThatCannotBeRead(t *testing.T) {
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Bearer secret-of-the-collector")
	t.Setenv("OTEL_TRACES_SAMPLER", "sometimes")
	var log strings.Builder
	_, stop, err := tracing.Start(t.Context(), "test", slog.New(slog.NewJSONHandler(&log, nil)))
	stop()
	if err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, `"msg":"OpenTelemetry: parse headers"`) || strings.Contains(got, "secret") ||
		!strings.Contains(got, `"msg":"OpenTelemetry: a variable cannot be used, and its default applies","error":"unsupported sampler: sometimes"`) {
		t.Errorf("the log has: %s", got)
	}
}
