package store

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The process of PostgreSQL behind a connection keeps what it has once read of a table, its columns and indexes until it ends. A
// server with thousands of indices would have each of its connections grow to hundreds of megabytes within minutes. So a connection
// that has met many tables makes room for a new one.

// metRoom is how much a connection may meet, in bytes: of each table the first statement, which is the longer, the more columns the
// table has. PostgreSQL takes 60 to 80 times as much. Searches of an index with six fields meet about 4 kB, of one with 400 about 100 kB.
// metLeast is what the shortest statement counts: PostgreSQL reads 160 kB of the tables of an index to tell whether there is work on it.
const metRoom, metLeast = 1 << 20, 2 << 10

// metTables is what a connection has met. Only who holds the connection uses it.
type metTables struct {
	names map[string]struct{}
	size  int
}

// metKey is the place of it in what pgx keeps with a connection.
const metKey = "rowan tables"

// meet notes the table of a statement.
func meet(conn *pgx.Conn, sql string) {
	table := tableOf(sql)
	if table == "" {
		return
	}
	data := conn.PgConn().CustomData()
	met, ok := data[metKey].(*metTables)
	if !ok {
		met = &metTables{names: map[string]struct{}{}}
		data[metKey] = met
	}
	if _, ok := met.names[table]; !ok {
		met.names[strings.Clone(table)] = struct{}{}
		met.size += max(len(sql), metLeast)
	}
}

// metMany tells that a connection is to be replaced.
func metMany(conn *pgx.Conn) bool {
	met, ok := conn.PgConn().CustomData()[metKey].(*metTables)
	return ok && met.size > metRoom
}

// tableOf is the first table of an application that a statement names, as it names it; "" if there is none.
func tableOf(sql string) string {
	const schema, dot = `"app_`, `"."`
	begin := strings.Index(sql, schema)
	if begin < 0 {
		return ""
	}
	rest := sql[begin+len(schema):]
	name := strings.Index(rest, dot)
	if name < 0 {
		return ""
	}
	end := strings.IndexByte(rest[name+len(dot):], '"')
	if end < 0 {
		return ""
	}
	return rest[:name+len(dot)+end]
}

// meetTracer notes what each connection meets.
type meetTracer struct{}

// TraceQueryStart notes the table of a statement.
func (meetTracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	meet(conn, data.SQL)
	return ctx
}

// TraceQueryEnd does nothing.
func (meetTracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart notes the tables of the statements of a batch.
func (meetTracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, q := range data.Batch.QueuedQueries {
		meet(conn, q.SQL)
	}
	return ctx
}

// TraceBatchQuery does nothing.
func (meetTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd does nothing.
func (meetTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
