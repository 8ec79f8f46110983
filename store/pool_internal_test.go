package store

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// A pooler in front of PostgreSQL, such as PgBouncer, rejects connections whose startup has parameters that it does not know.
func TestConnectionsStartWithoutParameters(t *testing.T) {
	t.Parallel()
	s := &Store{config: Config{SearchTimeout: time.Second, LockTimeout: time.Second}}
	for name, adapt := range map[string]adaptation{"writes": s.forWrites, "reads": s.forReads} {
		pc, err := poolConfig("postgres://rowan@localhost/rowan", Config{MaxConns: 2}, adapt, &refusals{})
		if err != nil {
			t.Fatal(err)
		}
		if params := pc.ConnConfig.RuntimeParams; len(params) != 1 || params["application_name"] != "rowan" {
			t.Errorf("%s: the start has %v", name, params)
		}
	}
}

// A connection that falls silent while its session is being set up is given up, and so is its place in the pool.
func TestConnectionsThatFallSilentAtTheirStart(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			server := pgproto3.NewBackend(conn, conn)
			if _, err := server.ReceiveStartupMessage(); err != nil {
				continue
			}
			server.Send(&pgproto3.AuthenticationOk{})
			server.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			_ = server.Flush()
		}
	}()
	pc, err := poolConfig(fmt.Sprintf("postgres://rowan@%s/rowan?sslmode=disable", l.Addr()), Config{MaxConns: 2}, nil, &refusals{})
	if err != nil {
		t.Fatal(err)
	}
	pc.ConnConfig.ConnectTimeout = 200 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err = pgx.ConnectConfig(ctx, pc.ConnConfig)
	if !connecting(err) || ctx.Err() != nil {
		t.Errorf("error %v, at the end of the test's time: %v", err, ctx.Err())
	}
}

func TestKeptConnections(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		most          int32
		pooled        bool
		writes, reads int32
	}{
		{2, false, 0, 0}, {8, false, 1, 1}, {16, false, 1, 2}, {64, false, 1, 2}, {16, true, 0, 0},
	} {
		s := &Store{pooled: test.pooled}
		for name, adapt := range map[string]adaptation{"writes": s.forWrites, "reads": s.forReads} {
			pc, err := poolConfig("postgres://rowan@localhost/rowan", Config{MaxConns: test.most}, adapt, &refusals{})
			if err != nil {
				t.Fatal(err)
			}
			if want := map[string]int32{"writes": test.writes, "reads": test.reads}[name]; pc.MinConns != want {
				t.Errorf("%s, %+v: %d are kept", name, test, pc.MinConns)
			}
		}
	}
}
