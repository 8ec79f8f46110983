package store

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The PostgreSQL process behind a connection keeps what it has read about a table, its columns and indexes, until it ends. With thousands of indices,
// each connection of a server would grow to hundreds of megabytes within minutes. So a connection that has met many tables is replaced.

// metRoom is how much a connection may meet, in bytes: for each table, the length of the first statement, which grows with the number of columns.
// PostgreSQL takes 60 to 80 times as much. Searches of an index with six fields meet about 4 kB, of one with 400 fields about 100 kB.
// metLeast is the minimum for a statement: PostgreSQL reads 160 kB about the tables of an index to determine whether there is work for it.
const metRoom, metLeast = 1 << 20, 2 << 10

// metTables is what a connection has met. Only the holder of the connection uses it.
type metTables struct {
	names map[string]struct{}
	size  int
}

// metKey is its key in pgx's custom data of a connection.
const metKey = "rowan tables"

// meet records the table of a statement.
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

// metMany reports whether a connection is to be replaced.
func metMany(conn *pgx.Conn) bool {
	met, ok := conn.PgConn().CustomData()[metKey].(*metTables)
	return ok && met.size > metRoom
}

// tableOf returns the first table of an application in a statement, as written there; "" if there is none.
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

// meetTracer records what each connection meets.
type meetTracer struct{}

// TraceQueryStart records the table of a statement.
func (meetTracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	meet(conn, data.SQL)
	return ctx
}

// TraceQueryEnd does nothing.
func (meetTracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart records the tables of the statements of a batch.
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
