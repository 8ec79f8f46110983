package document

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/decimal"
)

const (
	messageNUL       = `must not contain \u0000, which cannot be stored`
	messageSurrogate = `must not contain half of a surrogate pair (\ud800 to \udfff alone), which is not a character`
	messageNumber    = "must have " + decimal.Limits
	messageQuoted    = "must have at most 1000 characters and 3 digits of exponent as a number in quotes; without quotes it may have more"
	messageExpansion = "is very long when written without an exponent; together, such numbers would add over 1 MiB to the document"
	messageLevels    = "must not be nested more than 200 levels deep"
	messageBoost     = "must be null or a number greater than 0 and at most 1000"
	messageName      = "must not begin with an underscore: these names are reserved; rename the property"
)

// diagnosis is the second pass over a document, which reports every fault with its place. It is made only if the
// first pass found faults, and relies on the document being well-formed.
type diagnosis struct {
	scanner
	schema   *Schema
	location []byte
	found    *problems
	// expansionTold is set once numbers that are too long together were reported, so that they are reported only once.
	expansionTold bool
	// shadows are longer names that lead to the same nodes as the name being read now: what has a value there does not count here.
	shadows []*seen
}

// diagnose adds the faults of a document in data; location is the document's own place.
func (d *read) diagnose(data []byte, schema *Schema, location string, found *problems) {
	g := diagnosis{schema: schema, location: []byte(location), found: found}
	g.data, g.pos = data[:d.all.end], d.all.start
	if d.id.there() {
		if message := idFault(d.id.of(data)); message != "" {
			found.add(location+"._id", message, shown(d.id.of(data)))
		}
	}
	if d.boost.there() && !isBoost(d.boost.of(data)) {
		found.add(location+".boost", messageBoost, shown(d.boost.of(data)))
	}
	g.object(nil, true, 1)
}

// value reads a value. n is its node, nil if it is not mapped.
func (g *diagnosis) value(n *node, level int) {
	c := g.peek()
	start := g.pos
	defer func() { g.faults = 0 }()
	if (c == '{' || c == '[') && level > MaxLevels {
		g.skip(level)
		g.add(messageLevels, nil)
		return
	}
	switch c {
	case '[':
		g.array(n, level)
	case '{':
		g.object(n, false, level)
		if raw := g.data[start:g.pos]; g.mappedHere(n) {
			g.add(misfit(n.typ, raw), shown(raw))
		}
	default:
		g.scalar(c)
		raw := g.data[start:g.pos]
		if g.storable(raw) && g.mappedHere(n) && !accepts(n.typ, raw) {
			g.add(misfit(n.typ, raw), shown(raw))
		}
	}
}

// mappedHere reports whether the value being read is that of n's mapping.
func (g *diagnosis) mappedHere(n *node) bool {
	if n == nil || n.typ == "" {
		return false
	}
	for _, shadow := range g.shadows {
		if shadow.node.covers(n.name) && shadow.has(g.data, n.name) {
			return false
		}
	}
	return true
}

// storable adds the faults for which PostgreSQL would refuse a scalar that was just read, and reports whether there are none.
func (g *diagnosis) storable(raw []byte) bool {
	switch {
	case g.faults&faultNUL != 0:
		g.add(messageNUL, shown(raw))
	case g.faults&faultSurrogate != 0:
		g.add(messageSurrogate, shown(raw))
	case g.faults&faultNumber != 0:
		g.add(messageNumber, shown(raw))
	case g.faults&faultExpansion != 0 && !g.expansionTold:
		g.expansionTold = true
		g.add(messageExpansion, shown(raw))
	default:
		return true
	}
	return false
}

func (g *diagnosis) add(message string, value any) { g.found.add(string(g.location), message, value) }

func (g *diagnosis) array(n *node, level int) {
	place, i := len(g.location), 0
	g.elements(func() bool {
		g.location = appendIndex(g.location[:place], i)
		g.value(n, level+1)
		i++
		return !g.found.full()
	})
	g.location = g.location[:place]
}

// seen is a mapped name in an object.
type seen struct {
	node    *node
	length  int // of the name
	at, end int // where its last value is
	// value is that value, and found remembers which mappings have a value there, once that is asked.
	value located
	found map[string]bool
}

// has reports whether a mapping that the name covers has its value there.
func (s *seen) has(data []byte, mapping string) bool {
	if s.found == nil {
		s.value, s.found = locate(data[s.at:s.end]), map[string]bool{}
	}
	found, known := s.found[mapping]
	if !known {
		found = mapping == s.node.name || s.value.holds(0, mapping[len(s.node.name)+1:], 1)
		s.found[mapping] = found
	}
	return found
}

// holds reports whether a dotted path leads anywhere from the value at a place: through an object, or any object of an array.
func (l *located) holds(at int, path string, level int) bool {
	if level > MaxLevels {
		return false // the document is refused for this
	}
	switch l.data[at] {
	case '[':
		in := l.elements(at)
		for element, ok := in.place(); ok; element, ok = in.place() {
			if l.holds(element.start, path, level+1) {
				return true
			}
		}
	case '{':
		o := l.object(at)
		if _, there := o.get(path); there {
			return true
		}
		for i := strings.LastIndexByte(path, '.'); i >= 0; i = strings.LastIndexByte(path[:i], '.') {
			if m, there := o.get(path[:i]); there && l.holds(m.at, path[i+1:], level+1) {
				return true
			}
		}
	}
	return false
}

func (g *diagnosis) object(n *node, top bool, level int) {
	var names []*seen
	if top || n != nil && n.parent {
		names = g.mappedNames(n)
	}
	all := names
	place, shadowed := len(g.location), len(g.shadows)
	g.members(func(name []byte) bool {
		g.location = appendName(g.location[:place], name)
		if top {
			switch classify(name) {
			case propertyID, propertyDropped:
				defer func() { g.faults = 0 }()
				return g.skip(level + 1)
			case propertyReserved:
				g.add(messageName, nil)
			}
		}
		g.checkName(name)
		for len(names) > 0 && names[0].at < g.pos {
			names = names[1:]
		}
		var inner *node
		if len(names) > 0 && names[0].at == g.pos {
			inner = names[0].node
			for _, s := range all {
				if s.length > names[0].length && inner.covers(s.node.name) {
					g.shadows = append(g.shadows, s)
				}
			}
		}
		g.value(inner, level+1)
		g.shadows = g.shadows[:shadowed]
		return !g.found.full()
	})
	g.location = g.location[:place]
}

// checkName adds the faults of the name of the member at the current place.
func (g *diagnosis) checkName(name []byte) {
	switch {
	case bytes.IndexByte(name, 0) >= 0:
		g.add("the name "+messageNUL, nil)
	case g.faults&faultSurrogate != 0:
		g.add("the name "+messageSurrogate, nil)
	}
	g.faults = 0
}

// mappedNames reads ahead over the object at the current place. It returns which of its names are mapped, in the order of their values that count.
func (g *diagnosis) mappedNames(parent *node) []*seen {
	ahead := scanner{data: g.data, pos: g.pos}
	var names []*seen
	index := map[*node]*seen{}
	ahead.members(func(name []byte) bool {
		var n *node
		switch {
		case parent != nil:
			n = g.schema.below(parent, name, &ahead.path)
		case classify(name) == propertyPlain:
			n = g.schema.top(name)
		}
		if n != nil {
			if index[n] == nil {
				index[n] = &seen{node: n, length: len(name)}
				names = append(names, index[n])
			}
			index[n].at = ahead.pos
		}
		ok := ahead.skip(1)
		if n != nil {
			index[n].end = ahead.pos
		}
		return ok
	})
	slices.SortFunc(names, func(a, b *seen) int { return a.at - b.at })
	return names
}
