package dashboard

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/rowansearch/rowan/service"
)

const (
	// RecentSearches keeps recentSlots of the length recentSlot for each application.
	recentSlots = 10
	recentSlot  = 30 * time.Second
	// recentApplications limits the number of applications; each takes 6 KB.
	recentApplications = 1000
	// Latencies are counted in steps of a tenth, from recentShortest to above a minute.
	recentStep     = 1.1
	recentShortest = 100 * time.Microsecond
	recentBuckets  = 141
)

// RecentSearches measures how applications have been searched on this server in the last five minutes. It is a
// service.Observer and the dashboard's Metrics. Its memory is bounded: an application beyond the thousandth takes the place of
// the one whose last search is the oldest.
type RecentSearches struct {
	now func() time.Time

	mu           sync.Mutex
	began        time.Time
	applications map[string]*recent
}

// recent counts the searches of one application.
type recent struct {
	last  time.Time
	slots [recentSlots]recentCount
}

type recentCount struct {
	number  int64 // of the slot, counted since 1970
	total   int64
	buckets [recentBuckets]uint32
}

// NewRecentSearches returns a RecentSearches that has seen no searches.
func NewRecentSearches() *RecentSearches { return newRecentSearches(time.Now) }

func newRecentSearches(now func() time.Time) *RecentSearches {
	return &RecentSearches{now: now, began: now(), applications: map[string]*recent{}}
}

// Searched counts a search that was answered, or exceeded its time limit.
func (r *RecentSearches) Searched(_ context.Context, s service.Searched) {
	if s.Err != nil && service.ErrorCode(s.Err) != service.CodeSearchTimeout {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	of := r.applications[s.Application]
	if of == nil {
		if len(r.applications) >= recentApplications {
			r.forgetOne()
		}
		of = &recent{}
		r.applications[s.Application] = of
	}
	of.last = now
	number := slotOf(now)
	slot := &of.slots[number%recentSlots]
	if slot.number != number {
		*slot = recentCount{number: number}
	}
	slot.total++
	slot.buckets[bucketOf(s.Took)]++
}

// forgetOne forgets the application whose last search is the oldest.
func (r *RecentSearches) forgetOne() {
	var oldest string
	var at time.Time
	for application, of := range r.applications {
		if oldest == "" || of.last.Before(at) {
			oldest, at = application, of.last
		}
	}
	delete(r.applications, oldest)
}

// SearchMetrics implements Metrics. Latencies are rounded up, by at most a tenth.
func (r *RecentSearches) SearchMetrics(_ context.Context, application string) (SearchMetrics, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.applications[application]
	if of == nil {
		return SearchMetrics{}, false
	}
	now := r.now()
	first := slotOf(now) - recentSlots + 1
	var sum recentCount
	for i := range of.slots {
		if slot := &of.slots[i]; slot.number >= first {
			sum.total += slot.total
			for j, n := range slot.buckets {
				sum.buckets[j] += n
			}
		}
	}
	if sum.total == 0 {
		return SearchMetrics{}, false
	}
	since := time.Unix(0, first*int64(recentSlot))
	if since.Before(r.began) {
		since = r.began
	}
	window := max(now.Sub(since), time.Second).Round(time.Second)
	return SearchMetrics{Window: window, PerSecond: float64(sum.total) / window.Seconds(), Median: sum.quantile(0.5), P95: sum.quantile(0.95), Where: "this server"}, true
}

func slotOf(t time.Time) int64 { return t.UnixNano() / int64(recentSlot) }

// bucketOf returns the bucket that counts a latency.
func bucketOf(took time.Duration) int {
	if took <= recentShortest {
		return 0
	}
	return min(recentBuckets-1, int(math.Ceil(math.Log(float64(took)/float64(recentShortest))/math.Log(recentStep))))
}

// quantile returns the latency that the given share of the searches did not exceed.
func (c *recentCount) quantile(share float64) time.Duration {
	need := int64(math.Ceil(share * float64(c.total)))
	bucket := 0
	for seen := int64(c.buckets[0]); seen < need && bucket < recentBuckets-1; seen += int64(c.buckets[bucket]) {
		bucket++
	}
	return time.Duration(float64(recentShortest) * math.Pow(recentStep, float64(bucket)))
}
