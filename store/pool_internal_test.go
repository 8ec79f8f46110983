package store

import (
	"log/slog"
	"testing"
	"time"
)

// A pooler before PostgreSQL, such as PgBouncer, refuses connections whose start has parameters that it does not know.
func TestConnectionsStartWithoutParameters(t *testing.T) {
	t.Parallel()
	s := &Store{config: Config{SearchTimeout: time.Second, LockTimeout: time.Second}}
	for name, adapt := range map[string]adaptation{"writes": s.forWrites, "reads": s.forReads} {
		pc, err := poolConfig("postgres://rowan@localhost/rowan", Config{MaxConns: 2, Logger: slog.New(slog.DiscardHandler)}, adapt)
		if err != nil {
			t.Fatal(err)
		}
		if params := pc.ConnConfig.RuntimeParams; len(params) != 1 || params["application_name"] != "rowan" {
			t.Errorf("%s: the start has %v", name, params)
		}
	}
}
