package store

import (
	"iter"

	"github.com/rowansearch/rowan/service"
)

// What one statement writes at most. Its parameters are copied several times on their way, in this process and in
// PostgreSQL's, so that a large batch in one piece would take many times its size.
const (
	maxChunkDocuments = 1000
	maxChunkBytes     = 4 << 20 // of bodies, unless a single one has more
)

// chunked parts changes into those of one statement.
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
