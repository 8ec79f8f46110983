package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A repeated failure is reported once for each index, and once for all of them if the database cannot be reached.
func TestSeldom(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, nil))
	var s seldom
	for i := range 3 {
		disk := &pgconn.PgError{Code: "53100", Message: fmt.Sprintf("could not extend file %d: no space left", i)} // a different file each time
		s.warn(log, "not done", disk, "index", "films")
		s.warn(log, "not done", disk, "index", "books")
		s.warn(log, "not done", errors.New("another"), "index", "books")
		s.warn(log, "not counted", context.DeadlineExceeded, "index", "films")
		s.warn(log, "not counted", &pgconn.PgError{Code: "57P03"}, "index", "books")
	}
	if n := strings.Count(b.String(), "\n"); n != 4 || !strings.Contains(b.String(), `msg="not done" index=books error=another`) {
		t.Errorf("%d lines: %s", n, b.String())
	}
	now := time.Now()
	for i, want := range []bool{true, false, true} {
		if got := s.first("later", now.Add(time.Duration(i)*seldomEvery/2)); got != want {
			t.Errorf("after %d half minutes: %v", i, got)
		}
	}
}
