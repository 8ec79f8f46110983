package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"
)

// Durations in the log name their unit, in both formats: JSON used to have bare nanoseconds.
func TestDurationsInLogs(t *testing.T) {
	t.Parallel()
	for format, want := range map[logFormat]string{
		"json": `"at_most_ms":30000,"took_ms":1.5,"at":{"wait_ms":0.25},"attempts":3}`,
		"text": `at_most_ms=30000 took_ms=1.5 at.wait_ms=0.25 attempts=3`,
	} {
		var b strings.Builder
		logFlags{LogFormat: format, LogLevel: "info"}.logger(&b).With("at_most", 30*time.Second).Info("stopping", "took", 1500*time.Microsecond,
			slog.Group("at", "wait", 250*time.Microsecond), "attempts", 3)
		if !strings.HasSuffix(b.String(), want+"\n") {
			t.Errorf("%s: %s", format, b.String())
		}
	}
}
