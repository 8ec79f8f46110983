package main

import (
	"context"
	"net/url"
	"slices"
	"sync/atomic"
	"time"
)

// comparison measures searches of one index and of the hand-written table, by several clients at once, and makes the rows of a table.
type comparison struct {
	*environment
	index   string
	hand    *hand
	several int
	size    size
	asked   atomic.Uint32 // new queries sent so far
	rows    [][]string
}

// work does piece i of the measured work.
type work func(ctx context.Context, i int) error

// compare makes a row with the times that n pieces of work take both ways.
func (c *comparison) compare(ctx context.Context, name string, n int, rowan, hand work) ([]string, error) {
	of, err := versus(ctx, c.several, n, c.size.cell, rowan, hand)
	if err != nil {
		return nil, err
	}
	row := []string{
		name, ms(of[0].median()), ms(of[0].quantile(0.95)), ms(of[1].median()), ms(of[1].quantile(0.95)),
		times(float64(of[0].median()) / float64(max(of[1].median(), time.Nanosecond))),
	}
	if c.several > 1 {
		row = append(row, thousands(int(of[0].rate())), thousands(int(of[1].rate())))
	}
	return row, nil
}

// measure adds a row, once the pages that are needed are in memory. rowan sends new requests, again the same ones each time; again is
// nil if there is no difference.
func (c *comparison) measure(ctx context.Context, name string, n int, rowan, again, hand work) error {
	for _, f := range []work{rowan, hand} {
		if _, err := repeat(ctx, 1, n, c.size.cell, false, f); err != nil {
			return err
		}
	}
	row, err := c.compare(ctx, name, n, rowan, hand)
	if err != nil {
		return err
	}
	if c.several == 1 && again != nil {
		var asked samples
		for range 3 { // an answer requested twice is cached
			if asked, err = repeat(ctx, 1, n, c.size.cell, false, again); err != nil {
				return err
			}
		}
		row = append(row, ms(asked.median()), ms(asked.quantile(0.95)))
	}
	c.rows = append(c.rows, row)
	return nil
}

// again sends the queries of a class as they are.
func (c *comparison) again(k kind, queries []string) work {
	return func(ctx context.Context, i int) error { return c.search(ctx, k.rowan(queries[i])) }
}

// anew sends each query in a form that has not been sent before.
func (c *comparison) anew(k kind, queries []string) work {
	return func(ctx context.Context, i int) error {
		body := k.rowan(queries[i])
		body["query"] = blank(c.asked.Add(1)) + body["query"].(string)
		return c.search(ctx, body)
	}
}

// byHand sends them to the hand-written table.
func byHand(k kind, queries []string) work {
	return func(ctx context.Context, i int) error { return k.hand(ctx, queries[i]) }
}

func (c *comparison) search(ctx context.Context, body map[string]any) error {
	return c.api.send(ctx, "POST", "/v1/search/"+c.index, body, nil)
}

// searches adds the rows of the classes, in each of several ways.
func (c *comparison) searches(ctx context.Context, all []kind, classes []*class) error {
	classes = slices.DeleteFunc(slices.Clone(classes), func(of *class) bool { return len(of.queries) == 0 })
	if c.several == 1 {
		for _, of := range classes {
			row, err := c.compare(ctx, of.name+", first time", len(of.queries), c.anew(all[0], of.queries), byHand(all[0], of.queries))
			if err != nil {
				return err
			}
			c.rows = append(c.rows, row)
		}
	}
	for _, k := range all {
		for _, of := range classes {
			if err := c.measure(ctx, of.name+", "+k.name, len(of.queries), c.anew(k, of.queries), c.again(k, of.queries), byHand(k, of.queries)); err != nil {
				return err
			}
		}
	}
	return nil
}

// suggestions adds the row of suggestions while somebody types.
func (c *comparison) suggestions(ctx context.Context, typed []string) error {
	return c.measure(ctx, "suggestions", len(typed), func(ctx context.Context, i int) error {
		return c.api.do(ctx, "GET", "/v1/search/"+c.index+"/autocomplete?q="+url.QueryEscape(typed[i]), nil, nil)
	}, nil, func(ctx context.Context, i int) error { return c.hand.complete(ctx, typed[i]) })
}
