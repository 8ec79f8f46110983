package document

import (
	"cmp"
	"slices"
)

// located is well-formed JSON with the ends of its objects and arrays. It can be parsed level by level, skipping in one
// step what is nested deeper; reading that again at each level would take as many times as long as there are levels.
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

// end returns where the container that begins at start ends.
func (l *located) end(start int) int {
	i, _ := slices.BinarySearchFunc(l.containers, start, func(s span, start int) int { return cmp.Compare(s.start, start) })
	return l.containers[i].end
}

// object parses the object that begins at start.
func (l *located) object(start int) object {
	return (&scanner{data: l.data, pos: start, nested: l}).object()
}

// elements returns the elements of the array that begins at start.
func (l *located) elements(start int) *elements {
	return &elements{scanner{data: l.data, pos: start + 1, nested: l}}
}
