package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/storetest"
)

// The mean of dates is the same as PostgreSQL's, to the microsecond, and never outside their range.
func TestMeansOfDates(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	r := rand.New(rand.NewPCG(3, 5))
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	lists := [][]time.Time{{last}, {last, last, last}, {first}, {first, first, first.Add(time.Microsecond)}, {first, last}, {time.UnixMicro(-1), time.UnixMicro(0)}, {time.UnixMicro(-1), time.UnixMicro(-2), time.UnixMicro(-2)}}
	for range 200 {
		list := make([]time.Time, 1+r.IntN(20))
		base, span := first.UnixMicro()+r.Int64N(last.UnixMicro()-first.UnixMicro()), []int64{1, 3, 1e6, 1e15}[r.IntN(4)]
		for i := range list {
			list[i] = time.UnixMicro(min(base+r.Int64N(span), last.UnixMicro()))
		}
		lists = append(lists, list)
	}
	for _, list := range lists {
		var stats []time.Time
		var n int
		if err := db.Pool.QueryRow(t.Context(), fmt.Sprintf("SELECT ARRAY(SELECT jsonb_array_elements_text(a)::timestamptz), n FROM (%s) AS s(a, n)",
			fmt.Sprintf(searchsql.DateStats, "SELECT unnest($1::timestamptz[]) AS key")), list).Scan(&stats, &n); err != nil {
			t.Fatal(err)
		}
		low, high, mean := stats[0], stats[1], stats[2]
		if got, want := meanOfDates(list), mean.UTC().Format(time.RFC3339Nano); got != want || n != len(list) {
			t.Errorf("the mean of %v is %s, to PostgreSQL %s of %d", list, got, want, n)
		}
		if mean.Before(low) || mean.After(high) {
			t.Errorf("%v: the mean %s is not from %s to %s", list, mean, low, high)
		}
	}
}

// meanOfDates returns the mean of instants as facets compute it that are counted from values by block.
func meanOfDates(instants []time.Time) string {
	counts := blockvalues.NewCounts()
	for _, t := range instants {
		counts.Values[blockvalues.Value{Key: blockvalues.TimeKey(t)}]++
	}
	return time.UnixMicro(counts.Numbers().MeanInstant(int64(len(instants)))).UTC().Format(time.RFC3339Nano)
}
