package document

import (
	"bytes"
	"encoding/json"
)

// Patch gives body the top-level properties of change, both JSON objects that Scan accepted. null is a value
// like any other. changed is false, and the result is body itself, when every property had that value already
// (see Equal). Properties that stay keep their text and their order; new ones follow.
func Patch(body, change json.RawMessage) (patched json.RawMessage, changed bool) {
	into := parseObject(body)
	if !into.patch(change) {
		return body, false
	}
	return into.encode(), true
}

// patch is Patch for an object that is taken apart.
func (o *object) patch(change json.RawMessage) (changed bool) {
	for _, m := range parseObject(change).members {
		if old, there := o.get(m.name); !there || !Equal(old, m.value) {
			o.set(m)
			changed = true
		}
	}
	return changed
}

// Merge changes body as a JSON merge patch asks (RFC 7396, section 2): null removes, objects merge deeply,
// anything else replaces. Both are JSON that Scan accepted. changed is false, and the result is body
// itself, when nothing is different afterwards (see Equal).
func Merge(body, patch json.RawMessage) (merged json.RawMessage, changed bool) {
	merged = merge(body, patch)
	if Equal(body, merged) {
		return body, false
	}
	return merged, true
}

func merge(target, patch []byte) []byte {
	patch = bytes.TrimSpace(patch)
	if patch[0] != '{' {
		return patch
	}
	var into object
	if target = bytes.TrimSpace(target); len(target) > 0 && target[0] == '{' {
		into = parseObject(target)
	}
	for _, m := range parseObject(patch).members {
		if m.value[0] == 'n' {
			into.remove(m.name)
			continue
		}
		old, _ := into.get(m.name)
		m.value = merge(old, m.value)
		into.set(m)
	}
	return into.encode()
}

// Equal tells whether two values of well-formed JSON are the same to PostgreSQL's jsonb: numbers by value
// (1.0 and 1.00 are equal), strings by characters, objects whatever the order of their names, of which the
// last one counts where one is repeated.
func Equal(a, b json.RawMessage) bool {
	a, b = bytes.TrimSpace(a), bytes.TrimSpace(b)
	if bytes.Equal(a, b) {
		return true
	}
	switch {
	case a[0] == '{' && b[0] == '{':
		return equalObjects(parseObject(a), parseObject(b))
	case a[0] == '[' && b[0] == '[':
		return equalArrays(a, b)
	case a[0] == '"' && b[0] == '"':
		return bytes.Equal(text(a), text(b))
	}
	x, isNumber := parseDecimal(a)
	y, isNumberToo := parseDecimal(b)
	return isNumber && isNumberToo && x.equal(y)
}

// equalArrays holds the elements against each other one by one: all of a large document take many times its size.
func equalArrays(a, b []byte) bool {
	inA, inB := newElements(a), newElements(b)
	for {
		x, more := inA.next()
		y, moreToo := inB.next()
		if !more || !moreToo {
			return more == moreToo
		}
		if !Equal(x, y) {
			return false
		}
	}
}

func equalObjects(a, b object) bool {
	if len(a.members) != len(b.members) {
		return false
	}
	for _, m := range a.members {
		if other, there := b.get(m.name); !there || !Equal(m.value, other) {
			return false
		}
	}
	return true
}

// member is a member of an object.
type member struct {
	name  string
	key   []byte // the name as JSON
	value []byte // nil once it is removed
}

// object is an object taken apart one level deep, without repeated names. Names stay in the order in which
// they first came. The zero value is an empty object.
type object struct {
	members []member
	// at finds members by name once there are many.
	at map[string]int
}

// manyMembers is from how many members on a map is faster than looking at each name.
const manyMembers = 16

// parseObject takes well-formed JSON apart.
func parseObject(raw []byte) object {
	var o object
	s := scanner{data: raw}
	s.peek()
	s.members(func(name []byte) bool {
		m := member{name: string(name), key: s.nameAt.of(raw)}
		start := s.pos
		s.skip(1)
		m.value = raw[start:s.pos]
		o.set(m)
		return true
	})
	return o
}

// find returns the place of a name, -1 if there is none.
func (o *object) find(name string) int {
	if o.at != nil {
		if i, there := o.at[name]; there {
			return i
		}
		return -1
	}
	for i := range o.members {
		if o.members[i].name == name {
			return i
		}
	}
	return -1
}

func (o *object) get(name string) ([]byte, bool) {
	if i := o.find(name); i >= 0 && o.members[i].value != nil {
		return o.members[i].value, true
	}
	return nil, false
}

func (o *object) set(m member) {
	if i := o.find(m.name); i >= 0 {
		o.members[i] = m
		return
	}
	o.members = append(o.members, m)
	switch n := len(o.members); {
	case o.at != nil:
		o.at[m.name] = n - 1
	case n == manyMembers:
		o.at = make(map[string]int, 4*n)
		for i, m := range o.members {
			o.at[m.name] = i
		}
	}
}

func (o *object) remove(name string) {
	if i := o.find(name); i >= 0 {
		o.members[i].value = nil
	}
}

func (o *object) encode() []byte {
	size := 2
	for _, m := range o.members {
		size += len(m.key) + len(m.value) + 2
	}
	raw := append(make([]byte, 0, size), '{')
	for _, m := range o.members {
		if m.value == nil {
			continue
		}
		if len(raw) > 1 {
			raw = append(raw, ',')
		}
		raw = append(append(append(raw, m.key...), ':'), m.value...)
	}
	return append(raw, '}')
}
