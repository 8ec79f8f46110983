package filter

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// maxObjectDepth bounds the recursion over an object; a valid filter needs two levels for each of MaxDepth.
const maxObjectDepth = 4 * MaxDepth

// ParseJSON reads a filter as a request carries it: a JSON string in the string form, an object in the
// object form, or null, which is the filter that always holds. Errors are of type *Error.
func ParseJSON(raw json.RawMessage) (Node, error) {
	switch raw = bytes.TrimSpace(raw); {
	case bytes.Equal(raw, []byte("null")):
		return Conjunction{}, nil
	case len(raw) > 0 && raw[0] == '"':
		var src string
		if err := json.Unmarshal(raw, &src); err != nil {
			return nil, root.errorf("expected a string or an object: %v", err)
		}
		return Parse(src)
	}
	return ParseObject(raw)
}

// ParseObject reads a filter in the object form:
//
//	{"brand":"Acme","price":{"gte":10,"lt":20},"tags":["red","blue"],"not":{…},"or":[{…},{…}],"and":[…]}
//
// Properties are joined by AND, an array is any of its values, null is IS NULL. A lower and an upper bound
// in one object are one range: one element must be inside. A property named and, or or not is written in
// backquotes. Errors are of type *Error with the path of the fault (filter.price.gte). An empty object is the filter that
// always holds; an empty one inside another is an error, since "not" and "or" would turn it into something that nobody meant.
func ParseObject(raw json.RawMessage) (Node, error) {
	if !json.Valid(raw) {
		return nil, root.errorf("expected a JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	p := objectParser{dec: dec}
	v, err := p.read(root, 0)
	if err != nil {
		return nil, err
	}
	if v.kind != '{' {
		return nil, root.errorf("expected an object or a string, found %s", v)
	}
	if len(v.members) == 0 {
		return Conjunction{}, nil
	}
	n, err := p.object(v)
	if err != nil {
		return nil, err
	}
	if depth(n) > MaxDepth {
		return nil, root.errorf("and, or and not may be nested at most %d deep; simplify the filter", MaxDepth)
	}
	return n, nil
}

type objectParser struct {
	dec        *json.Decoder
	conditions int
}

// value is a JSON value with its members in order, numbers as they were written, and its place.
type value struct {
	kind    byte // '{', '[', '"', '0' for numbers, 't' for booleans, 'n' for null
	text    string
	members []member
	items   []value
	at      Pos
}

type member struct {
	name  string
	value value
}

func (v value) String() string {
	switch v.kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "the number " + v.text
	case 't':
		return v.text
	}
	return "null"
}

func (v value) scalar() bool { return v.kind == '"' || v.kind == '0' || v.kind == 't' }

func (v value) literal() Literal { return Literal{Text: v.text, Quoted: v.kind == '"', At: v.at} }

// read reads the next value. The text is known to be valid JSON, so Token cannot fail on its grammar.
func (p *objectParser) read(at Pos, level int) (value, error) {
	if level > maxObjectDepth {
		return value{}, at.errorf("the filter is nested too deeply; simplify it")
	}
	tok, err := p.dec.Token()
	if err != nil {
		return value{}, at.errorf("expected a JSON value")
	}
	switch tok := tok.(type) {
	case json.Delim:
		if tok == '[' {
			return p.readArray(at, level)
		}
		return p.readObject(at, level)
	case string:
		return value{kind: '"', text: tok, at: at}, checkText(tok, at)
	case json.Number:
		return value{kind: '0', text: tok.String(), at: at}, nil
	case bool:
		text := "false"
		if tok {
			text = "true"
		}
		return value{kind: 't', text: text, at: at}, nil
	}
	return value{kind: 'n', at: at}, nil
}

func (p *objectParser) readArray(at Pos, level int) (value, error) {
	v := value{kind: '[', at: at}
	for p.dec.More() {
		item, err := p.read(at.item(len(v.items)), level+1)
		if err != nil {
			return value{}, err
		}
		if len(v.items) == MaxValues {
			return value{}, tooManyValues(item.at)
		}
		v.items = append(v.items, item)
	}
	_, err := p.dec.Token()
	return v, err
}

func (p *objectParser) readObject(at Pos, level int) (value, error) {
	v := value{kind: '{', at: at}
	seen := map[string]bool{}
	for p.dec.More() {
		tok, err := p.dec.Token()
		if err != nil {
			return value{}, at.errorf("expected a property")
		}
		name, _ := tok.(string)
		place := at.member(name)
		if err := checkText(name, place); err != nil {
			return value{}, err
		}
		// Elsewhere the last of two equal names wins. Here that would silently drop a condition.
		if seen[name] {
			return value{}, place.errorf(`the property is given twice; put both conditions into "and"`)
		}
		seen[name] = true
		m, err := p.read(place, level+1)
		if err != nil {
			return value{}, err
		}
		v.members = append(v.members, member{name, m})
	}
	_, err := p.dec.Token()
	return v, err
}

func checkText(text string, at Pos) error {
	if strings.ContainsRune(text, 0) {
		return at.errorf("the character U+0000 is not allowed in a filter")
	}
	return nil
}

// object joins the conditions of an object's properties.
func (p *objectParser) object(v value) (Node, error) {
	if v.kind != '{' {
		return nil, v.at.errorf("expected an object of conditions, found %s", v)
	}
	if len(v.members) == 0 {
		return nil, v.at.errorf("expected at least one condition in the object")
	}
	nodes := make([]Node, 0, len(v.members))
	for _, m := range v.members {
		n, err := p.property(m)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return all(nodes...), nil
}

// joiners are the properties that join conditions.
var joiners = []string{"and", "or", "not"}

// holdsConditions reports whether v can only be what and, or and not join, not the values of a field.
func (v value) holdsConditions() bool {
	return slices.ContainsFunc(v.items, func(item value) bool { return item.kind == '{' }) ||
		slices.ContainsFunc(v.members, func(m member) bool { return !slices.Contains(operatorNames, m.name) })
}

func (p *objectParser) property(m member) (Node, error) {
	switch m.name {
	case "and":
		return p.members(m, all)
	case "or":
		return p.members(m, either)
	case "not":
		n, err := p.object(m.value)
		if err != nil {
			return nil, err
		}
		return Negation{n}, nil
	}
	if word, signed := strings.CutPrefix(strings.ToLower(m.name), "$"); slices.Contains(joiners, word) && m.value.holdsConditions() {
		form := "lower-case"
		if signed {
			form = "written without a $"
		}
		return nil, m.value.at.errorf("expected %q, found %q: and, or and not are %s in an object filter", word, m.name, form)
	}
	field, err := unquoteName(m.name, m.value.at)
	if err != nil {
		return nil, err
	}
	return p.field(field, m.value)
}

func (p *objectParser) members(m member, join func(...Node) Node) (Node, error) {
	hint := "; a field named " + m.name + " goes in backquotes"
	if m.value.kind != '[' {
		return nil, m.value.at.errorf("expected an array of objects, found %s%s", m.value, hint)
	}
	if len(m.value.items) == 0 {
		return nil, m.value.at.errorf("expected at least one object in the array")
	}
	nodes := make([]Node, 0, len(m.value.items))
	for _, item := range m.value.items {
		n, err := p.object(item)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return join(nodes...), nil
}

func unquoteName(name string, at Pos) (string, error) {
	if name == "" {
		return "", at.errorf("expected a field name, found an empty one")
	}
	if name[0] != '`' {
		return name, nil
	}
	s := scanner{src: name, col: 1}
	unquoted, err := s.quotedName()
	if err != nil || s.peek() != eof {
		return "", at.errorf("expected a field name in one pair of backquotes; a backquote in a name is doubled")
	}
	return unquoted, nil
}

// field returns the condition of one property.
func (p *objectParser) field(field string, v value) (Node, error) {
	switch {
	case v.kind == '{':
		return p.operators(field, v)
	case v.kind == '[':
		return p.anyOf(field, In, v)
	case v.kind == 'n':
		return p.leaf(Comparison{Field: field, Op: Lacks, At: v.at})
	}
	return p.leaf(Comparison{Field: field, Op: Eq, Values: []Literal{v.literal()}, At: v.at})
}

func (p *objectParser) leaf(n Node) (Node, error) {
	p.conditions++
	if p.conditions > MaxConditions {
		at := Pos{}
		switch n := n.(type) {
		case Comparison:
			at = n.At
		case Interval:
			at = n.At
		}
		return nil, tooMany(at)
	}
	return n, nil
}

// anyOf returns the condition of a list, in which null stands for a missing value.
func (p *objectParser) anyOf(field string, op Op, v value) (Node, error) {
	if v.kind != '[' {
		return nil, v.at.errorf("expected an array of values, found %s", v)
	}
	c := Comparison{Field: field, Op: op, Values: []Literal{}, At: v.at}
	null := false
	for _, item := range v.items {
		switch {
		case item.kind == 'n':
			null = true
		case item.scalar():
			c.Values = append(c.Values, item.literal())
		default:
			return nil, item.at.errorf("expected a string, a number, true, false or null, found %s", item)
		}
	}
	n, err := p.leaf(c)
	if err != nil || !null {
		return n, err
	}
	presence, join := Comparison{Field: field, Op: Lacks, At: v.at}, either
	if op == NotIn {
		presence.Op, join = Has, all
	}
	m, err := p.leaf(presence)
	if err != nil || len(c.Values) == 0 {
		return m, err
	}
	return join(n, m), nil
}
