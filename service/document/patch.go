package document

import (
	"bytes"
	"encoding/json"

	"github.com/rowansearch/rowan/service/decimal"
)

// Patch sets the top-level properties of change in body, both JSON objects that Scan accepted. null is a value like
// any other. changed is false, and the result is body itself, if every property had that value already (see Equal).
// Properties that stay keep their text and their order; new ones follow.
func Patch(body, change json.RawMessage) (patched json.RawMessage, changed bool) {
	into := parseObject(body)
	if !into.patch(change) {
		return body, false
	}
	return into.encode(), true
}

// patch is Patch for a parsed object.
func (o *object) patch(change json.RawMessage) (changed bool) {
	for _, m := range parseObject(change).members {
		if old, there := o.get(m.name); !there || !Equal(old.value, m.value) {
			o.set(m)
			changed = true
		}
	}
	return changed
}

// Merge applies a JSON merge patch to body (RFC 7396, section 2): null removes, objects merge deeply, anything else replaces. Both
// are JSON that Scan accepted. changed is false, and the result is body itself, if nothing is different afterwards (see Equal).
func Merge(body, patch json.RawMessage) (merged json.RawMessage, changed bool) {
	body, patch = bytes.TrimSpace(body), bytes.TrimSpace(patch)
	m := merger{target: locate(body), patch: locate(patch), merged: make([]byte, 0, len(body)+len(patch))}
	if m.merge(span{0, len(body)}, span{0, len(patch)}); !m.changed {
		return body, false
	}
	return m.merged, true
}

// merger merges level by level, all into one text.
type merger struct {
	target, patch located
	merged        []byte
	changed       bool
}

// merge merges the value at a place of the patch into the value at a place of the target, if there is one.
func (m *merger) merge(target, patch span) {
	if m.patch.data[patch.start] != '{' {
		m.changed = m.changed || !target.there() || !m.target.equal(target, &m.patch, patch)
		m.merged = append(m.merged, patch.of(m.patch.data)...)
		return
	}
	var into object
	if target.there() && m.target.data[target.start] == '{' {
		into = m.target.object(target.start)
	} else {
		m.changed = true
	}
	changes := m.patch.object(patch.start)
	m.merged = append(m.merged, '{')
	begin := len(m.merged)
	add := func(member member) {
		if len(m.merged) > begin {
			m.merged = append(m.merged, ',')
		}
		m.merged = append(append(m.merged, member.key...), ':')
	}
	for _, old := range into.members {
		change, named := changes.get(old.name)
		switch {
		case !named:
			add(old)
			m.merged = append(m.merged, old.value...)
		case change.value[0] == 'n':
			m.changed = true
		default:
			add(change)
			m.merge(old.place(), change.place())
		}
	}
	for _, change := range changes.members {
		if _, there := into.get(change.name); !there && change.value[0] != 'n' {
			m.changed = true
			add(change)
			m.merge(span{}, change.place())
		}
	}
	m.merged = append(m.merged, '}')
}

// Equal reports whether two values of well-formed JSON are the same to PostgreSQL's jsonb: it compares numbers by value (1.0 and
// 1.00 are equal), strings by characters, and objects regardless of the order of their names; of repeated names the last one counts.
func Equal(a, b json.RawMessage) bool {
	a, b = bytes.TrimSpace(a), bytes.TrimSpace(b)
	if bytes.Equal(a, b) {
		return true
	}
	if a[0] != '{' && a[0] != '[' {
		return equalScalars(a, b)
	}
	if a[0] != b[0] {
		return false
	}
	x, y := locate(a), locate(b)
	return x.equal(span{0, len(a)}, &y, span{0, len(b)})
}

// equal reports whether the value at a place equals the value at a place of another text.
func (l *located) equal(at span, other *located, there span) bool {
	a, b := at.of(l.data), there.of(other.data)
	switch {
	case bytes.Equal(a, b):
		return true
	case a[0] == '{' && b[0] == '{':
		return l.equalObjects(at, other, there)
	case a[0] == '[' && b[0] == '[':
		return l.equalArrays(at, other, there)
	}
	return equalScalars(a, b)
}

func equalScalars(a, b []byte) bool {
	if a[0] == '"' && b[0] == '"' {
		return bytes.Equal(text(a), text(b))
	}
	x, isNumber := decimal.Parse(a)
	y, isNumberToo := decimal.Parse(b)
	return isNumber && isNumberToo && x.Equal(y)
}

// equalArrays compares the elements one by one: all elements of a large document at once would take many times its size.
func (l *located) equalArrays(at span, other *located, there span) bool {
	inA, inB := l.elements(at.start), other.elements(there.start)
	for {
		x, more := inA.place()
		y, moreToo := inB.place()
		if !more || !moreToo {
			return more == moreToo
		}
		if !l.equal(x, other, y) {
			return false
		}
	}
}

func (l *located) equalObjects(at span, other *located, there span) bool {
	a, b := l.object(at.start), other.object(there.start)
	if len(a.members) != len(b.members) {
		return false
	}
	for _, m := range a.members {
		same, named := b.get(m.name)
		if !named || !l.equal(m.place(), other, same.place()) {
			return false
		}
	}
	return true
}

// member is a member of an object.
type member struct {
	name  string
	key   []byte // the name as JSON
	value []byte
	at    int // where the value begins in the text that the object is a part of
}

// place returns the place of the value.
func (m member) place() span { return span{m.at, m.at + len(m.value)} }

// object is an object parsed one level deep, without repeated names. Names stay in the order in which they first came. The zero value is an empty object.
type object struct {
	members []member
	// at finds members by name once there are many.
	at map[string]int
}

// manyMembers is the number of members from which on a map is faster than looking at each name.
const manyMembers = 16

// parseObject parses an object of well-formed JSON one level deep.
func parseObject(raw []byte) object { return (&scanner{data: raw}).object() }

// object parses the object at the current place one level deep.
func (s *scanner) object() object {
	var o object
	s.peek()
	s.members(func(name []byte) bool {
		m := member{name: string(name), key: s.nameAt.of(s.data), at: s.pos}
		s.skip(1)
		m.value = s.data[m.at:s.pos]
		o.set(m)
		return true
	})
	return o
}

// find returns the index of a name, -1 if there is none.
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

func (o *object) get(name string) (member, bool) {
	if i := o.find(name); i >= 0 {
		return o.members[i], true
	}
	return member{}, false
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

func (o *object) encode() []byte {
	size := 2
	for _, m := range o.members {
		size += len(m.key) + len(m.value) + 2
	}
	raw := append(make([]byte, 0, size), '{')
	for _, m := range o.members {
		if len(raw) > 1 {
			raw = append(raw, ',')
		}
		raw = append(append(append(raw, m.key...), ':'), m.value...)
	}
	return append(raw, '}')
}
