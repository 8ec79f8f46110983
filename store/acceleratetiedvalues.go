package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// In the order of a field of few values, as a year or a number of stars, thousands of documents may have the last value of a page.
// Where nothing is searched for, they are in the order of their boosts and ids. There is an index of these: it is read until it has
// met enough of the documents of that value.

// valueGroup are the documents that are found and have one value.
type valueGroup struct {
	key       sortKey
	documents int
	sets      [][]bool // those of each block that have the value
	after     *boosted // where they begin
}

// boosted is a place in the order of boosts and ids, as PostgreSQL writes it.
type boosted struct{ boost, id string }

// tiedByValue returns the documents of a page of which many have the same value; ok is false where they are not found soon.
func (t *blockTally) tiedByValue(ctx context.Context, conn *pgx.Conn, page *keysOfPage, keys []blockKeys) (list []int64, ok bool, err error) {
	p := t.search.plan
	if len(p.Terms) > 0 || len(p.Sort) > 1 {
		return nil, false, nil
	}
	var groups []*valueGroup
	if page.by.after != nil {
		place := p.After.Place
		if len(place) != 3 || place[1] == nil || place[2] == nil {
			return nil, false, nil
		}
		groups = append(groups, &valueGroup{key: *page.by.after, after: &boosted{*place[1], *place[2]}})
	}
	if page.last != nil {
		groups = append(groups, &valueGroup{key: *page.last})
	}
	for _, g := range groups {
		g.sets = make([][]bool, len(t.blocks))
	}
	for i, b := range t.blocks {
		v := keys[i]
		if b.found.empty() {
			continue
		}
		of := make([]*valueGroup, v.sets())
		shown := make([]bool, v.sets())
		for _, set := range v.setsUpTo(page, v.setsFrom(page.by)) {
			shown[set] = true
			for _, g := range groups {
				if page.by.compare(v.sortKey(int(set), page.by.desc), g.key) == 0 {
					if g.sets[i] == nil {
						g.sets[i] = make([]bool, v.sets())
					}
					g.sets[i][set], of[set] = true, g
				}
			}
		}
		number := b.number * int64(b.size)
		for offset, set := range v.setsOf(b.found) {
			switch g := of[set]; {
			case g != nil:
				g.documents++
			case shown[set]:
				list = append(list, number+int64(offset))
			}
		}
	}
	for _, g := range groups {
		first, ok, err := t.firstOfGroup(ctx, conn, g, keys, page.wanted)
		if !ok || err != nil {
			return nil, false, err
		}
		list = append(list, first...)
	}
	return list, true, nil
}

// firstOfGroup returns the first documents of a group, by their boosts and ids.
func (t *blockTally) firstOfGroup(ctx context.Context, conn *pgx.Conn, g *valueGroup, keys []blockKeys, wanted int) (list []int64, ok bool, err error) {
	if int64(wanted)*int64(t.documents()) <= int64(t.search.limits.mostWalked)*int64(g.documents) {
		if list, ok, err = t.walkBoosts(ctx, conn, g, keys, wanted); ok || err != nil {
			return list, ok, err
		}
	}
	if g.documents > maxSortedByID {
		return nil, false, nil
	}
	var all []int64
	for i, b := range t.blocks {
		if g.sets[i] == nil {
			continue
		}
		for offset, set := range keys[i].setsOf(b.found) {
			if g.sets[i][set] {
				all = append(all, b.number*int64(b.size)+int64(offset))
			}
		}
	}
	condition, args := "", []any{all, wanted}
	if g.after != nil {
		condition = " AND (_boost < $3::text::float8 OR _boost = $3::text::float8 AND _id > $4)"
		args = append(args, g.after.boost, g.after.id)
	}
	rows, err := statement{"SELECT _seq FROM " + t.search.sh.table + " WHERE _seq = ANY($1::bigint[])" + condition + " ORDER BY _boost DESC, _id LIMIT $2::int", args, true}.query(ctx, conn)
	if err != nil {
		return nil, false, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	return list, err == nil, err
}

// walkBoosts reads the index on boosts and ids until it has met enough of a group; ok is false where it does not meet them soon.
func (t *blockTally) walkBoosts(ctx context.Context, conn *pgx.Conn, g *valueGroup, keys []blockKeys, wanted int) (list []int64, ok bool, err error) {
	columns := "SELECT _seq, _boost::text AS boost, _id FROM " + t.search.sh.table
	atOnce := t.search.limits.walkedAtOnce
	order := fmt.Sprintf(" ORDER BY _boost DESC, _id LIMIT %d", atOnce)
	from := g.after
	for walked := 0; walked < t.search.limits.mostWalked; walked += atOnce {
		st := statement{columns + order, nil, true}
		if from != nil {
			st = statement{fmt.Sprintf("(%[1]s WHERE _boost = $1::text::float8 AND _id > $2%[2]s) UNION ALL (%[1]s WHERE _boost < $1::text::float8%[2]s) LIMIT %[3]d", columns, order, atOnce),
				[]any{from.boost, from.id}, true}
		}
		rows, err := st.query(ctx, conn)
		if err != nil {
			return nil, false, err
		}
		read := 0
		var seq int64
		last := boosted{}
		_, err = pgx.ForEachRow(rows, []any{&seq, &last.boost, &last.id}, func() error {
			read++
			if len(list) < wanted && t.inGroup(g, keys, seq) {
				list = append(list, seq)
			}
			return nil
		})
		if err != nil {
			return nil, false, err
		}
		if len(list) == wanted || read < atOnce {
			return list, true, nil
		}
		from = &last
	}
	return nil, false, nil
}

// inGroup tells whether a document is found, as its block has it, and of a group.
func (t *blockTally) inGroup(g *valueGroup, keys []blockKeys, seq int64) bool {
	size := int64(t.search.blockSize)
	i, ok := t.placeOf(seq / size)
	offset := int(seq % size)
	return ok && g.sets[i] != nil && t.blocks[i].found.has(offset) && g.sets[i][keys[i].setOf(offset)]
}
