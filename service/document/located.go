package document

import (
	"cmp"
	"slices"
)

// located is well-formed JSON of which is known where its objects and arrays end. Whoever takes it apart level by level passes
// over what is nested deeper in one step; to read it again at each level would take as many times as long as there are levels.
type located struct {
	data       []byte
	containers []span // in the order in which they begin
}

func locate(data []byte) located {
	l := located{data: data}
	s := scanner{data: data}
	var open []int
	for s.pos < len(data) {
		switch data[s.pos] {
		case '"':
			s.str()
			continue
		case '{', '[':
			open = append(open, len(l.containers))
			l.containers = append(l.containers, span{start: s.pos})
		case '}', ']':
			l.containers[open[len(open)-1]].end = s.pos + 1
			open = open[:len(open)-1]
		}
		s.pos++
	}
	return l
}

// end is where the container ends that begins at a place.
func (l *located) end(start int) int {
	i, _ := slices.BinarySearchFunc(l.containers, start, func(s span, start int) int { return cmp.Compare(s.start, start) })
	return l.containers[i].end
}

// object takes the object apart that begins at a place.
func (l *located) object(start int) object {
	return (&scanner{data: l.data, pos: start, nested: l}).object()
}

// elements reads those of the array that begins at a place.
func (l *located) elements(start int) *elements {
	return &elements{scanner{data: l.data, pos: start + 1, nested: l}}
}
