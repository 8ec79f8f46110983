package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// The contents of statements and documents stay out of the server's log, even when statements fail.
func TestLogHasNoValues(t *testing.T) {
	t.Parallel()
	s := mustStart(t, options(filepath.Join(openDir(t), "data")))
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer closeConn(t, conn)
	if _, err := conn.Exec(t.Context(), "CREATE TABLE t (a text PRIMARY KEY CHECK (a <> 'private-one'))"); err != nil {
		t.Fatal(err)
	}
	failures := 0
	for _, run := range []func() error{
		func() error { _, err := conn.Exec(t.Context(), "INSERT INTO t VALUES ($1)", "private-one"); return err },
		func() error {
			_, err := conn.Exec(t.Context(), "INSERT INTO t VALUES ($1), ($1)", "private-two")
			return err
		},
		func() error { _, err := conn.Exec(t.Context(), "SELECT 'private-three' FROM nowhere"); return err },
	} {
		if run() != nil {
			failures++
		}
	}
	if failures != 3 {
		t.Fatalf("%d statements failed, want 3", failures)
	}
	text, err := os.ReadFile(s.LogFile())
	if err != nil {
		t.Fatal(err)
	}
	if log := string(text); strings.Contains(log, "private") || strings.Count(log, "ERROR:") != 3 {
		t.Errorf("the log should tell of three errors, and nothing of values:\n%s", log)
	}
}

func closeConn(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
