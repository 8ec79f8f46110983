package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// maxVectorLength is the mean number of lexemes of a document up to which vectors are fetched: to send longer ones
// takes more than to rank them where they are.
const maxVectorLength = 500

// rankable tells whether the hits of a plan can be ranked from vectors: they are in the order of their scores, and
// nothing else is asked of the documents.
func rankable(p *service.Plan, r ranking) bool {
	byScore := len(p.Sort) == 0 || len(p.Sort) == 1 && p.Sort[0].Score && p.Sort[0].Desc
	return byScore && p.All && len(p.Terms) > 0 && p.After == nil && !p.Explain && r.averageLength <= maxVectorLength
}

// vectorsSQL selects documents with their vectors: those of among, or the first few that are found.
func (s shape) vectorsSQL(p *service.Plan, m *among, few int) statement {
	b := &searchBuilder{shape: s, plan: p, among: m, prepared: true}
	columns := []string{"t._seq", "t._id", "t._boost"}
	for _, f := range p.Fields {
		columns = append(columns, b.vector(f))
	}
	sql := "SELECT " + strings.Join(columns, ", ") + " FROM " + b.table + " t WHERE " + b.rows()
	if few > 0 {
		sql += fmt.Sprintf(" LIMIT %d", few)
	}
	return statement{sql, b.args.values, true}
}

// take ranks the documents of rows, and returns those that have enough of the query.
func (v *vectorRanker) take(rows pgx.Rows) (list []rankedDocument, err error) {
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		d := rankedDocument{seq: int64(binary.BigEndian.Uint64(raw[0]))}
		var ok bool
		d.score, d.every, ok, err = v.rank(math.Float64frombits(binary.BigEndian.Uint64(raw[2])), raw[3:])
		if err != nil {
			return nil, err
		}
		if ok {
			d.id = string(raw[1])
			list = append(list, d)
		}
	}
	return list, rows.Err()
}

// page makes the hits of a page, yet without bodies.
func page(p *service.Plan, list []rankedDocument) []service.FoundHit {
	any := p.Match == service.MatchAny
	slices.SortFunc(list, compareRanked(any))
	from := min(p.Offset, len(list))
	list = list[from:min(from+p.Limit, len(list))]
	var hits []service.FoundHit
	for _, d := range list {
		score := strconv.FormatFloat(d.score, 'g', -1, 64)
		place := []*string{&score, &d.id}
		if any {
			every := strconv.FormatBool(d.every)
			place = append([]*string{&every}, place...)
		}
		hits = append(hits, service.FoundHit{Document: service.Document{ID: d.id}, Score: d.score, Place: place})
	}
	return hits
}

// bodies reads what the hits of a page are still without, in the transaction of conn, and ends it unless it is to stay.
func (s shape) bodies(ctx context.Context, conn *pgx.Conn, hits []service.FoundHit, stay bool) (err error) {
	ids := make([]string, len(hits))
	places := make(map[string]int, len(hits))
	for i, h := range hits {
		ids[i], places[h.Document.ID] = h.Document.ID, i
	}
	batch := &pgx.Batch{}
	batch.Queue("SELECT _id, _body, _autocomplete FROM "+s.table+" WHERE _id = ANY($1::text[])", ids)
	if !stay {
		batch.Queue("commit")
	}
	results := conn.SendBatch(ctx, batch)
	defer func() {
		if ended := results.Close(); err == nil {
			err = ended
		}
	}()
	rows, err := results.Query()
	if err != nil {
		return err
	}
	var d service.Document
	_, err = pgx.ForEachRow(rows, []any{&d.ID, &d.Body, &d.Autocomplete}, func() error {
		hits[places[d.ID]].Document = d
		size := len(d.Body)
		d = service.Document{}
		return service.Hold(ctx, size)
	})
	return err
}

const (
	// fewDocuments is how many documents are fetched at most, and counted one by one, to be ranked here.
	fewDocuments = 500
	// fewExpected is how many are expected at most. Words that are looked for together are together more often than by
	// chance.
	fewExpected = 100
)

// searchFew answers a search that finds few documents. done is false where the plain statement has to; then p.Match
// may have been decided all the same.
func (s *Store) searchFew(ctx context.Context, p *service.Plan, sh shape, r ranking, expected float64, found *service.Found) (done bool, err error) {
	if expected > fewExpected || !rankable(p, r) || len(p.Facets) > 0 || p.Filter != nil || len(p.Own) > 0 || p.Nothing || p.Match == service.MatchAny {
		return false, nil
	}
	all := *p
	all.Match = service.MatchAll
	v := newVectorRanker(&all, r)
	if v == nil {
		return false, nil
	}
	conn, err := s.readPool(ctx).Acquire(ctx)
	if err != nil {
		return false, err
	}
	batch := &pgx.Batch{}
	batch.BeginTx(pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	batch.Queue("SELECT version FROM rowan.applications WHERE id = $1::text", p.Index.Application)
	st := sh.vectorsSQL(&all, nil, fewDocuments+1)
	batch.Queue(st.sql, st.args...)
	results := conn.SendBatch(ctx, batch)
	defer s.endSnapshot(ctx, conn, results.Tx())
	list, err := v.takeFew(results, p.Version)
	if ended := results.Close(); err == nil {
		err = ended
	}
	if err != nil || len(list) > fewDocuments {
		return false, err
	}
	required := 0
	for _, t := range p.Terms {
		if !t.Optional {
			required++
		}
	}
	if p.Match == service.MatchAuto && required >= 2 && len(list) < enoughHits {
		p.Match = service.MatchAny
		return false, nil
	}
	p.Match = service.MatchAll
	hits := page(&all, list)
	if err := sh.bodies(ctx, conn.Conn(), hits, false); err != nil {
		return false, err
	}
	found.Match, found.Hits, found.Total, found.TotalAllWords = p.Match, hits, int64(len(list)), int64(len(list))
	return true, nil
}

func (v *vectorRanker) takeFew(results pgx.BatchResults, version int64) ([]rankedDocument, error) {
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	if err := checkVersion(results.QueryRow(), version); err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	return v.take(rows)
}
