package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// kind is a way to search for the words of a query.
type kind struct {
	name  string
	rowan func(text string) map[string]any
	hand  func(ctx context.Context, text string) error
}

// latency loads a corpus and measures how long searches take.
func (e *environment) latency(ctx context.Context, r *report, c *corpus, s size) error {
	const index = "latency"
	say("latency: loading %s", c.name)
	if err := e.api.createIndex(ctx, index, c, c.suggested()); err != nil {
		return err
	}
	h, err := newHand(ctx, e.db, "hand_latency", c)
	if err != nil {
		return err
	}
	p := newProfile(c)
	n, err := e.load(ctx, c, index, h, p.see, s.limit)
	if err != nil {
		return err
	}
	postings, err := e.settle(ctx, index, n)
	if err != nil {
		return err
	}
	for _, sql := range []string{"VACUUM ANALYZE " + h.table, "CHECKPOINT"} {
		if err := h.discard(ctx, sql); err != nil {
			return err
		}
	}
	classes := classesOf(n)
	if err := p.classify(ctx, classes, c.queries, c.seed, s.queries, func(ctx context.Context, text string) (int64, bool, error) {
		var nodes int
		if err := e.db.QueryRow(ctx, "SELECT numnode(plainto_tsquery($1::regconfig, $2))", c.language, text).Scan(&nodes); err != nil {
			return 0, false, err
		}
		f, err := e.api.search(ctx, index, map[string]any{"query": text + " ", "match": "all", "per_page": 0})
		return f.Total, nodes == 2*len(strings.Fields(text))-1, err
	}); err != nil {
		return err
	}
	for _, several := range []int{1, clients} {
		of := &comparison{environment: e, index: index, hand: h, several: several, size: s}
		if err := of.searches(ctx, kinds(h, c, p.filter()), classes); err != nil {
			return err
		}
		if h.suggest && len(p.titles) > 0 {
			if err := of.suggestions(ctx, p.beginnings(c.seed, 5*s.queries)); err != nil {
				return err
			}
		}
		header := []string{fmt.Sprintf("%d clients, ms", several), "Rowan p50", "p95", "SQL p50", "p95", "Rowan ÷ SQL, p50"}
		if several == 1 {
			header[0] = "1 client, ms"
			header = append(header, "Rowan again, p50", "p95")
		} else {
			header = append(header, "Rowan /s", "SQL /s")
		}
		r.table(fmt.Sprintf("Searches: %s, %s documents, %d at once", c.name, thousands(n), several), header, of.rows)
	}
	var about []string
	for _, c := range classes {
		about = append(about, fmt.Sprintf("%s: %d queries with %s–%s matches", c.name, len(c.queries), thousands(int(c.from)), thousands(int(c.to))))
	}
	state := "no postings for common words (the index is too small, or they were not ready)"
	if postings {
		state = "postings for common words"
	}
	now, _ := e.rss()
	r.line("%s. %s. The service itself: %s.", strings.Join(about, "; "), strings.ToUpper(state[:1])+state[1:], mib(now))
	if err := h.drop(ctx); err != nil {
		return err
	}
	return e.api.deleteIndex(ctx, index)
}

// kinds are the ways that a corpus allows.
func kinds(h *hand, c *corpus, f filter) []kind {
	request := func(text string) map[string]any { return map[string]any{"query": text + " ", "match": "all"} } // the space: whole words
	with := func(member string, value any) func(string) map[string]any {
		return func(text string) map[string]any {
			body := request(text)
			body[member] = value
			return body
		}
	}
	all := []kind{{"plain", request, func(ctx context.Context, text string) error {
		_, err := h.search(ctx, h.words(text, false), false)
		return err
	}}}
	if len(h.keys) > 0 {
		all = append(all, kind{fmt.Sprintf("with facets (%d)", len(h.keys)), with("facets", c.keywords()[:len(h.keys)]), func(ctx context.Context, text string) error {
			_, err := h.search(ctx, h.words(text, false), true)
			return err
		}})
	}
	if f.field != "" || f.date != "" {
		all = append(all, kind{"with a filter", with("filter", f.object()), func(ctx context.Context, text string) error {
			_, err := h.search(ctx, h.narrow(h.words(text, false), f), false)
			return err
		}})
	}
	if h.hasDate {
		all = append(all, kind{"newest first", with("sort", "-"+c.date()), func(ctx context.Context, text string) error {
			_, err := h.search(ctx, h.words(text, false).newest(), false)
			return err
		}})
	}
	return append(all, kind{"last word begun", func(text string) map[string]any {
		return map[string]any{"query": begun(text), "match": "all"}
	}, func(ctx context.Context, text string) error {
		_, err := h.search(ctx, h.words(begun(text), true), false)
		return err
	}})
}

// blank is white space that is different for each number. A query with it in front is new to the service, and finds
// the same.
func blank(n uint32) string {
	return strings.NewReplacer("0", " ", "1", "\t").Replace(strconv.FormatUint(uint64(n), 2))
}
