package store

import (
	"iter"

	"github.com/rowansearch/rowan/service"
)

// Limits for one statement. Its parameters are copied several times, in this process and in PostgreSQL's, so a large batch in a single statement
// would take many times its size in memory.
const (
	maxChunkDocuments = 1000
	maxChunkBytes     = 4 << 20 // of bodies, unless a single body is larger
)

// chunked divides changes into those of one statement each.
func chunked(changes []service.Change) iter.Seq[[]service.Change] {
	return func(yield func([]service.Change) bool) {
		first, size := 0, 0
		for i, c := range changes {
			if i > first && (i-first == maxChunkDocuments || size+len(c.Body) > maxChunkBytes) {
				if !yield(changes[first:i:i]) {
					return
				}
				first, size = i, 0
			}
			size += len(c.Body)
		}
		if first < len(changes) {
			yield(changes[first:])
		}
	}
}
