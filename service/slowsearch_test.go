package service

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestSlowSearchesAreLogged(t *testing.T) {
	t.Parallel()
	timeout := Errorf(CodeSearchTimeout, "The search took too long.")
	for name, test := range map[string]struct {
		limit, took time.Duration
		err         error
		want        string // in the log line; empty means no line
	}{
		"a fast one":                             {time.Second, 999 * time.Millisecond, nil, ""},
		"a slow one, with a fraction":            {time.Second, 1490215 * time.Microsecond, nil, "duration_ms=1490.215"},
		"past a limit that is the shorter one":   {time.Second, 501 * time.Millisecond, timeout, "code=search_timeout"},
		"none where none is logged":              {0, time.Minute, timeout, ""},
		"with the plan of its slowest statement": {time.Second, time.Second, nil, `plan="Seq Scan"`},
	} {
		var log bytes.Buffer
		s := &Service{log: slog.New(slog.NewTextHandler(&log, nil)), config: Config{SlowSearch: test.limit}}
		s.logSlow(t.Context(), Searched{Took: test.took, Err: test.err}, func(tell func(string)) { tell("Seq Scan") })
		if line := log.String(); (line != "") != (test.want != "") || !strings.Contains(line, test.want) {
			t.Errorf("%s: logged %q, want %q", name, line, test.want)
		}
	}
}
