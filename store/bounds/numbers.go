package bounds

import "sync"

// numberLists are lists with a number for each document of a block, used to compute bounds. They are not part of a blockvalues.Space, which a search
// holds while it waits for PostgreSQL: of 16 concurrent searches, hardly more than one per processor computes bounds, and each needs half a megabyte
// to two.
type numberLists struct {
	size  int         // of a block, in documents
	lists [][]float32 // zero between uses: whoever uses a list resets it
}

// Indices of the lists; from ranksList on, there are up to two for each field.
const (
	sumsList = iota
	bestList
	bonusList
	leastList
	saturationList // not reset after use
	ranksList
)

// keptNumbers is the number of lists that are kept for the next computation.
const keptNumbers = 16

var numbers sync.Pool

// newNumbers returns lists for blocks of the given size.
func newNumbers(size int) *numberLists {
	if n, ok := numbers.Get().(*numberLists); ok && n.size == size {
		return n
	}
	return &numberLists{size: size}
}

// release passes the lists on to the next computation. It is not deferred, because after a panic, the lists are not zero.
func (n *numberLists) release() {
	if len(n.lists) > keptNumbers {
		clear(n.lists[keptNumbers:])
		n.lists = n.lists[:keptNumbers]
	}
	numbers.Put(n)
}

// zeros returns the i-th list, in which every number is 0.
func (n *numberLists) zeros(i int) []float32 {
	for len(n.lists) <= i {
		n.lists = append(n.lists, make([]float32, n.size))
	}
	return n.lists[i]
}

// withNumbers calls compute, which must not wait for anything, with lists in t.numbers.
func (t *Tally) withNumbers(compute func()) {
	t.numbers = newNumbers(t.space.Size)
	compute()
	t.numbers.release()
	t.numbers = nil
}
