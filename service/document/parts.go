package document

import "encoding/json"

// What clients send may have very many short members or elements. All of them at once would take many times the memory of the body.

// EachElement calls do with the elements of an array, one after the other. The syntax of array must have been checked.
func EachElement(array json.RawMessage, do func(element json.RawMessage)) {
	elements := newElements(array)
	for element, ok := elements.next(); ok; element, ok = elements.next() {
		do(element)
	}
}

// elements reads the elements of an array one by one.
type elements struct{ scanner }

func newElements(array []byte) *elements {
	e := &elements{scanner{data: array}}
	e.peek()
	e.pos++ // the bracket
	return e
}

// next returns the next element, and whether there is one.
func (e *elements) next() ([]byte, bool) {
	at, more := e.place()
	return at.of(e.data), more
}

// place returns the place of the next element, and whether there is one.
func (e *elements) place() (span, bool) {
	if e.peek() == ',' {
		e.pos++
	}
	if c := e.peek(); c == ']' || c == 0 {
		return span{}, false
	}
	start := e.pos
	e.skip(1)
	return span{start, e.pos}, true
}

// maxMembers is how many members of an object are read; far fewer are known in any request.
const maxMembers = 1000

// Members returns the members of an object, of equal names the last one, and how many members there are besides the first
// thousand names: some of these are unknown then, and the request is refused for them. The syntax of raw must have been checked.
func Members(raw json.RawMessage) (members map[string]json.RawMessage, more int) {
	members = map[string]json.RawMessage{}
	s := scanner{data: raw}
	s.peek()
	s.members(func(name []byte) bool {
		start := s.pos
		s.skip(1)
		if _, there := members[string(name)]; there || len(members) < maxMembers {
			members[string(name)] = raw[start:s.pos]
		} else {
			more++
		}
		return true
	})
	return members, more
}
