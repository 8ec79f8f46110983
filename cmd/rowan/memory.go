package main

import (
	"os"
	"runtime/debug"
)

// heapGrowth is how much the heap may grow, in percent of what is in use, before it is collected: half of Go's
// default. A server that loads documents then takes two thirds of the memory; searches take as long as before, and
// several writers at once load up to a sixth fewer documents a second.
const heapGrowth = 50

// boundMemory sets it, unless the operator has set GOGC.
func boundMemory() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(heapGrowth)
	}
}
