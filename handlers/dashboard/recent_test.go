package dashboard

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
)

// clock is a clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) searched(r *RecentSearches, application string, took time.Duration, err error) {
	r.Searched(context.Background(), service.Searched{Application: application, Took: took, Err: err})
}

func TestRecentSearches(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Unix(1_800_000_000, 0)}
	r := newRecentSearches(c.now)
	if _, ok := r.SearchMetrics(t.Context(), "shop"); ok {
		t.Error("tells of searches before there are any")
	}
	for i := 1; i <= 100; i++ {
		c.at = c.at.Add(time.Second)
		c.searched(r, "shop", time.Duration(i)*time.Millisecond, nil)
	}
	c.searched(r, "other", time.Minute, nil)
	c.searched(r, "shop", 0, service.Errorf(service.CodeInvalidFilter, "no search"))
	m, ok := r.SearchMetrics(t.Context(), "shop")
	if !ok || m.Window != 100*time.Second || m.PerSecond != 1 {
		t.Errorf("got %+v, %v; want one a second in the 100 s since the start", m, ok)
	}
	within := func(got, want time.Duration) bool { return got >= want && got <= want*11/10 }
	if !within(m.Median, 50*time.Millisecond) || !within(m.P95, 95*time.Millisecond) {
		t.Errorf("median %s, 95th percentile %s; want 50 ms and 95 ms, at most a tenth more", m.Median, m.P95)
	}

	// Searches older than the window no longer count.
	c.at = c.at.Add(4*time.Minute + 30*time.Second)
	c.searched(r, "shop", time.Second, service.Errorf(service.CodeSearchTimeout, "too long"))
	if m, _ := r.SearchMetrics(t.Context(), "shop"); m.Window > 5*time.Minute || m.Window < 4*time.Minute+30*time.Second || !within(m.P95, time.Second) {
		t.Errorf("got %+v; want the last five minutes", m)
	}
	c.at = c.at.Add(5 * time.Minute)
	if m, ok := r.SearchMetrics(t.Context(), "shop"); ok {
		t.Errorf("after five quiet minutes got %+v", m)
	}
}

func TestRecentSearchesAreBounded(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Unix(1_800_000_000, 0)}
	r := newRecentSearches(c.now)
	for i := range recentApplications + 10 {
		c.at = c.at.Add(time.Millisecond)
		c.searched(r, fmt.Sprint("app", i), time.Millisecond, nil)
	}
	if len(r.applications) != recentApplications {
		t.Errorf("remembers %d applications, want %d", len(r.applications), recentApplications)
	}
	if _, ok := r.SearchMetrics(t.Context(), "app9"); ok {
		t.Error("the one that was not searched for longest is still there")
	}
	if _, ok := r.SearchMetrics(t.Context(), fmt.Sprint("app", recentApplications+9)); !ok {
		t.Error("the latest one is not there")
	}
}

func TestBuckets(t *testing.T) {
	t.Parallel()
	for _, took := range []time.Duration{0, time.Microsecond, 100 * time.Microsecond, 101 * time.Microsecond, 7 * time.Millisecond, time.Second, time.Minute} {
		c := recentCount{total: 1}
		c.buckets[bucketOf(took)]++
		if got := c.quantile(0.5); got < took || took > recentShortest && got > took*1101/1000 {
			t.Errorf("a search of %s counts as one of %s", took, got)
		}
	}
	if got := bucketOf(time.Hour); got != recentBuckets-1 {
		t.Errorf("an hour is in bucket %d", got)
	}
}
