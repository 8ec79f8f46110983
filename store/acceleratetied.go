package store

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// Where texts are short, as names are, thousands of documents have the same score, and their ids decide which of them a page shows. Ranking them all
// would take tens of milliseconds for a page of names, or hundreds in the plain statement. But documents with the same lexemes equally often in the
// same fields, and with the same lengths and boost, form a class in which one document's score is that of all; and the first documents of a large
// class are found near the beginning of the index on ids.

// maxClasses bounds the number of classes; one document of each is ranked.
const maxClasses = 256

// tied are documents whose scores differ in the last digits at most.
type tied struct {
	tally   *blockTally
	least   float32 // their bounds are at least this
	less    bool    // there are other documents, with smaller bounds
	classes []tiedClass
	tiers   []tier
}

// tiedClass is a class of documents whose scores are computed from the same numbers.
type tiedClass struct {
	vectorrank.Document // one of them
	n                   int
	tier                int
}

// tier holds the classes with one score.
type tier struct {
	vectorrank.Place     // without an id
	n                int // documents
}

// tiedMembers are the tied documents of a block, and their classes in the order of offsets.
type tiedMembers struct {
	posting.Bitmap
	classes []uint8
}

// rankTied ranks the documents in the blocks that a page needs, if more are tied at its end, or at its beginning after a cursor, than were kept. ok
// is false if they are not, or if it is impossible: words that may be adjacent, or boosts that the blocks do not have precisely enough, make
// documents of a class differ.
func (a *accelerated) rankTied(ctx context.Context, conn *pgx.Conn, t *blockTally, v *vectorRanker) (list []vectorrank.Document, ok bool, err error) {
	p := v.plan
	after, _ := vectorrank.AfterCursor(p)
	if !t.bounds.Exact() || t.bounds.Overflows() || len(after.Shown) > 0 || v.Adjoins() {
		return nil, false, nil
	}
	hits := p.Offset + p.Limit
	x := &tied{tally: t}
	if after.Place != nil {
		x.least = t.bounds.LessThanScore(float32(a.bound(*after.Place)))
	} else {
		last, kept := t.bounds.Last(hits)
		if !kept {
			return nil, false, nil
		}
		x.least = t.bounds.LessThanScore(last)
	}
	if !t.bounds.Drops(x.least) || !x.classify() {
		return nil, false, nil
	}
	if ok, err := x.rankClasses(ctx, conn, v); !ok || err != nil {
		return nil, false, err
	}
	for i, of := range x.tiers {
		if len(list) == hits {
			break
		}
		from := ""
		if place := after.Place; place != nil {
			of.ID = place.ID
			switch place.Compare(of.Place) {
			case 0:
				from = place.ID
			case 1:
				continue
			}
		}
		more, ok, err := x.first(ctx, conn, i, hits-len(list), from)
		if !ok || err != nil {
			return nil, false, err
		}
		list = append(list, more...)
	}
	// Documents with a smaller bound score lower.
	proven := !x.less || len(list) >= hits && a.bound(list[len(list)-1].Place) >= float64(x.least)
	return list, proven, nil
}

// classify finds the documents and divides them into classes; ok is false if these are too many.
func (x *tied) classify() (ok bool) {
	t := x.tally
	blocks := t.bounded()
	members, less := t.bounds.Collect(blocks, x.least)
	x.less = less
	for i, b := range t.blocks {
		b.tied = tiedMembers{Bitmap: members[i]}
	}
	places := map[uint64]uint8{}
	return t.bounds.Classes(blocks, members, func(block int, keys []uint64) bool { return x.part(t.blocks[block], keys, places) })
}

// part assigns the documents of a block to classes by their keys; ok is false if these are too many.
func (x *tied) part(b *block, keys []uint64, places map[uint64]uint8) (ok bool) {
	ok = true
	b.tied.Each(func(offset int) {
		place, known := places[keys[offset]]
		if ok = ok && (known || len(places) < maxClasses); !ok {
			return
		}
		if !known {
			place = uint8(len(places))
			places[keys[offset]] = place
			x.classes = append(x.classes, tiedClass{Document: vectorrank.Document{Seq: b.First + int64(offset)}})
		}
		x.classes[place].n++
		b.tied.classes = append(b.tied.classes, place)
	})
	return ok
}

// rankClasses ranks one document of each class, and sorts the classes into tiers. ok is false if a document is not ranked, or if the boosts of a
// class may differ by less than the blocks show.
func (x *tied) rankClasses(ctx context.Context, conn *pgx.Conn, v *vectorRanker) (ok bool, err error) {
	sh := x.tally.search.sh
	seqs := make([]int64, len(x.classes))
	for i, c := range x.classes {
		seqs[i] = c.Seq
	}
	st := searchsql.Vectors(sh, v.plan, &searchsql.Among{Candidates: seqs}, 0)
	rows, err := queryOn(ctx, conn, st)
	if err != nil {
		return false, err
	}
	ranked, err := v.take(ctx, rows)
	if err != nil {
		return false, err
	}
	places := map[int64]int{}
	for i, c := range x.classes {
		places[c.Seq] = i
	}
	for _, d := range ranked {
		x.classes[places[d.Seq]].Document = d
		delete(places, d.Seq)
	}
	if len(places) > 0 {
		return false, nil
	}
	if rough, err := roughBoosts(ctx, conn, sh, seqs); rough || err != nil {
		return false, err
	}
	x.sortTiers()
	return true, nil
}

// roughBoosts reports whether some document's boost differs from that of one of the given documents but may be the same in single precision, as
// blocks have it: the difference is no larger than that between two adjacent single-precision numbers.
func roughBoosts(ctx context.Context, conn *pgx.Conn, sh table.Shape, seqs []int64) (rough bool, err error) {
	rows, err := queryOn(ctx, conn, sqltext.Statement{SQL: fmt.Sprintf(`SELECT coalesce(bool_or(
  EXISTS (SELECT FROM %[1]s o WHERE o._boost > t._boost AND o._boost <= t._boost * (1 + 1.2e-7)) OR
  EXISTS (SELECT FROM %[1]s o WHERE o._boost < t._boost AND o._boost >= t._boost * (1 - 1.2e-7))), false)
FROM %[1]s t WHERE t._seq = ANY($1::bigint[])`, sh.Table), Args: []any{seqs}, Prepared: true})
	if err != nil {
		return false, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool])
}

// sortTiers assigns each class to the tier of its score.
func (x *tied) sortTiers() {
	order := make([]*tiedClass, len(x.classes))
	for i := range order {
		order[i] = &x.classes[i]
	}
	of := func(c *tiedClass) vectorrank.Place { return vectorrank.Place{First: c.First, Score: c.Score} }
	slices.SortFunc(order, func(c, d *tiedClass) int { return of(c).Compare(of(d)) })
	for _, c := range order {
		if n := len(x.tiers); n == 0 || x.tiers[n-1].Place != of(c) {
			x.tiers = append(x.tiers, tier{Place: of(c)})
		}
		c.tier = len(x.tiers) - 1
		x.tiers[c.tier].n += c.n
	}
}

// in reports whether a document belongs to a tier.
func (x *tied) in(seq int64, tier int) bool {
	size := int64(x.tally.search.blockSize)
	b, offset := x.tally.block(seq/size), int(seq%size)
	if b == nil || !b.tied.Has(offset) {
		return false
	}
	before := bits.OnesCount64(b.tied.Bitmap[offset/64]&(1<<(offset%64)-1)) + b.tied.Bitmap[:offset/64].Count()
	return x.classes[b.tied.classes[before]].tier == tier
}

// first returns the first documents of a tier by id, up to hits of them, with ids above from; ok is false if there are too many to sort and too few
// to find by walking the index on ids.
func (x *tied) first(ctx context.Context, conn *pgx.Conn, tier, hits int, from string) (list []vectorrank.Document, ok bool, err error) {
	of := x.tiers[tier]
	docs, ok, err := x.tally.firstByID(ctx, conn, byID{n: of.n, from: from,
		has: func(seq int64) bool { return x.in(seq, tier) }, all: func() []int64 { return x.all(tier) }}, hits)
	for _, d := range docs {
		list = append(list, vectorrank.Document{Place: vectorrank.Place{ID: d.id, First: of.First, Score: of.Score}, Seq: d.seq})
	}
	return list, ok, err
}

// all returns the documents of a tier.
func (x *tied) all(tier int) []int64 {
	seqs := make([]int64, 0, x.tiers[tier].n)
	for _, b := range x.tally.blocks {
		place := 0
		b.tied.Each(func(offset int) {
			if x.classes[b.tied.classes[place]].tier == tier {
				seqs = append(seqs, b.number*int64(b.size)+int64(offset))
			}
			place++
		})
	}
	return seqs
}
