package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/facets"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/tsquery"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// maxVectorLength is the mean number of lexemes of a document up to which vectors are fetched: sending longer ones takes more than ranking them in
// PostgreSQL.
const maxVectorLength = 500

// rankable reports whether the hits of a plan can be ranked from vectors: they are ordered by score, and nothing else is asked of the documents.
func rankable(sh table.Shape, p *service.Plan, r searchsql.Ranking) bool {
	_, ok := vectorrank.AfterCursor(p)
	return ok && leadingKey(searchsql.OrderOf(sh, p)) == "score" && ranksVectors(p, r)
}

// sortable reports whether few documents can be ranked from vectors if other keys precede the score in the order of the hits: the order by these is
// selected with the vectors. That is not possible after a cursor, because they would have to be compared with its place.
func sortable(sh table.Shape, p *service.Plan, r searchsql.Ranking) bool {
	keys := searchsql.OrderOf(sh, p)
	first := slices.IndexFunc(keys, searchsql.IsScore)
	return p.After == nil && first > 0 && leadingKey(keys[first:]) == "score" && ranksVectors(p, r)
}

func ranksVectors(p *service.Plan, r searchsql.Ranking) bool {
	return len(p.Terms) > 0 && !p.Explain && r.AverageLength <= maxVectorLength
}

// vectorRanker ranks the documents that searchsql.Vectors selects.
type vectorRanker struct {
	*vectorrank.Ranker
	plan  *service.Plan
	taken int // documents
	// facets are counted in the ranked documents, if their values are selected with the vectors.
	facets facets.Documents
}

// newVectorRanker returns a ranker, or nil if vectors do not determine the scores of a plan.
func newVectorRanker(p *service.Plan, r searchsql.Ranking) *vectorRanker {
	ranker, ok := vectorrank.New(p, r)
	if !ok {
		return nil
	}
	return &vectorRanker{Ranker: ranker, plan: p}
}

// take ranks the documents in rows, and returns those that have enough of the query.
func (v *vectorRanker) take(ctx context.Context, rows pgx.Rows) (list []vectorrank.Document, err error) {
	defer rows.Close()
	var d vectorrank.Document
	var shown []any
	allFirst := v.plan.AllFirst()
	for rows.Next() {
		raw := rows.RawValues()
		last := len(raw) - 2
		v.taken++
		if shown == nil { // not before: a failed statement has no columns
			shown = make([]any, len(raw))
			shown[last], shown[last+1] = &d.Shown.Body, &d.Shown.Autocomplete
		}
		d = vectorrank.Document{Seq: int64(binary.BigEndian.Uint64(raw[0]))}
		var ok bool
		vectors, rest := raw[3:3+len(v.plan.Fields)], raw[3+len(v.plan.Fields):last]
		d.Score, d.Every, ok, err = v.Rank(math.Float64frombits(binary.BigEndian.Uint64(raw[2])), vectors)
		d.First = d.Every && allFirst
		if err == nil && ok {
			err = v.facets.Count(rest)
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		d.ID = string(raw[1])
		if keys := rest[v.facets.Columns():]; len(keys) > 0 {
			d.Before, d.Keys = int64(binary.BigEndian.Uint64(keys[0])), textsOrNil(keys[1:])
			if err := service.Hold(ctx, bytesOf(keys[1:])); err != nil {
				return nil, err
			}
		}
		if raw[last] != nil {
			if err := rows.Scan(shown...); err != nil {
				return nil, err
			}
			if err := service.Hold(ctx, d.Shown.Size()); err != nil {
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

// textsOrNil returns the texts, nil for null.
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

// fillBodies reads the bodies that the hits of a page still lack, in the transaction of conn, and then ends it unless stay is set.
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

// fewExpected is the maximum expected number of documents. Words that are searched for together occur together more often than by chance.
const fewExpected = 100

// searchFew answers a search that finds few documents; counts is nil if its terms are already counted. done is false if the plain statement has to
// answer; even then, p.Match may have been decided and the terms counted.
func (s *Store) searchFew(ctx context.Context, p *service.Plan, sh table.Shape, r searchsql.Ranking, counts *termCounts, found *service.Found) (done bool, err error) {
	if !rankable(sh, p, r) && !sortable(sh, p, r) || len(p.Own) > 0 || p.Nothing || p.Match == service.MatchAny || !countable(sh, p.Facets) || !requiresWords(p) {
		return false, nil
	}
	all := *p
	all.Match = service.MatchAll
	few := newVectorSearch(all, sh, r, searchsql.FewDocuments, found)
	if few == nil {
		return false, nil
	}
	few.counts = counts
	err = s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		list, err := few.open(ctx, conn)
		if err != nil || len(list) > searchsql.FewDocuments {
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

// requiresWords reports whether documents must have a word that the index on lexemes finds.
func requiresWords(p *service.Plan) bool {
	return slices.ContainsFunc(p.Terms, func(t service.Term) bool { return !t.Optional && tsquery.InIndex(t, p.Fields, nil) != "" })
}

// countable reports whether facets can be counted from the values of rows or blocks.
func countable(sh table.Shape, facets []string) bool {
	return !slices.ContainsFunc(facets, func(name string) bool {
		f, mapped := sh.Field(name)
		return !mapped || !f.HasValue()
	})
}

// vectorSearch is a search that fetches the vectors of everything that it finds.
type vectorSearch struct {
	table.Shape
	plan   service.Plan
	counts *termCounts // to be counted in the same round trip, nil if nothing is
	ranker *vectorRanker
	found  *service.Found
	most   int // maximum number of documents; one more is fetched, which shows that there are too many
}

// newVectorSearch returns a search for a plan, or nil if vectors do not determine the scores.
func newVectorSearch(p service.Plan, sh table.Shape, r searchsql.Ranking, most int, found *service.Found) *vectorSearch {
	v := &vectorSearch{Shape: sh, plan: p, found: found, most: most}
	if v.ranker = newVectorRanker(&v.plan, r); v.ranker == nil {
		return nil
	}
	v.ranker.facets = facets.NewDocuments(sh, &v.plan)
	return v
}

// open begins the transaction and ranks the documents from their vectors.
func (v *vectorSearch) open(ctx context.Context, conn *pgx.Conn) (list []vectorrank.Document, err error) {
	st := searchsql.Vectors(v.Shape, &v.plan, nil, v.most+1)
	batch := beginSnapshot(v.Table)
	batch.Queue(catalogSQL(&v.plan), v.plan.Index.Application)
	if v.counts != nil {
		count := countSQL(v.Shape, v.counts.asked)
		batch.Queue(count.SQL, count.Args...)
	}
	batch.Queue(st.SQL, st.Args...)
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

// count takes the counts of the terms, on which their weights depend.
func (v *vectorSearch) count(rows pgx.Rows) error {
	counts, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[[]int64])
	if err != nil {
		return err
	}
	v.counts.take(counts)
	v.counts.rarities()
	v.ranker.Weigh()
	takeRarities(v.found, v.plan.Terms)
	return nil
}

// answer fills in the answer. If it must read bodies for that, it also ends the transaction.
func (v *vectorSearch) answer(ctx context.Context, conn *pgx.Conn, list []vectorrank.Document) error {
	p := &v.plan
	v.found.Match, v.found.Total, v.found.TotalAllWords = p.Match, int64(len(list)), 0
	for _, d := range list {
		if d.Every {
			v.found.TotalAllWords++
		}
	}
	v.found.Hits = vectorrank.Page(p, list)
	if err := v.ranker.facets.Write(ctx, v.Shape, p, v.found); err != nil {
		return err
	}
	return fillBodies(ctx, conn, v.Shape, v.found.Hits, false)
}
