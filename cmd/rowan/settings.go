package main

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
)

// databaseFlags say where the data is.
type databaseFlags struct {
	DatabaseURL string `env:"DATABASE_URL" placeholder:"URL" help:"PostgreSQL 15 or newer (postgres://user:password@host:5432/database). Default: Rowan runs its own."`
	DataDir     string `env:"ROWAN_DATA_DIR" default:"./data" placeholder:"FOLDER" help:"Where Rowan's own PostgreSQL keeps its data (${default})."`
}

// logFlags say what is logged, and in which format.
type logFlags struct {
	LogFormat logFormat `env:"ROWAN_LOG_FORMAT" default:"text" help:"Format of the log: text or json (${default})."`
	LogLevel  logLevel  `env:"ROWAN_LOG_LEVEL" default:"info" help:"Lowest level to log: debug, info, warn or error (${default})."`
}

// logFormat and logLevel check what they are given themselves: for what is not in a list of its own, the parser names only the flag, not the variable
// that the value comes from.
type (
	logFormat string
	logLevel  string
)

// UnmarshalText accepts the formats.
func (f *logFormat) UnmarshalText(text []byte) error { return choose(f, text, "text", "json") }

// UnmarshalText accepts the levels.
func (l *logLevel) UnmarshalText(text []byte) error {
	return choose(l, text, "debug", "info", "warn", "error")
}

func choose[T ~string](to *T, text []byte, choices ...string) error {
	if !slices.Contains(choices, string(text)) {
		return fmt.Errorf("must be one of %s, not %q", strings.Join(choices, ", "), text)
	}
	*to = T(text)
	return nil
}

// forMachines tells that programs read the log.
func (f logFlags) forMachines() bool { return f.LogFormat == "json" }

func (f logFlags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		panic(err) // the parser accepts nothing else
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: inMilliseconds}
	if f.forMachines() {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// inMilliseconds logs each duration as a number of milliseconds under a name that says so, as those of requests are.
// Otherwise, JSON would have nanoseconds, and text whatever unit is near.
func inMilliseconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/1000)
}

// serverFlags say which server a command calls, and as which application.
type serverFlags struct {
	URL         string `name:"url" env:"ROWAN_URL" default:"http://127.0.0.1:8080" placeholder:"URL" help:"Address of the server (${default})."`
	Application string `env:"ROWAN_APPLICATION_ID" default:"demo" placeholder:"ID" help:"Application (${default})."`
}

// byteSize is a number of bytes, written as 1048576, 64MiB, 64M or 64MB; all units are powers of 1024.
type byteSize int64

// UnmarshalText reads what String writes, and the other spellings.
func (s *byteSize) UnmarshalText(text []byte) error {
	digits := strings.TrimRight(strings.ToUpper(strings.TrimSpace(string(text))), "IB")
	shift := 0
	for i, unit := range []string{"K", "M", "G"} {
		if rest, ok := strings.CutSuffix(digits, unit); ok {
			digits, shift = rest, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n <= 0 || n > 1<<40>>shift {
		return fmt.Errorf("%q is not a size: write 1048576, 512KiB, 64MiB or 1GiB", text)
	}
	*s = byteSize(n << shift)
	return nil
}

func (s byteSize) String() string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if n := int64(1) << (30 - 10*i); s > 0 && int64(s)%n == 0 {
			return strconv.FormatInt(int64(s)/n, 10) + unit
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
