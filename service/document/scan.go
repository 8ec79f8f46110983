package document

import (
	"bytes"
	"encoding/json"

	"github.com/rowansearch/rowan/service/decimal"
)

// Scanned is a document body that was read.
type Scanned struct {
	// ID is the _id in the body, nil if there is none or it is invalid.
	ID *string
	// Body is what to store: the document without _id, without the properties that a search adds to a hit (_score,
	// _highlight, _explanation) and without autocomplete. Everything else is as it was sent, byte by byte; repeated
	// names are still there, and the last value counts. It may share memory with what was scanned.
	Body json.RawMessage
	// Problems are the faults of the document, at most MaxProblems. If there are any, only they and the ID count.
	Problems []Problem
}

// Scan reads a document, a JSON object, and checks it against the mappings of its index. The error is a
// *SyntaxError if body is not JSON.
//
// A mapping's value is looked up as everywhere in Rowan: in an object, a property whose name is the rest of the
// path wins; then the longest dotted beginning of it that leads to a value; in an array, every object is searched.
//
// At most one pass is made over a document without problems. Of a repeated name, only the last value is checked
// against the rules of its property; but every value must be storable, since PostgreSQL reads them all.
func Scan(body []byte, schema *Schema) (Scanned, error) {
	s := newScanner(body)
	if !s.begin() {
		return Scanned{}, s.err
	}
	var found problems
	if s.data[s.pos] != '{' {
		start := s.pos
		if !s.skip(1) || !s.end() {
			return Scanned{}, s.err
		}
		found.add("body", "must be a JSON object", shown(bytes.TrimSpace(body[start:])))
		return Scanned{Problems: found}, nil
	}
	d, ok := s.document(schema)
	if !ok || !s.end() {
		return Scanned{}, s.err
	}
	var out Scanned
	if d.id.there() && (d.faults == 0 || d.soundID(body)) {
		id := string(text(d.id.of(body)))
		out.ID = &id
	}
	if d.faults != 0 {
		if d.diagnose(body, schema, "body", &found); len(found) > 0 {
			out.Problems = found
			return out, nil
		}
	}
	out.Body = d.kept
	return out, nil
}

// span is a part of the data.
type span struct{ start, end int }

func (p span) there() bool           { return p.end > 0 }
func (p span) of(data []byte) []byte { return data[p.start:p.end] }

// read is the result of the first pass over a document.
type read struct {
	all       span
	id, boost span // the values that count
	kept      json.RawMessage
	// faults are those of all values, including values that do not count because their name is repeated; only diagnose tells them apart.
	faults faults
}

// soundID reports whether the _id of a document in data is valid, or missing.
func (d *read) soundID(data []byte) bool { return !d.id.there() || idFault(d.id.of(data)) == "" }

// document reads the object at the current place.
func (s *scanner) document(schema *Schema) (read, bool) {
	d := read{all: span{start: s.pos}}
	s.faults, s.expanded = 0, 0
	var (
		cuts    []span // members that are left out, each with the comma after it
		dropped bool   // the member read last is one of them
		count   int    // members that are kept
	)
	s.pos++
	more := s.peek() != '}'
	if !more {
		s.pos++
	}
	for more {
		s.space()
		member := s.pos
		name, ok := s.named()
		if !ok {
			return d, false
		}
		p := classify(name)
		n := schema.top(name)
		s.space()
		value := span{start: s.pos}
		if n != nil && p == propertyPlain {
			ok = s.mapped(schema, n, 2)
		} else {
			ok = s.skip(2)
		}
		if !ok {
			return d, false
		}
		value.end = s.pos
		switch p {
		case propertyID:
			d.id = value
		case propertyBoost:
			d.boost = value
		case propertyReserved:
			s.faults |= faultName
		}
		if more, ok = s.next('}'); !ok {
			return d, false
		}
		if dropped = p == propertyID || p == propertyDropped; !dropped {
			count++
		} else if more {
			cuts = append(cuts, span{member, s.pos})
		} else {
			cuts = append(cuts, span{member, s.pos - 1})
		}
	}
	d.all.end = s.pos
	switch {
	case count == 0:
		d.kept = json.RawMessage("{}")
	case cuts == nil:
		d.kept = d.all.of(s.data)
	default:
		d.kept = without(s.data, d.all, cuts, dropped)
	}
	d.faults = s.faults
	if !d.soundID(s.data) || d.boost.there() && !isBoost(d.boost.of(s.data)) {
		d.faults |= faultValue
	}
	return d, true
}

// without returns the object at all without the members at cuts; last reports whether its last member is one of these.
func without(data []byte, all span, cuts []span, last bool) []byte {
	kept := make([]byte, 0, all.end-all.start)
	from := all.start
	for _, c := range cuts {
		kept = append(kept, data[from:c.start]...)
		from = c.end
	}
	if last {
		kept = bytes.TrimRight(kept, ", \n\t\r") // the comma after the last member that stays
	}
	return append(kept, data[from:all.end]...)
}

// mapped reads a value whose path is mapped. level is its level if it is a container.
func (s *scanner) mapped(schema *Schema, n *node, level int) bool {
	c := s.peek()
	switch c {
	case '[':
		if level > MaxLevels {
			return s.skip(level)
		}
		return s.elements(func() bool { return s.mapped(schema, n, level+1) })
	case '{':
		if n.typ != "" {
			s.faults |= faultValue
		}
		if level > MaxLevels || !n.parent {
			return s.skip(level)
		}
		return s.members(func(name []byte) bool {
			if inner := schema.below(n, name, &s.path); inner != nil {
				return s.mapped(schema, inner, level+1)
			}
			return s.skip(level + 1)
		})
	}
	start := s.pos
	if !s.scalar(c) {
		return false
	}
	if !accepts(n.typ, s.data[start:s.pos]) {
		s.faults |= faultValue
	}
	return true
}

// property is what a top-level name means.
type property int

const (
	propertyPlain    property = iota
	propertyID                // _id: stored separately
	propertyBoost             // boost: stored, but only a number in range
	propertyDropped           // added by the service itself, and dropped if it is sent back
	propertyReserved          // any other name that begins with an underscore
)

func classify(name []byte) property {
	if len(name) == 0 {
		return propertyPlain
	}
	switch name[0] {
	case '_':
		switch string(name) {
		case "_id":
			return propertyID
		case "_score", "_highlight", "_explanation":
			return propertyDropped
		}
		return propertyReserved
	case 'a':
		if string(name) == "autocomplete" {
			return propertyDropped
		}
	case 'b':
		if string(name) == "boost" {
			return propertyBoost
		}
	}
	return propertyPlain
}

// isBoost reports whether raw, well-formed JSON, can be a boost.
func isBoost(raw []byte) bool {
	if raw[0] == 'n' {
		return true
	}
	d, ok := decimal.Parse(raw)
	return ok && d.Positive() && d.AtMostPowerOfTen(3)
}

// idFault says what is wrong with an _id, given as well-formed JSON; "" if nothing is.
func idFault(raw []byte) string {
	if raw[0] != '"' {
		return "must be a string"
	}
	if faultsOf(raw)&faultSurrogate != 0 {
		return messageSurrogate
	}
	if err := CheckID(string(text(raw))); err != nil {
		return err.Error()
	}
	return ""
}

// faultsOf returns the faults of one scalar, given as well-formed JSON.
func faultsOf(raw []byte) faults {
	s := scanner{data: raw}
	s.scalar(raw[0])
	return s.faults
}
