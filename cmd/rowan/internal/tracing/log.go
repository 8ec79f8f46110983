package tracing

import (
	"log/slog"

	"github.com/go-logr/logr"
)

// logSink logs OpenTelemetry's messages about itself. It omits their values: if a variable cannot be parsed, one of them is
// its value, and that of OTEL_EXPORTER_OTLP_HEADERS is a secret.
type logSink struct{ logger *slog.Logger }

// warnings is the level of warnings; less important messages have higher levels.
const warnings = 1

// Init does nothing.
func (logSink) Init(logr.RuntimeInfo) {}

// Enabled reports whether messages of the level are logged.
func (logSink) Enabled(level int) bool { return level <= warnings }

// WithValues drops the values.
func (s logSink) WithValues(...any) logr.LogSink { return s }

// WithName drops the name.
func (s logSink) WithName(string) logr.LogSink { return s }

// Info logs a warning.
func (s logSink) Info(_ int, what string, _ ...any) { s.logger.Warn("OpenTelemetry: " + what) }

// Error logs an error as a warning: OpenTelemetry goes on without what failed.
func (s logSink) Error(err error, what string, _ ...any) {
	s.logger.Warn("OpenTelemetry: "+what, "error", err)
}
