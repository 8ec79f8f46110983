package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// heapGrowth is how far the heap may grow before it is collected, in percent of what is in use: a quarter of Go's
	// default. Most of what is in use is cached postings and values, which the collector need not scan.
	heapGrowth = 25
	// leastGrowth is how many bytes the heap may grow at least. Searches leave so little in use that three of them
	// filled half of it, and the collector took 40 % of the processor time, on cores that PostgreSQL needs.
	leastGrowth = 12 << 20
	// leastLimit is how many bytes Go may have before it returns all unused memory to the system; with the program itself
	// that is less than 100 MB.
	leastLimit = 64 << 20
)

// boundMemory limits how far the heap grows and how much memory is kept from the system. It does neither if the operator
// has set GOGC, and not the latter if GOMEMLIMIT is set. If nobody can ask for heap profiles, which take 2 MB, it turns
// them off.
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
		// Setting either stops the process for a moment.
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

// inUse returns, in bytes, how much of the heap was in use after the last collection, and what Go has besides objects
// and memory that it could return: stacks, partly filled spans, its own data.
func inUse() (live, besides int) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	n := func(i int) int { return int(samples[i].Value.Uint64()) }
	return n(0), max(0, n(1)-n(2)-n(3)-n(4))
}

// roomOf returns how many bytes the heap may grow with live bytes in use.
func roomOf(live int) int { return max(live*heapGrowth/100, leastGrowth) }

// growthOf returns the same as roomOf, in percent of live.
func growthOf(live int) int {
	if live == 0 {
		live = 4 << 20 // before the first collection, which would otherwise come at 4 MiB
	}
	return roomOf(live) * 100 / live
}

// limitOf returns how many bytes Go may have: as much as the heap may grow to, as the collector would run sooner with
// less, and what there is besides.
func limitOf(live, besides int) int { return max(leastLimit, live+roomOf(live)+besides) }

// afterEachCollection calls f after each collection of the heap, one call at a time.
func afterEachCollection(f func()) {
	type sentinel struct{ _ [16]byte } // smaller objects share an allocation with others, and may outlive a collection
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		f()
		afterEachCollection(f)
	})
}
