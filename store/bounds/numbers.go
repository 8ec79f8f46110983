package bounds

import "sync"

// numberLists are lists of a number for each document of a block that bounds are computed in. They are not part of a
// blockvalues.Space, which a search holds while it waits for PostgreSQL: of 16 searches at once hardly more than one for each
// processor computes bounds, and each takes half a megabyte to two.
type numberLists struct {
	size  int         // documents of a block
	lists [][]float32 // zeros where whoever uses them leaves them so
}

// The lists; from ranksList on up to two for each field.
const (
	sumsList = iota
	bestList
	bonusList
	leastList
	saturationList // this one is left as it is
	ranksList
)

// keptNumbers is how many lists are kept from one computation to another.
const keptNumbers = 16

var numbers sync.Pool

// newNumbers returns lists for blocks of so many documents.
func newNumbers(size int) *numberLists {
	if n, ok := numbers.Get().(*numberLists); ok && n.size == size {
		return n
	}
	return &numberLists{size: size}
}

// release gives the lists to the next computation, but not where one panics: then there are numbers left in them.
func (n *numberLists) release() {
	if len(n.lists) > keptNumbers {
		clear(n.lists[keptNumbers:])
		n.lists = n.lists[:keptNumbers]
	}
	numbers.Put(n)
}

// zeros returns the i-th list, all 0.
func (n *numberLists) zeros(i int) []float32 {
	for len(n.lists) <= i {
		n.lists = append(n.lists, make([]float32, n.size))
	}
	return n.lists[i]
}

// withNumbers has lists for what computes bounds, which waits for nothing.
func (t *Tally) withNumbers(compute func()) {
	t.numbers = newNumbers(t.space.Size)
	compute()
	t.numbers.release()
	t.numbers = nil
}
