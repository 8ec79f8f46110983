package document

import (
	"bytes"
	"strings"

	"github.com/rowansearch/rowan/service/decimal"
	"github.com/rowansearch/rowan/service/mapping"
)

// Schema holds the mappings of an index in the form that scanning needs. It is immutable; nil means no
// mappings.
type Schema struct {
	// nodes has every mapping's name, and every dotted beginning of one: author.name has the nodes
	// "author" and "author.name".
	nodes map[string]*node
}

// node is a mapped path, a beginning of mapped paths, or both.
type node struct {
	name   string
	typ    mapping.Type // "" for what is only a beginning of mapped paths
	parent bool         // other nodes lie below
}

// NewSchema prepares mappings in which CheckMappings finds no faults.
func NewSchema(mappings []mapping.Mapping) *Schema {
	s := &Schema{nodes: make(map[string]*node, len(mappings))}
	for _, m := range mappings {
		s.node(m.Name).typ = m.Type
		for i, c := range m.Name {
			if c == '.' {
				s.node(m.Name[:i]).parent = true
			}
		}
	}
	return s
}

func (s *Schema) node(name string) *node {
	n := s.nodes[name]
	if n == nil {
		n = &node{name: name}
		s.nodes[name] = n
	}
	return n
}

// top returns the node of a top-level property, nil if there is none.
func (s *Schema) top(name []byte) *node {
	if s == nil {
		return nil
	}
	return s.nodes[string(name)]
}

// below returns the node of a property within what parent maps. scratch is only there to avoid an allocation.
func (s *Schema) below(parent *node, name []byte, scratch *[]byte) *node {
	path := append((*scratch)[:0], parent.name...)
	path = append(append(path, '.'), name...)
	*scratch = path
	return s.nodes[string(path)]
}

// covers reports whether the mapping of that name lies at n or below it.
func (n *node) covers(name string) bool {
	return name == n.name || strings.HasPrefix(name, n.name) && name[len(n.name)] == '.'
}

// misfit returns the message for a value, given as well-formed JSON, that does not fit a type.
func misfit(t mapping.Type, raw []byte) string {
	if message := numberFault(t, raw); message != "" {
		return message + " (mapped as " + string(t) + ")"
	}
	message := "must be a string, a number or a boolean, not an object"
	switch t {
	case mapping.SearchableNumber, mapping.Price:
		message = "must be a number or a string that holds one"
	case mapping.Float:
		message = "must be a number within the range of a 64-bit float, or a string that holds one"
	case mapping.Int:
		message = "must be a whole number from -2147483648 to 2147483647"
	case mapping.Long:
		message = "must be a whole number from -9223372036854775808 to 9223372036854775807"
	case mapping.Bool:
		message = "must be true or false"
	case mapping.Date:
		message = "must be a date that exists, in the years 1 to 9999: RFC 3339 (2024-05-01T12:30:00Z), YYYY-MM-DD, YYYY-MM-DDThh:mm[:ss], or whole milliseconds since 1970 as a number"
	}
	return message + " (mapped as " + string(t) + ")"
}

// numberFault returns what is wrong with a number in a string that a numeric type refuses for how it is written,
// not for its value; "" if that is not the reason.
func numberFault(t mapping.Type, raw []byte) string {
	if raw[0] != '"' || !t.Known() || t.Info().Kind != mapping.KindNumber {
		return ""
	}
	number := text(raw)
	d, ok := decimal.Parse(number)
	switch {
	case !ok:
		return ""
	case acceptsNumber(t, number): // so it was not readable
		return messageQuoted
	case !d.Storable() && (t == mapping.Price || t == mapping.SearchableNumber): // the messages of the others state their range
		return messageNumber
	}
	return ""
}

// accepts reports whether a type accepts a scalar, given as well-formed JSON. "", the type of what is only a beginning of mapped paths, accepts all.
func accepts(t mapping.Type, raw []byte) bool {
	c := raw[0]
	if c == 'n' {
		return true
	}
	switch t {
	case mapping.Int, mapping.Long, mapping.Float, mapping.Price, mapping.SearchableNumber:
		if c == '"' {
			if raw = text(raw); !readable(raw) {
				return false
			}
		} else if c == 't' || c == 'f' {
			return false
		}
		return acceptsNumber(t, raw)
	case mapping.Bool:
		return c == 't' || c == 'f' || c == '"' && isBool(text(raw))
	case mapping.Date:
		if c == '"' {
			return isDate(text(raw))
		}
		d, ok := decimal.Parse(raw)
		return ok && isEpoch(d)
	}
	return true
}

func acceptsNumber(t mapping.Type, raw []byte) bool {
	if n := len(raw); n > 0 && n <= 9 && decimal.LeadingDigits(raw) == n {
		return true // nearly all numbers: fits even an int
	}
	d, ok := decimal.Parse(raw)
	if !ok || !d.Storable() {
		return false
	}
	switch t {
	case mapping.Int:
		n, ok := d.Int64()
		return ok && n == int64(int32(n))
	case mapping.Long:
		_, ok := d.Int64()
		return ok
	case mapping.Float:
		return d.Finite()
	}
	return true
}

// The limits of numbers in strings.
const maxLength, maxExponentDigits = 1000, 3

// readable reports whether a number in a string is short enough for the columns of the index, which read at most
// 1000 characters with an exponent of three digits. Numbers outside strings have no such limit.
func readable(text []byte) bool {
	if e := bytes.IndexAny(text, "eE"); e >= 0 && len(bytes.TrimLeft(text[e+1:], "+-")) > maxExponentDigits {
		return false
	}
	return len(text) <= maxLength
}

// isBool reports whether text is a word that rowan.to_bool reads, in ASCII letters of any case. (To bytes.EqualFold, ſ is an s.)
func isBool(text []byte) bool {
	lower := strings.ToLower(string(text))
	return lower == "true" || lower == "false"
}
