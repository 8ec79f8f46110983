package filter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// operatorNames are the members that the object of a field may have.
var operatorNames = []string{"eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "exists", "prefix"}

// operators joins the conditions of {"gte":10,"lt":20}. A lower and an upper bound make one range.
func (p *objectParser) operators(field string, v value) (Node, error) {
	last := len(operatorNames) - 1
	known := strings.Join(operatorNames[:last], ", ") + " or " + operatorNames[last]
	if len(v.members) == 0 {
		return nil, v.at.errorf("expected one of the operators %s", known)
	}
	var nodes []Node
	var bounds bounds
	for _, m := range v.members {
		switch m.name {
		case "gt", "gte", "lt", "lte":
			if err := bounds.add(m); err != nil {
				return nil, err
			}
			continue
		}
		var n Node
		var err error
		switch m.name {
		case "eq":
			n, err = p.equal(field, m.value, Eq, Lacks, "in")
		case "ne":
			n, err = p.equal(field, m.value, Ne, Has, "nin")
		case "in":
			n, err = p.anyOf(field, In, m.value)
		case "nin":
			n, err = p.anyOf(field, NotIn, m.value)
		case "exists":
			n, err = p.exists(field, m.value)
		case "prefix":
			n, err = p.prefix(field, m.value)
		default:
			err = m.value.at.errorf("expected one of the operators %s; %s", known, memberHint(cut(field), cut(m.name)))
		}
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	if bounds.low != nil || bounds.high != nil {
		n, err := p.leaf(interval(field, bounds.low, bounds.high, bounds.lowOpen, bounds.highOpen, v.at))
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return all(nodes...), nil
}

// signs are the operators by the signs that strings have for them.
var signs = map[string]string{"=": "eq", "==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}

// memberHint returns the hint for a member of a field's object that is no operator: the field may be a clause of
// Elasticsearch, or an object in the document.
func memberHint(field, name string) string {
	if operator := cmp.Or(signs[name], strings.TrimPrefix(name, "$")); slices.Contains(operatorNames, operator) {
		return fmt.Sprintf("write %q", operator)
	}
	switch field {
	case "term", "terms", "match", "range":
		return fmt.Sprintf("a condition begins with its field: {%q: …}", name)
	case "exists":
		return `presence is written {"price": {"exists": true}}`
	case "bool":
		return `conditions are joined by {"and": [{…}, {…}]}, "or" and "not"`
	}
	return fmt.Sprintf("a property of an object inside the document is named by its path: %q", field+"."+name)
}

// bounds collects the ends of a range.
type bounds struct {
	low, high         *Literal
	lowOpen, highOpen bool
}

func (b *bounds) add(m member) error {
	if !m.value.scalar() {
		return m.value.at.errorf("expected a number, a string or a date to compare with, found %s", m.value)
	}
	end, open := &b.low, &b.lowOpen
	if m.name == "lt" || m.name == "lte" {
		end, open = &b.high, &b.highOpen
	}
	if *end != nil {
		return m.value.at.errorf("the range has two bounds on this side; omit one")
	}
	l := m.value.literal()
	*end, *open = &l, m.name == "gt" || m.name == "lt"
	return nil
}

// equal returns the condition of eq or ne, for which null means a missing value.
func (p *objectParser) equal(field string, v value, op, null Op, list string) (Node, error) {
	switch {
	case v.kind == 'n':
		return p.leaf(Comparison{Field: field, Op: null, At: v.at})
	case v.kind == '[':
		return nil, v.at.errorf("expected one value, found an array; the operator for several is %s", list)
	case !v.scalar():
		return nil, v.at.errorf("expected a string, a number, true, false or null, found %s", v)
	}
	return p.leaf(Comparison{Field: field, Op: op, Values: []Literal{v.literal()}, At: v.at})
}

func (p *objectParser) exists(field string, v value) (Node, error) {
	if v.kind != 't' {
		return nil, v.at.errorf("expected true or false, found %s", v)
	}
	op := Has
	if v.text == "false" {
		op = Lacks
	}
	return p.leaf(Comparison{Field: field, Op: op, At: v.at})
}

func (p *objectParser) prefix(field string, v value) (Node, error) {
	if v.kind != '"' {
		return nil, v.at.errorf("expected a string, found %s", v)
	}
	return p.leaf(Comparison{Field: field, Op: StartsWith, Values: []Literal{v.literal()}, At: v.at})
}
