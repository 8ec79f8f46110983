package store

import (
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/sqltext"
)

// postingsCache remembers the postings of lexemes that are searched for repeatedly, with the transactions that wrote their blocks. Each search sees
// these transactions in its snapshot, so it never uses outdated postings.
type postingsCache struct {
	known remembered.Frequent[lexemeKey, lexemeBlocks]
	// measures has the documents of each index's blocks with their measures: every search that ranks needs them.
	measures remembered.Map[measuresKey, measuredBlocks]
	// quiet has the postings that were unchanged when last asked for.
	quiet remembered.Map[builtIn, bool]

	hits, misses, held, inVain atomic.Int64
}

type lexemeKey struct {
	builtIn
	lexeme string
}

// measuresKey is an index and a row name for its documents or the lengths of a field.
type measuresKey struct {
	index  int64
	lexeme string
}

// measuredBlocks belong to the postings that were last asked for: they are too large to keep them for others.
type measuredBlocks struct {
	builtIn
	lexemeBlocks
}

// lexemeBlocks are the postings of a lexeme in all blocks, in the order of block numbers. They are never modified.
type lexemeBlocks []writtenPostings

// writtenPostings are the postings of one block, empty if no document has the lexeme. Only the empty lexeme has measures.
type writtenPostings struct {
	blockVersion
	posting.List
	posting.Measures
}

// blockVersion identifies a block and the transaction that wrote it.
type blockVersion struct {
	number int64
	writer uint32
}

const (
	// maxPostingsCache bounds the remembered postings in bytes, maxAskedLexemes the number of lexemes whose use is counted, at some 128 bytes each.
	maxPostingsCache, maxAskedLexemes = 8 << 20, 8192
	// maxMeasures bounds the remembered measures in bytes: for each document of the indices that are searched, two, or six if boosts differ, two for
	// each measured title and each field of a search in some fields, and eight for each text that is sorted by, or field whose order is kept.
	maxMeasures = 256 << 20
	// maxCachedLexemes is the maximum number of lexemes of a search whose postings are remembered: a prefix may stand for a hundred lexemes, each used
	// once.
	maxCachedLexemes = 16
)

func newPostingsCache() postingsCache {
	return postingsCache{
		known:    remembered.Frequent[lexemeKey, lexemeBlocks]{Room: maxPostingsCache, Counts: maxAskedLexemes},
		measures: remembered.Map[measuresKey, measuredBlocks]{Room: maxMeasures, Weigh: func(_ measuresKey, list measuredBlocks) int { return list.size() }},
		quiet:    remembered.Map[builtIn, bool]{Room: maxCached},
	}
}

// postingsQuery reads the postings of a search's lexemes in a snapshot, except for those that are remembered and have not changed.
type postingsQuery struct {
	search *accelerated
	cache  *postingsCache
	cached []lexemeBlocks // by index of the lexeme; nil if not remembered
	keep   []bool         // which are to be remembered, by index of the lexeme
	agreed []blockVersion // blocks of which everything remembered has the same version
}

// query looks up what is remembered. searched says that a search asks for the lexemes, which is what makes them worth remembering.
func (c *postingsCache) query(a *accelerated, searched bool) *postingsQuery {
	q := &postingsQuery{search: a, cache: c, cached: make([]lexemeBlocks, len(a.lexemes)), keep: make([]bool, len(a.lexemes))}
	words := 0
	for _, l := range a.lexemes {
		if !posting.OfDocuments(l) {
			words++
		}
	}
	many := words > maxCachedLexemes
	first := true
	for i, l := range a.lexemes {
		list, ok := c.get(a, l)
		again := posting.OfDocuments(l) || searched && !many && c.known.Ask(lexemeKey{a.builtIn(), l}) > 1
		if !ok {
			c.misses.Add(1)
			q.keep[i] = searched && again
			continue
		}
		c.hits.Add(1)
		q.cached[i] = list
		if first {
			for _, p := range list {
				q.agreed = append(q.agreed, p.blockVersion)
			}
			first = false
			continue
		}
		q.agreed = slices.DeleteFunc(q.agreed, func(v blockVersion) bool {
			p, ok := list.block(v.number)
			return !ok || p.writer != v.writer
		})
	}
	return q
}

// get returns what is remembered of a lexeme.
func (c *postingsCache) get(a *accelerated, lexeme string) (list lexemeBlocks, ok bool) {
	if !posting.OfDocuments(lexeme) {
		return c.known.Get(lexemeKey{a.builtIn(), lexeme})
	}
	measured, ok := c.measures.Get(measuresKey{a.plan.Index.ID, lexeme})
	return measured.lexemeBlocks, ok && measured.builtIn == a.builtIn()
}

// put remembers the postings of the lexeme at an index, as a search has read them; before is what was remembered.
func (c *postingsCache) put(t *blockTally, place int, before lexemeBlocks) {
	a := t.search
	lexeme := a.lexemes[place]
	if !posting.OfDocuments(lexeme) {
		list := make(lexemeBlocks, len(t.blocks))
		for i, b := range t.blocks {
			list[i] = writtenPostings{blockVersion: b.blockVersion, List: b.Postings[place]}
		}
		c.known.Put(lexemeKey{a.builtIn(), lexeme}, 128+len(lexeme)+list.size(), list.copied)
		return
	}
	c.measures.Put(measuresKey{a.plan.Index.ID, lexeme}, measuredBlocks{a.builtIn(), t.measured(place, before)})
}

// blockRoom is the size of a block's postings without their data.
const blockRoom = 168

// size returns the approximate size in bytes.
func (l lexemeBlocks) size() (n int) {
	for _, p := range l {
		n += blockRoom + p.List.Size() + len(p.Lengths) + len(p.Boosts)
	}
	return n
}

// block returns the postings of the block with a number.
func (l lexemeBlocks) block(number int64) (p writtenPostings, ok bool) {
	i, ok := slices.BinarySearchFunc(l, number, func(p writtenPostings, number int64) int { return int(p.number - number) })
	if ok {
		p = l[i]
	}
	return p, ok
}

const postingsColumns = "SELECT lexeme, block, documents, postings FROM "

// queue adds the statements to a batch. They are prepared so that rows come in binary form; as text they would be twice as large.
func (q *postingsQuery) queue(batch *pgx.Batch) {
	table := q.search.sh.Postings()
	batch.Queue("SELECT block, xmin, documents FROM "+table+" WHERE lexeme = $1 ORDER BY block", posting.EveryDocument)
	if missing := q.lexemes(false); missing != nil {
		batch.Queue(postingsColumns+table+" WHERE lexeme = ANY((SELECT $1::text[])::text[])", missing)
	}
}

// lexemes returns the lexemes of the search that are remembered, or those that are not.
func (q *postingsQuery) lexemes(cached bool) (list []string) {
	for i, l := range q.search.lexemes {
		if cached == (q.cached[i] != nil) {
			list = append(list, l)
		}
	}
	return list
}

// read reads the blocks, and the postings that are not remembered.
func (q *postingsQuery) read(results pgx.BatchResults, t *blockTally) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	if err := t.takeBlocks(rows); err != nil {
		return err
	}
	if q.lexemes(false) == nil {
		return nil
	}
	if rows, err = results.Query(); err != nil {
		return err
	}
	return q.take(rows, t)
}

// take reads rows of postings.
func (q *postingsQuery) take(rows pgx.Rows, t *blockTally) error {
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		b := t.block(int64(binary.BigEndian.Uint32(raw[1])))
		place, ok := t.places[string(raw[0])]
		if b == nil || !ok {
			return posting.ErrForm
		}
		documents, data := int(binary.BigEndian.Uint32(raw[2])), t.space.Copy(raw[3])
		switch {
		case len(raw[0]) == 0:
			b.Postings[place], b.Measures, ok = posting.DecodeMeasures(documents, data, q.search.blockSize)
		case raw[0][0] == posting.LengthsOf[0]:
			b.Postings[place], ok = posting.List{Documents: documents, Codes: data}, len(data) <= 2*q.search.blockSize
		case raw[0][0] == posting.KeysOf[0]:
			b.Postings[place], ok = posting.List{Documents: documents, Codes: data}, posting.TextKeys(data).Fits(q.search.blockSize)
		case raw[0][0] == posting.PresentOf[0]:
			b.Postings[place], ok = posting.List{Documents: documents, Codes: data}, posting.BareDocuments(data).Fits(q.search.blockSize)
		case raw[0][0] == posting.BeginningsOf[0]:
			b.Postings[place], ok = posting.List{Documents: documents, Codes: data}, posting.Beginnings(data).Fits(q.search.blockSize, len(q.search.searched))
		default:
			b.Postings[place], ok = posting.Decode(documents, data, q.search.blockSize)
		}
		if !ok {
			return posting.ErrForm
		}
	}
	return rows.Err()
}

// likely reports whether everything is remembered and has probably not changed.
func (q *postingsQuery) likely() bool {
	for _, list := range q.cached {
		if len(list) == 0 || len(list) != len(q.agreed) {
			return false
		}
	}
	quiet, _ := q.cache.quiet.Get(q.search.builtIn())
	return quiet && len(q.agreed) > 0
}

// fill adds what is remembered to a block for which everything has the same version.
func (q *postingsQuery) fill(b *block) {
	for place, list := range q.cached {
		if list != nil {
			p, _ := list.block(b.number)
			b.Postings[place] = p.List
			if q.search.lexemes[place] == posting.EveryDocument {
				b.Measures = p.Measures
			}
		}
	}
}

// finish reads, in the same snapshot, the changed parts of what is remembered, and remembers what is used repeatedly.
func (q *postingsQuery) finish(ctx context.Context, db querier, t *blockTally) error {
	agreed := map[blockVersion]bool{}
	for _, v := range q.agreed {
		agreed[v] = true
	}
	cached := q.lexemes(true)
	var changed []int32
	for _, b := range t.blocks {
		if !agreed[b.blockVersion] {
			changed = append(changed, int32(b.number))
		}
	}
	if len(changed) > 0 && cached != nil {
		st := sqltext.Statement{SQL: postingsColumns + q.search.sh.Postings() + " WHERE lexeme = ANY((SELECT $1::text[])::text[]) AND block = ANY((SELECT $2::int[])::int[])", Args: []any{cached, changed}, Prepared: true}
		rows, err := queryOn(ctx, db, st)
		if err == nil {
			err = q.take(rows, t)
		}
		if err != nil {
			return err
		}
	}
	if cached != nil {
		q.cache.quiet.Put(q.search.builtIn(), len(changed) == 0)
	}
	for _, b := range t.blocks {
		if agreed[b.blockVersion] {
			q.fill(b)
		}
	}
	for place, list := range q.cached {
		if list == nil && !q.keep[place] || list != nil && len(changed) == 0 && len(list) == len(t.blocks) {
			continue
		}
		q.cache.put(t, place, list)
	}
	return nil
}

// copied moves the postings into one piece of memory of their own.
func (l lexemeBlocks) copied() lexemeBlocks {
	room := 0
	for _, p := range l {
		room += p.List.Size()
	}
	data := make([]byte, 0, room)
	for i := range l {
		l[i].List = l[i].List.Kept(func(part []byte) []byte {
			from := len(data)
			data = append(data, part...)
			return data[from:len(data):len(data)]
		})
	}
	return l
}

// measured returns the blocks of a row name for documents or lengths, given by its index: for unchanged blocks those in before, for others a copy.
// They are large, and while an index is being written to, one block after the other changes.
func (t *blockTally) measured(place int, before lexemeBlocks) lexemeBlocks {
	list := make(lexemeBlocks, len(t.blocks))
	for i, b := range t.blocks {
		if old, ok := before.block(b.number); ok && old.writer == b.writer {
			list[i] = old
			continue
		}
		list[i] = writtenPostings{blockVersion: b.blockVersion, List: b.Postings[place].Kept(slices.Clone)}
		if t.search.lexemes[place] == posting.EveryDocument {
			list[i].Measures = posting.Measures{Lengths: slices.Clone(b.Measures.Lengths), Boosts: slices.Clone(b.Measures.Boosts)}
		}
	}
	return list
}
