package tracing

import (
	"log/slog"

	"github.com/go-logr/logr"
)

// logSink has what OpenTelemetry says of itself be lines of the log. Values are left out: where a variable cannot be read, its
// value is one, and that of OTEL_EXPORTER_OTLP_HEADERS is a secret.
type logSink struct{ logger *slog.Logger }

// warnings is the level of warnings; less important ones have larger numbers.
const warnings = 1

// Init has nothing to begin.
func (logSink) Init(logr.RuntimeInfo) {}

// Enabled tells whether messages of the level are logged.
func (logSink) Enabled(level int) bool { return level <= warnings }

// WithValues leaves the values out.
func (s logSink) WithValues(...any) logr.LogSink { return s }

// WithName leaves the name out.
func (s logSink) WithName(string) logr.LogSink { return s }

// Info logs a warning.
func (s logSink) Info(_ int, what string, _ ...any) { s.logger.Warn("OpenTelemetry: " + what) }

// Error logs what OpenTelemetry does without.
func (s logSink) Error(err error, what string, _ ...any) {
	s.logger.Warn("OpenTelemetry: "+what, "error", err)
}
