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
	leastGrowth = 12 << 20
	// leastLimit is what Go may have in bytes before it gives back to the system all that it does not use, and collects
	// sooner: with the program itself it is less than 100 MB. What is in use may always grow by heapGrowth and by
	// limitRoom, or the collector would never rest.
	leastLimit, limitRoom = 64 << 20, 20 << 20
)

// boundMemory bounds how far the heap grows, and what is kept of the system, unless the operator has set GOGC or
// GOMEMLIMIT. Where nobody can ask for them, profiles of the heap, which take 2 MB, are not made.
func boundMemory(profiled bool) {
	if !profiled {
		runtime.MemProfileRate = 0
	}
	_, ownGrowth := os.LookupEnv("GOGC")
	_, ownLimit := os.LookupEnv("GOMEMLIMIT")
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent, limit := 0, 0
	set := func() {
		metrics.Read(live)
		n := int(live[0].Value.Uint64())
		// To set either stops the process for a moment.
		if want := growthOf(n); !ownGrowth && differs(want, percent) {
			percent = want
			debug.SetGCPercent(percent)
		}
		if want := limitOf(n); !ownLimit && differs(want, limit) {
			limit = want
			debug.SetMemoryLimit(int64(limit))
		}
	}
	set()
	afterEachCollection(set)
}

// growthOf is how much the heap may grow with so many bytes in use, in percent.
func growthOf(live int) int {
	if live == 0 {
		live = 4 << 20 // before the first collection, which comes at 4 MiB otherwise
	}
	return max(heapGrowth, leastGrowth*100/live)
}

// limitOf is what Go may have with so many bytes in use.
func limitOf(live int) int { return max(leastLimit, live+live*heapGrowth/100+limitRoom) }

// differs tells that a setting is not about what it is to be.
func differs(want, is int) bool { return want < is-is/8 || want > is+is/8 }

// afterEachCollection calls f after each collection of the heap, one call at a time.
func afterEachCollection(f func()) {
	type sentinel struct{ _ [16]byte } // what is smaller shares its place with others, and may outlive a collection
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		f()
		afterEachCollection(f)
	})
}
