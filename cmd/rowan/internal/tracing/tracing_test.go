package tracing

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// An address without a scheme is refused: spans were sent to no host, or to localhost.
func TestEndpointsHaveAScheme(t *testing.T) {
	for _, name := range []string{endpoint, tracesEndpoint} {
		for address, good := range map[string]bool{
			"http://collector:4318": true, "https://collector": true, "http://127.0.0.1:4318/v1/traces": true,
			"collector:4318": false, "127.0.0.1:4318": false, "collector": false, "http://": false, "grpc://collector:4317": false,
		} {
			t.Setenv(endpoint, "")
			t.Setenv(tracesEndpoint, "")
			t.Setenv(name, address)
			_, stop, err := Start(t.Context(), "test", slog.New(slog.DiscardHandler))
			stop()
			if good != (err == nil) || err != nil && !strings.Contains(err.Error(), name) {
				t.Errorf("%s=%s: %v", name, address, err)
			}
		}
	}
}

// What OpenTelemetry cannot read of its variables is told in the log, without secrets: it wrote them to the error output, in a form of its own.
func TestVariablesThatCannotBeRead(t *testing.T) {
	t.Setenv(endpoint, "http://127.0.0.1:4318")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Bearer secret-of-the-collector")
	var log bytes.Buffer
	_, stop, err := Start(t.Context(), "test", slog.New(slog.NewJSONHandler(&log, nil)))
	stop()
	if err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, `"msg":"OpenTelemetry: parse headers"`) || strings.Contains(got, "secret") {
		t.Errorf("the log has: %s", got)
	}
}
