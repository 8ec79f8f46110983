package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// judged is a collection with judgements.
type judged struct {
	corpus
	queries [][]string                    // id, text
	grades  map[string]map[string]float64 // query id → document id → grade
	known   [][]string                    // document id, query
	typos   [][]string                    // document id, query with one error, query without
}

// cut is how many hits are judged.
const cut = 10

// judgedSet reads a folder.
func (c *command) judgedSet(dir string) (*judged, error) {
	name := filepath.Base(filepath.Clean(dir))
	docs := filepath.Join(dir, "docs.ndjson.gz")
	if _, err := os.Stat(docs); errors.Is(err, fs.ErrNotExist) {
		if docs = c.Docs; docs == "" {
			return nil, fmt.Errorf("the set %s has no docs.ndjson.gz: name its documents with --docs", name)
		}
	}
	set := &judged{grades: map[string]map[string]float64{}}
	set.name, set.language, set.seed, set.each = name, c.languageOf(name), c.Seed, documentsOf(docs, c.IDField)
	var err error
	if set.mappings, err = c.mappingsOf(name); err != nil {
		return nil, err
	}
	var judgements [][]string
	for _, f := range []struct {
		rows    *[][]string
		name    string
		columns int
	}{
		{&set.queries, "queries.tsv", 2}, {&judgements, "qrels.tsv", 3}, {&set.known, "known-items.tsv", 2}, {&set.typos, "known-items-typo.tsv", 3},
	} {
		if *f.rows, err = table(filepath.Join(dir, f.name), f.columns); err != nil {
			return nil, err
		}
	}
	for _, j := range judgements {
		grade, err := strconv.ParseFloat(j[2], 64)
		if err != nil {
			return nil, fmt.Errorf("qrels.tsv: grade %q is not a number", j[2])
		}
		if set.grades[j[0]] == nil {
			set.grades[j[0]] = map[string]float64{}
		}
		set.grades[j[0]][j[1]] = grade
	}
	return set, nil
}

// table reads lines of tab-separated columns; a missing file has none.
func table(path string, columns int) (rows [][]string, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		row := strings.SplitN(lines.Text(), "\t", columns)
		if len(row) != columns {
			return nil, fmt.Errorf("%s, line %d: expected %d columns", filepath.Base(path), n, columns)
		}
		rows = append(rows, row)
	}
	return rows, lines.Err()
}

// ndcg is the normalised discounted cumulative gain of the first ten, with the grades themselves as gains
// (Järvelin and Kekäläinen, 2002). ok is false if no document is relevant.
func ndcg(ids []string, grades map[string]float64) (value float64, ok bool) {
	var best []float64
	for _, g := range grades {
		if g > 0 {
			best = append(best, g)
		}
	}
	if len(best) == 0 {
		return 0, false
	}
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	gain, ideal := 0.0, 0.0
	for i := range cut {
		discount := math.Log2(float64(i) + 2)
		if i < len(ids) {
			gain += max(0, grades[ids[i]]) / discount
		}
		if i < len(best) {
			ideal += best[i] / discount
		}
	}
	return gain / ideal, true
}

// searcher returns the ids of the first ten hits.
type searcher func(ctx context.Context, text string) ([]string, error)

// meanNDCG is the mean over the queries that have a relevant document.
func (j *judged) meanNDCG(ctx context.Context, search searcher) (mean float64, n int, err error) {
	for _, q := range j.queries {
		if _, ok := ndcg(nil, j.grades[q[0]]); !ok {
			continue
		}
		ids, err := search(ctx, q[1])
		if err != nil {
			return 0, 0, err
		}
		value, _ := ndcg(ids, j.grades[q[0]])
		mean += value
		n++
	}
	if n == 0 {
		return 0, 0, nil
	}
	return mean / float64(n), n, nil
}

// knownItems returns the mean reciprocal rank within the first ten, and for how many rows the document was among them.
// column is that of the query.
func knownItems(ctx context.Context, rows [][]string, column int, search searcher) (mrr float64, hits int, err error) {
	for _, row := range rows {
		ids, err := search(ctx, row[column])
		if err != nil {
			return 0, 0, err
		}
		if rank := slices.Index(ids, row[0]); rank >= 0 {
			mrr += 1 / float64(rank+1)
			hits++
		}
	}
	return mrr / float64(len(rows)), hits, nil
}

// relevance loads a judged set and measures what is found.
func (e *environment) relevance(ctx context.Context, r *report, set *judged) error {
	const index = "judged"
	if err := e.api.createIndex(ctx, index, &set.corpus, ""); err != nil {
		return err
	}
	h, err := newHand(ctx, e.db, "hand_judged", &set.corpus)
	if err != nil {
		return err
	}
	n, err := e.load(ctx, &set.corpus, index, h, nil, 0)
	if err != nil {
		return err
	}
	if _, err := e.settle(ctx, index, n); err != nil {
		return err
	}
	if err := h.discard(ctx, "VACUUM ANALYZE "+h.table); err != nil {
		return err
	}
	rowan := func(ctx context.Context, text string) ([]string, error) {
		f, err := e.api.search(ctx, index, map[string]any{"query": text, "per_page": cut})
		return f.IDs, err
	}
	all := func(ctx context.Context, text string) ([]string, error) {
		return h.search(ctx, h.words(text, false), false)
	}
	some := func(ctx context.Context, text string) ([]string, error) { return h.search(ctx, h.anyOf(text), false) }

	var rows [][]string
	if len(set.queries) > 0 {
		var values [3]float64
		queries := 0
		for i, search := range []searcher{rowan, all, some} {
			if values[i], queries, err = set.meanNDCG(ctx, search); err != nil {
				return err
			}
		}
		rows = append(rows, []string{fmt.Sprintf("nDCG@10, %d queries", queries), three(values[0]), three(values[1]), three(values[2]), times(values[0] / max(values[1], values[2]))})
	}
	known := func(title string, list [][]string, column int) (int, error) {
		if len(list) == 0 {
			return 0, nil
		}
		mrr, hits, err := knownItems(ctx, list, column, rowan)
		if err != nil {
			return 0, err
		}
		sqlMRR, sqlHits, err := knownItems(ctx, list, column, all)
		if err != nil {
			return 0, err
		}
		of := float64(len(list))
		rows = append(rows,
			[]string{fmt.Sprintf("MRR, %s %s", thousands(len(list)), title), three(mrr), three(sqlMRR), "", times(mrr / sqlMRR)},
			[]string{"… in the first ten", percent(float64(hits) / of), percent(float64(sqlHits) / of), "", times(float64(hits) / float64(sqlHits))})
		return hits, nil
	}
	if _, err := known("known items", set.known, 1); err != nil {
		return err
	}
	clean, err := known("known items, written right", set.typos, 2)
	if err != nil {
		return err
	}
	wrong, err := known("the same, with one error", set.typos, 1)
	if err != nil {
		return err
	}
	if clean > 0 {
		rows = append(rows, []string{"found with an error, of those found without", percent(float64(wrong) / float64(clean)), "", "", ""})
	}
	r.table(fmt.Sprintf("Relevance: %s, %s documents", set.name, thousands(n)),
		[]string{"", "Rowan", "SQL, all words", "SQL, any word", "Rowan ÷ better SQL"}, rows)
	if err := h.drop(ctx); err != nil {
		return err
	}
	return e.api.deleteIndex(ctx, index)
}
