package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/tsquery"
)

// maxVectorLength is the mean number of lexemes of a document up to which vectors are fetched: to send longer ones
// takes more than to rank them where they are.
const maxVectorLength = 500

// rankable tells whether the hits of a plan can be ranked from vectors: they are in the order of their scores, and
// nothing else is asked of the documents.
func rankable(sh table.Shape, p *service.Plan, r ranking) bool {
	_, ok := afterCursor(p)
	return ok && leadingKey(orderOf(sh, p)) == "score" && ranksVectors(p, r)
}

// sortable tells whether few documents can be ranked from vectors where other keys come before the score in the order of the
// hits: what these make of the order is selected with the vectors. After a cursor it would have to be held against its place.
func sortable(sh table.Shape, p *service.Plan, r ranking) bool {
	keys := orderOf(sh, p)
	first := slices.IndexFunc(keys, isScore)
	return p.After == nil && first > 0 && leadingKey(keys[first:]) == "score" && ranksVectors(p, r)
}

func ranksVectors(p *service.Plan, r ranking) bool {
	return len(p.Terms) > 0 && !p.Explain && r.averageLength <= maxVectorLength
}

// vectorsSQL selects documents with their vectors, with the place of each by the keys of the order that come before the score, and
// those keys. These are the documents of m or, where m is nil, the first few that are found; the latter come with what the facets
// count. Of documents that are likely to be on the page it also selects what the page shows: of all where they fit or hardly more are
// found than do, else of the first candidates.
func vectorsSQL(sh table.Shape, p *service.Plan, m *among, few int) statement {
	b := &searchBuilder{Shape: sh, plan: p, among: m, prepared: p.Filter == nil || m == nil || len(m.others) == 0}
	columns, rows := b.vectorRows(few)
	vectors := "SELECT " + strings.Join(columns, ", ")
	shown := func(condition, rows string) statement {
		return statement{vectors + ", CASE WHEN " + condition + " THEN t._body END, CASE WHEN " + condition + " THEN t._autocomplete END" + rows, b.args.Values, b.prepared}
	}
	likelyShown := p.Limit + min(p.Limit/2, moreShown)
	switch {
	case p.Offset > 0 || p.After != nil || p.Limit == 0 || few > fewDocuments+1 || m != nil && !m.likely && len(m.candidates)+len(m.others) > p.Limit:
		return statement{vectors + ", NULL::jsonb, NULL::text[]" + rows, b.args.Values, b.prepared}
	case m != nil && len(m.candidates)+len(m.others) <= likelyShown:
		return statement{vectors + ", t._body, t._autocomplete" + rows, b.args.Values, b.prepared}
	case m != nil:
		// Of phrases, and of what many words begin with, bounds are close to scores, but not in the same order.
		first := m.candidates[:min(len(m.candidates), likelyShown)]
		return shown("t._seq = ANY("+b.args.Add(first, "bigint[]")+")", rows)
	}
	return shown(fmt.Sprintf("count(*) OVER () <= CASE WHEN pg_column_size(t._body) <= %d THEN %d ELSE %d END", smallBody, p.Limit+mostShown, p.Limit),
		" FROM (SELECT *"+rows+") t")
}

// vectorRows are what is ranked of the documents, and where it comes from.
func (b *searchBuilder) vectorRows(few int) (columns []string, rows string) {
	p, m := b.plan, b.among
	rows = " FROM " + b.Table + " t WHERE "
	if m == nil && p.Filter != nil {
		// A filter is asked of the few that the words find: what it is makes no difference to the plan then.
		rows = " FROM (SELECT *" + rows + b.indexed() + " OFFSET 0) t WHERE " + allOf(b.checked())
	} else {
		rows += b.rows()
	}
	columns = []string{"t._seq", "t._id", "t._boost"}
	for _, f := range p.Fields {
		columns = append(columns, b.vector(f))
	}
	if few > 0 {
		rows += fmt.Sprintf(" LIMIT %d", few)
	}
	if m == nil {
		for _, f := range facetFields(b.Shape, p) {
			columns = append(columns, valueColumns(f)...)
		}
	}
	// Whether a document has all words is told by whoever ranks it.
	keys := slices.DeleteFunc(b.keysBeforeScore(), func(k orderKey) bool { return k.column == "every" })
	if len(keys) == 0 {
		return columns, rows
	}
	var sorts []string
	for i, k := range p.Sort {
		sorts = append(sorts, b.sortColumns(i, k)...)
	}
	columns = append(columns, "dense_rank() OVER ("+orderedBy(keys, "t.")+")")
	for _, k := range keys {
		columns = append(columns, "t."+k.column+"::text")
	}
	return columns, " FROM (SELECT t.*, " + strings.Join(sorts, ", ") + rows + ") t"
}

const (
	// moreShown is how many more candidates than fit on the page have their bodies read with their vectors.
	moreShown = 5
	// mostShown is how many more documents than fit on the page may be found for all of them to have their bodies read with
	// their vectors, if they are small as they are stored, in bytes. To read the bodies of the page for themselves takes as
	// long as these.
	mostShown, smallBody = 10, 8192
)

// facetFields are the fields of a plan's facets.
func facetFields(sh table.Shape, p *service.Plan) (list []table.Field) {
	for _, name := range p.Facets {
		f, _ := sh.Field(name)
		list = append(list, f)
	}
	return list
}

// take ranks the documents of rows, and returns those that have enough of the query.
func (v *vectorRanker) take(ctx context.Context, rows pgx.Rows) (list []rankedDocument, err error) {
	defer rows.Close()
	var d rankedDocument
	var shown []any
	allFirst := v.plan.AllFirst()
	for rows.Next() {
		raw := rows.RawValues()
		last := len(raw) - 2
		v.taken++
		if shown == nil { // not before: a statement that fails has no columns
			shown = make([]any, len(raw))
			shown[last], shown[last+1] = &d.doc.Body, &d.doc.Autocomplete
		}
		d = rankedDocument{seq: int64(binary.BigEndian.Uint64(raw[0]))}
		var ok bool
		vectors, rest := raw[3:3+len(v.plan.Fields)], raw[3+len(v.plan.Fields):last]
		d.score, d.every, ok, err = v.rank(math.Float64frombits(binary.BigEndian.Uint64(raw[2])), vectors)
		d.first = d.every && allFirst
		if err == nil && ok {
			err = v.count(rest)
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		d.id = string(raw[1])
		if keys := rest[4*len(v.facets):]; len(keys) > 0 {
			d.before, d.keys = int64(binary.BigEndian.Uint64(keys[0])), textsOrNil(keys[1:])
			if err := service.Hold(ctx, bytesOf(keys[1:])); err != nil {
				return nil, err
			}
		}
		if raw[last] != nil {
			if err := rows.Scan(shown...); err != nil {
				return nil, err
			}
			if err := service.Hold(ctx, d.doc.Size()); err != nil {
				return nil, err
			}
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

func bytesOf(texts [][]byte) (size int) {
	for _, text := range texts {
		size += len(text)
	}
	return size
}

// textsOrNil are texts, nil for what is null.
func textsOrNil(raw [][]byte) []*string {
	list := make([]*string, len(raw))
	for i, text := range raw {
		if text != nil {
			s := string(text)
			list[i] = &s
		}
	}
	return list
}

// mostCounted is how many bytes the values that are counted here may have together, each once. Of more, as those of long texts, the
// plain statement sends only what the answer has.
const mostCounted = 4 << 20

// count counts the values of a document.
func (v *vectorRanker) count(raw [][]byte) error {
	for i, f := range v.facets {
		values := v.counts[i].Values
		exact, err := eachValue(f, raw[4*i:4*i+4], func(key, spelling []byte) {
			before := len(values)
			if values[blockvalues.Value{Key: string(key), Spelling: string(spelling)}]++; len(values) > before {
				v.counted += len(key) + len(spelling)
			}
		})
		if err == nil && (!exact || v.counted > mostCounted) {
			err = errUncountable
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fillBodies reads what the hits of a page are still without, in the transaction of conn, and ends it then unless it is to
// stay.
func fillBodies(ctx context.Context, conn *pgx.Conn, sh table.Shape, hits []service.FoundHit, stay bool) error {
	if !lackBodies(hits) {
		return nil
	}
	batch := &pgx.Batch{}
	queueBodies(sh, batch, hits)
	if !stay {
		batch.Queue("commit")
	}
	results := conn.SendBatch(ctx, batch)
	err := readBodies(ctx, results, hits)
	return cmp.Or(err, results.Close())
}

func lackBodies(hits []service.FoundHit) bool {
	return slices.ContainsFunc(hits, func(h service.FoundHit) bool { return h.Document.Body == nil })
}

func queueBodies(sh table.Shape, batch *pgx.Batch, hits []service.FoundHit) {
	var ids []string
	for _, h := range hits {
		if h.Document.Body == nil {
			ids = append(ids, h.Document.ID)
		}
	}
	batch.Queue(documentsSQL(sh.Relations), ids)
}

func readBodies(ctx context.Context, results pgx.BatchResults, hits []service.FoundHit) error {
	rows, err := results.Query()
	docs, err := collectDocuments(ctx, rows, err, len(hits))
	for i, h := range hits {
		if h.Document.Body == nil {
			hits[i].Document = docs[h.Document.ID]
		}
	}
	return err
}

const (
	// fewDocuments is how many documents are fetched at most, and counted one by one, to be ranked here.
	fewDocuments = 500
	// fewExpected is how many are expected at most. Words that are looked for together are together more often than by
	// chance.
	fewExpected = 100
)

// searchFew answers a search that finds few documents; counts is nil where its terms are counted. done is false where
// the plain statement has to answer; then p.Match may have been decided, and the terms counted, all the same.
func (s *Store) searchFew(ctx context.Context, p *service.Plan, sh table.Shape, r ranking, counts *termCounts, found *service.Found) (done bool, err error) {
	if !rankable(sh, p, r) && !sortable(sh, p, r) || len(p.Own) > 0 || p.Nothing || p.Match == service.MatchAny || !countable(sh, p.Facets) || !requiresWords(p) {
		return false, nil
	}
	all := *p
	all.Match = service.MatchAll
	few := newVectorSearch(all, sh, r, fewDocuments, found)
	if few == nil {
		return false, nil
	}
	few.counts = counts
	err = s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		list, err := few.open(ctx, conn)
		if err != nil || len(list) > fewDocuments {
			return err
		}
		if p.Match == service.MatchAuto && p.Required() >= 2 && len(list) < enoughHits {
			p.Match = service.MatchAny
			return nil
		}
		p.Match, done = service.MatchAll, true
		return few.answer(ctx, conn, list)
	})
	if takenBack(err, p, r, found) {
		return false, nil
	}
	return done, err
}

// requiresWords tells that documents must have a word that the index on the lexemes finds.
func requiresWords(p *service.Plan) bool {
	return slices.ContainsFunc(p.Terms, func(t service.Term) bool { return !t.Optional && tsquery.InIndex(t, p.Fields, nil) != "" })
}

// countable tells whether facets can be counted from the values of rows or blocks.
func countable(sh table.Shape, facets []string) bool {
	return !slices.ContainsFunc(facets, func(name string) bool {
		f, mapped := sh.Field(name)
		return !mapped || !f.HasValue()
	})
}

// vectorSearch is a search that fetches the vectors of all that it finds.
type vectorSearch struct {
	table.Shape
	plan   service.Plan
	counts *termCounts // what is to be counted on the way, if anything is
	ranker *vectorRanker
	found  *service.Found
	most   int // documents that may be found; one more is fetched, which tells that they are too many
}

// newVectorSearch is a search of a plan, or nil where vectors do not tell the scores.
func newVectorSearch(p service.Plan, sh table.Shape, r ranking, most int, found *service.Found) *vectorSearch {
	v := &vectorSearch{Shape: sh, plan: p, found: found, most: most}
	if v.ranker = newVectorRanker(&v.plan, r); v.ranker == nil {
		return nil
	}
	v.ranker.facets, v.ranker.counts = facetFields(sh, &v.plan), newFacetCounts(&v.plan)
	return v
}

// open begins the transaction and ranks the documents from their vectors.
func (v *vectorSearch) open(ctx context.Context, conn *pgx.Conn) (list []rankedDocument, err error) {
	st := vectorsSQL(v.Shape, &v.plan, nil, v.most+1)
	batch := beginSnapshot(v.Table)
	batch.Queue(catalogSQL(&v.plan), v.plan.Index.Application)
	if v.counts != nil {
		count := countSQL(v.Shape, v.counts.asked)
		batch.Queue(count.sql, count.args...)
	}
	batch.Queue(st.sql, st.args...)
	results := conn.SendBatch(ctx, batch)
	err = begunSnapshot(results)
	if err == nil {
		err = checkVersion(results.QueryRow(), &v.plan, historyOf(ctx, conn))
	}
	var rows pgx.Rows
	if err == nil && v.counts != nil {
		if rows, err = results.Query(); err == nil {
			err = v.count(rows)
		}
	}
	if err == nil {
		if rows, err = results.Query(); err == nil {
			list, err = v.ranker.take(ctx, rows)
		}
	}
	return list, cmp.Or(err, results.Close())
}

// count takes the counts of the terms, which their weights are made of.
func (v *vectorSearch) count(rows pgx.Rows) error {
	counts, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[[]int64])
	if err != nil {
		return err
	}
	v.counts.take(counts)
	v.counts.rarities()
	v.ranker.weigh(v.plan.Terms)
	takeRarities(v.found, v.plan.Terms)
	return nil
}

// answer fills in the answer. Where that takes another question, for bodies, it ends the transaction, too.
func (v *vectorSearch) answer(ctx context.Context, conn *pgx.Conn, list []rankedDocument) error {
	p := &v.plan
	v.found.Match, v.found.Total, v.found.TotalAllWords = p.Match, int64(len(list)), 0
	for _, d := range list {
		if d.every {
			v.found.TotalAllWords++
		}
	}
	v.found.Hits = page(p, list)
	if err := writeFacets(ctx, v.Shape, p, v.ranker.counts, v.found); err != nil {
		return err
	}
	return fillBodies(ctx, conn, v.Shape, v.found.Hits, false)
}
