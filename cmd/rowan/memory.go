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
	// leastLimit is what Go may have in bytes before it gives back to the system all that it does not use: with the program
	// itself it is less than 100 MB.
	leastLimit = 64 << 20
)

// boundMemory bounds how far the heap grows, and what is kept of the system, unless the operator has set GOGC, or for the
// latter GOMEMLIMIT. Where nobody can ask for them, profiles of the heap, which take 2 MB, are not made.
func boundMemory(profiled bool) {
	if !profiled {
		runtime.MemProfileRate = 0
	}
	if _, set := os.LookupEnv("GOGC"); set {
		return
	}
	_, ownLimit := os.LookupEnv("GOMEMLIMIT")
	percent, limit := 0, 0
	set := func() {
		live, besides := inUse()
		// To set either stops the process for a moment.
		if want := growthOf(live); want < percent-percent/8 || want > percent+percent/8 {
			percent = want
			debug.SetGCPercent(percent)
		}
		if want := limitOf(live, besides); !ownLimit && (want < limit-limit/8 || want > limit) {
			limit = want
			debug.SetMemoryLimit(int64(limit))
		}
	}
	set()
	afterEachCollection(set)
}

// inUse is what was in use of the heap after the last collection, and what Go has besides objects and what it could give
// back: stacks, spans that are not full, its own.
func inUse() (live, besides int) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	n := func(i int) int { return int(samples[i].Value.Uint64()) }
	return n(0), max(0, n(1)-n(2)-n(3)-n(4))
}

// roomOf is how much the heap may grow with so many bytes in use.
func roomOf(live int) int { return max(live*heapGrowth/100, leastGrowth) }

// growthOf is the same in percent.
func growthOf(live int) int {
	if live == 0 {
		live = 4 << 20 // before the first collection, which comes at 4 MiB otherwise
	}
	return roomOf(live) * 100 / live
}

// limitOf is what Go may have: as much as the heap may grow to, or the collector would come sooner, with what there is
// besides.
func limitOf(live, besides int) int { return max(leastLimit, live+roomOf(live)+besides) }

// afterEachCollection calls f after each collection of the heap, one call at a time.
func afterEachCollection(f func()) {
	type sentinel struct{ _ [16]byte } // what is smaller shares its place with others, and may outlive a collection
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		f()
		afterEachCollection(f)
	})
}
