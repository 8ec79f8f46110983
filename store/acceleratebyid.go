package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/sqltext"
)

// maxSortedByID is the number of documents up to which they are sorted by id if walking the index on ids does not find enough of them soon.
const maxSortedByID = 100000

// byID describes the documents of which the first by id are wanted: those above from or, with desc, those below it in descending order. A from of ""
// is no bound.
type byID struct {
	n    int // documents
	from string
	desc bool
	has  func(seq int64) bool
	all  func() []int64
}

// identified is a document's number and id.
type identified struct {
	seq int64
	id  string
}

// firstByID returns the first documents by id, up to hits of them. ok is false if there are too many to sort and too few to find by walking the index
// on ids.
func (t *blockTally) firstByID(ctx context.Context, conn *pgx.Conn, of byID, hits int) (list []identified, ok bool, err error) {
	if t.walkPays(hits, of.n) {
		if list, ok, err = t.walkIDs(ctx, conn, of, hits); ok || err != nil {
			return list, ok, err
		}
	}
	if of.n > maxSortedByID {
		return nil, false, nil
	}
	condition, order := of.sql()
	list, err = readIdentified(ctx, conn, sqltext.Statement{SQL: "SELECT _seq, _id FROM " + t.search.sh.Table + " WHERE _seq = ANY($3::bigint[]) AND " + condition + order,
		Args: []any{of.from, hits, of.all()}, Prepared: true})
	return list, err == nil, err
}

// walkPays reports whether walking an index until the wanted number of the n documents is met is expected to read fewer rows than sorting them would,
// and no more rows than allowed.
func (t *blockTally) walkPays(wanted, n int) bool {
	return int64(wanted)*int64(t.documents()) <= int64(min(n, t.search.limits.mostWalked))*int64(n)
}

// walkIDs reads the index on ids until it has met enough of the documents; ok is false if it does not meet them soon.
func (t *blockTally) walkIDs(ctx context.Context, conn *pgx.Conn, of byID, hits int) (list []identified, ok bool, err error) {
	atOnce := t.search.limits.walkedAtOnce
	for walked := 0; walked < t.search.limits.mostWalked; walked += atOnce {
		condition, order := of.sql()
		rows, err := readIdentified(ctx, conn, sqltext.Statement{SQL: "SELECT _seq, _id FROM " + t.search.sh.Table + " WHERE " + condition + order, Args: []any{of.from, atOnce}, Prepared: true})
		if err != nil {
			return nil, false, err
		}
		for _, d := range rows {
			if len(list) < hits && of.has(d.seq) {
				list = append(list, d)
			}
		}
		if len(list) == hits || len(rows) < atOnce {
			return list, true, nil
		}
		of.from = rows[len(rows)-1].id
	}
	return nil, false, nil
}

// sql returns the condition on ids, whose bound is parameter $1, and the order, limited by parameter $2.
func (of byID) sql() (condition, order string) {
	switch {
	case !of.desc:
		return "_id > $1::text", " ORDER BY _id LIMIT (SELECT $2::int)" // no id is empty
	case of.from == "":
		return "$1::text = ''", " ORDER BY _id DESC LIMIT (SELECT $2::int)"
	default:
		return "_id < $1::text", " ORDER BY _id DESC LIMIT (SELECT $2::int)"
	}
}

func readIdentified(ctx context.Context, conn *pgx.Conn, st sqltext.Statement) ([]identified, error) {
	rows, err := queryOn(ctx, conn, st)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d identified, err error) {
		err = row.Scan(&d.seq, &d.id)
		return d, err
	})
}

// candidatesByID returns the documents in blocks that a page ordered by ids may show; ok is false if they are not found soon.
func (t *blockTally) candidatesByID(ctx context.Context, conn *pgx.Conn) (list []int64, ok bool, err error) {
	p := t.search.plan
	of := byID{n: t.total, desc: p.Sort[0].Desc, has: t.foundHas, all: t.all}
	if p.After != nil {
		of.from = *p.After.Place[0]
	}
	docs, ok, err := t.firstByID(ctx, conn, of, p.Offset+p.Limit)
	for _, d := range docs {
		list = append(list, d.seq)
	}
	slices.Sort(list)
	return list, ok, err
}

// foundHas reports whether a document matches as its block has it.
func (t *blockTally) foundHas(seq int64) bool {
	size := int64(t.search.blockSize)
	b := t.block(seq / size)
	return b != nil && b.Found.Has(int(seq%size))
}
