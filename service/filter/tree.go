package filter

import "iter"

// Node is a filter as it was written. Its String method returns the filter in the string form, which parses to the same tree except for positions.
type Node interface {
	String() string
	isNode()
}

// Conjunction holds if all of its members hold. Members are never Conjunctions themselves, and there are at least
// two; only an empty filter is a Conjunction without members, which always holds.
type Conjunction []Node

// Disjunction holds if any of its members holds. Members are never Disjunctions themselves, and there are at least two.
type Disjunction []Node

// Negation holds if its node does not.
type Negation struct{ Node Node }

// Comparison compares a field.
type Comparison struct {
	Field string
	Op    Op
	// Values holds one literal, any number of them for In and NotIn, and none for Has and Lacks.
	Values []Literal
	At     Pos
}

// Interval holds if one element of the field is between two bounds.
type Interval struct {
	Field string
	Low   Literal
	High  Literal
	// LowOpen and HighOpen report whether the bound itself is outside.
	LowOpen, HighOpen bool
	At                Pos
}

// Literal is a value as it was written.
type Literal struct {
	Text string
	// Quoted reports whether the value is a string; otherwise it may also be a number or a boolean. In an object, strings are quoted.
	Quoted bool
	At     Pos
}

// Op is the operator of a Comparison.
type Op int

// The operators.
const (
	Eq Op = iota
	Ne
	Gt
	Ge
	Lt
	Le
	In
	NotIn
	// Has is EXISTS: present, not null and not an empty array.
	Has
	// Lacks is IS NULL, the opposite of Has.
	Lacks
	StartsWith
)

var opNames = [...]string{
	Eq: "=", Ne: "!=", Gt: ">", Ge: ">=", Lt: "<", Le: "<=", In: "IN", NotIn: "NOT IN",
	Has: "EXISTS", Lacks: "IS NULL", StartsWith: "STARTS WITH",
}

// String returns the operator as the string form writes it.
func (op Op) String() string { return opNames[op] }

func (Conjunction) isNode() {}
func (Disjunction) isNode() {}
func (Negation) isNode()    {}
func (Comparison) isNode()  {}
func (Interval) isNode()    {}

// Fields yields the fields that a filter is about, in the order in which they were written. A field of several conditions comes several times.
func Fields(n Node) iter.Seq[string] {
	return func(yield func(string) bool) { eachField(n, yield) }
}

func eachField(n Node, yield func(string) bool) (more bool) {
	var members []Node
	switch n := n.(type) {
	case Conjunction:
		members = n
	case Disjunction:
		members = n
	case Negation:
		return eachField(n.Node, yield)
	case Comparison:
		return yield(n.Field)
	case Interval:
		return yield(n.Field)
	}
	for _, m := range members {
		if !eachField(m, yield) {
			return false
		}
	}
	return true
}

// all joins nodes by AND. It keeps the invariants of Conjunction, so that a tree has only one spelling.
func all(nodes ...Node) Node {
	flat := make(Conjunction, 0, len(nodes))
	for _, n := range nodes {
		if c, ok := n.(Conjunction); ok {
			flat = append(flat, c...)
		} else {
			flat = append(flat, n)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return flat
}

// either joins nodes by OR, likewise.
func either(nodes ...Node) Node {
	flat := make(Disjunction, 0, len(nodes))
	for _, n := range nodes {
		if d, ok := n.(Disjunction); ok {
			flat = append(flat, d...)
		} else {
			flat = append(flat, n)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return flat
}

// interval returns an Interval, or a Comparison if a bound is missing; a nil bound is missing.
func interval(field string, low, high *Literal, lowOpen, highOpen bool, at Pos) Node {
	switch {
	case low == nil && high == nil:
		return Comparison{Field: field, Op: Has, At: at}
	case high == nil:
		op := Ge
		if lowOpen {
			op = Gt
		}
		return Comparison{Field: field, Op: op, Values: []Literal{*low}, At: at}
	case low == nil:
		op := Le
		if highOpen {
			op = Lt
		}
		return Comparison{Field: field, Op: op, Values: []Literal{*high}, At: at}
	}
	return Interval{Field: field, Low: *low, High: *high, LowOpen: lowOpen, HighOpen: highOpen, At: at}
}

// depth returns how deep parentheses and NOT nest in the string form of n.
func depth(n Node) int {
	deepest := 0
	switch n := n.(type) {
	case Conjunction:
		for _, m := range n {
			d := depth(m)
			if _, ok := m.(Disjunction); ok {
				d++
			}
			deepest = max(deepest, d)
		}
	case Disjunction:
		for _, m := range n {
			deepest = max(deepest, depth(m))
		}
	case Negation:
		deepest = 1 + depth(n.Node)
		switch n.Node.(type) {
		case Conjunction, Disjunction:
			deepest++
		}
	}
	return deepest
}
