package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// heapGrowth is how much the heap may grow, in percent of what is in use, before it is collected: a quarter of Go's
	// default. Most of what is in use are remembered postings and values, which the collector need not go through.
	heapGrowth = 25
	// leastGrowth is how many bytes it may grow at the least. Searches leave so little in use that half of it was filled
	// by three of them, and the collector took 40 % of the processor time, on cores that PostgreSQL needs.
	leastGrowth = 16 << 20
)

// boundMemory sets both, unless the operator has set GOGC.
func boundMemory() {
	if _, set := os.LookupEnv("GOGC"); set {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent := 0
	set := func() {
		metrics.Read(live)
		want := heapGrowth
		if n := live[0].Value.Uint64(); n > 0 {
			want = max(want, int(leastGrowth*100/n))
		} else {
			want = max(want, leastGrowth*100/(4<<20)) // before the first collection, which comes at 4 MiB otherwise
		}
		// To set it stops the process for a moment.
		if want < percent-percent/8 || want > percent+percent/8 {
			percent = want
			debug.SetGCPercent(percent)
		}
	}
	set()
	afterEachCollection(set)
}

// afterEachCollection calls f after each collection of the heap, one call at a time.
func afterEachCollection(f func()) {
	type sentinel struct{ _ [16]byte } // what is smaller shares its place with others, and may outlive a collection
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		f()
		afterEachCollection(f)
	})
}
