package store

import "testing"

// Indices come and go, and nobody reports those that are gone.
func TestRestingLogsAreBounded(t *testing.T) {
	t.Parallel()
	l := restingLogs{known: map[int64]restingLog{}}
	for index := range int64(3 * maxCached) {
		l.resting(index, 100, standardLimits)
		if len(l.known) > maxCached {
			t.Fatalf("%d logs are remembered", len(l.known))
		}
	}
	limits := standardLimits
	limits.resting = 0
	if !l.resting(3*maxCached-1, 100, limits) {
		t.Error("a log that has not grown is not at rest")
	}
}
