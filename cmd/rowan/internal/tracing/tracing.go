// Package tracing sends the spans of a server to an OpenTelemetry collector, if the environment names one.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// stopTimeout is how long the last spans may take to be sent.
const stopTimeout = 5 * time.Second

// The variables of OpenTelemetry's specification that are read here; its libraries read the others.
const (
	endpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	protocol       = "OTEL_EXPORTER_OTLP_PROTOCOL"
	tracesProtocol = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	tracesExporter = "OTEL_TRACES_EXPORTER"
	disabled       = "OTEL_SDK_DISABLED"
)

// Start returns the tracer of the process, or nil if the environment names no collector. stop sends what has not
// been sent yet.
func Start(ctx context.Context, version string, logger *slog.Logger) (tracer trace.Tracer, stop func(), err error) {
	stop = func() {}
	named := os.Getenv(endpoint) != "" || os.Getenv(tracesEndpoint) != ""
	if !named || strings.EqualFold(os.Getenv(disabled), "true") || os.Getenv(tracesExporter) == "none" {
		return nil, stop, nil
	}
	name := tracesProtocol // takes precedence over the protocol of all signals
	if os.Getenv(name) == "" {
		name = protocol
	}
	if p := os.Getenv(name); p != "" && p != "http/protobuf" {
		return nil, stop, fmt.Errorf("%s is %q: traces are sent by http/protobuf only; set %s to that, and name the collector's HTTP port (usually 4318) in %s", name, p, tracesProtocol, endpoint)
	}
	for _, name := range []string{endpoint, tracesEndpoint} {
		if err := checkEndpoint(name, os.Getenv(name)); err != nil {
			return nil, stop, err
		}
	}
	otel.SetLogger(logr.New(logSink{logger}))
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, stop, fmt.Errorf("%s: %w", endpoint, err)
	}
	// The environment is read last: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "rowan"), attribute.String("service.version", version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, stop, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	reportErrors := func(as string) {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn(as, "error", err) }))
	}
	reportErrors("OpenTelemetry: a variable cannot be used, and its default applies") // such as OTEL_TRACES_SAMPLER
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	reportErrors("traces could not be sent")
	stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			logger.Warn("the last traces could not be sent", "error", err)
		}
	}
	return provider.Tracer("github.com/rowansearch/rowan"), stop, nil
}

// checkEndpoint refuses an address without a scheme, such as collector:4318: OpenTelemetry would take its host for the
// scheme, or send to localhost instead.
func checkEndpoint(name, address string) error {
	u, err := url.Parse(address)
	if address == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return nil
	}
	return fmt.Errorf("%s is not the address of a collector: write it like http://collector:4318", name)
}
