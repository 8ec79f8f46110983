package filter

import (
	"strings"

	"github.com/rowansearch/rowan/service/mapping"
)

// Bind checks a filter against the kinds of the fields and converts its values. kindOf returns the kind of
// a field by its mapping, KindUnmapped for a field without one; it is not called for _id. Errors are of type *Error,
// with the place of the value or field that does not fit. A Conjunction becomes an And with the same number of members.
func Bind(n Node, kindOf func(field string) mapping.Kind) (Cond, error) {
	return (&binder{kindOf: kindOf}).bind(n)
}

type binder struct {
	kindOf func(field string) mapping.Kind
	values int
}

func (b *binder) bind(n Node) (Cond, error) {
	switch n := n.(type) {
	case Conjunction:
		conds := make(And, 0, len(n))
		for _, m := range n {
			c, err := b.bind(m)
			if err != nil {
				return nil, err
			}
			conds = append(conds, c)
		}
		return conds, nil
	case Disjunction:
		conds := make(Or, 0, len(n))
		for _, m := range n {
			c, err := b.bind(m)
			if err != nil {
				return nil, err
			}
			conds = appendMerged(conds, c)
		}
		return simplest(conds), nil
	case Negation:
		c, err := b.bind(n.Node)
		return complement(c, err)
	case Interval:
		return b.interval(n)
	case Comparison:
		return b.comparison(n)
	}
	panic("filter: a Node of an unknown type")
}

// appendMerged adds c to alternatives. Two Equals on one field become one, whatever stands between them: a list makes a cheaper query.
func appendMerged(alternatives Or, c Cond) Or {
	if e, ok := c.(Equal); ok {
		for i, other := range alternatives {
			if o, ok := other.(Equal); ok && o.Field == e.Field {
				o.Values = append(o.Values, e.Values...) // the slice is our own: equal made it
				alternatives[i] = o
				return alternatives
			}
		}
	}
	return append(alternatives, c)
}

func simplest(alternatives Or) Cond {
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	return alternatives
}

func complement(c Cond, err error) (Cond, error) {
	if err != nil {
		return nil, err
	}
	if n, ok := c.(Not); ok {
		return n.Cond, nil
	}
	return Not{c}, nil
}

// kind returns the kind of a field that may be filtered.
func (b *binder) kind(field string, at Pos) (mapping.Kind, error) {
	return fieldKind(field, at, "filtered", "_id", b.kindOf)
}

// fieldKind returns the kind of a field. It refuses very long names and the service's own names, of which own, in
// the error, names those that can be used.
func fieldKind(field string, at Pos, used, own string, kindOf func(string) mapping.Kind) (mapping.Kind, error) {
	switch {
	case field == IDField:
		return mapping.KindID, nil
	case strings.HasPrefix(field, "_"):
		return 0, at.errorf("%s cannot be %s: of the names that begin with an underscore, only %s can", label(field), used, own)
	}
	if fault := mapping.NameFault(field); fault != "" {
		return 0, at.errorf("%s cannot be %s: it %s", label(field), used, fault)
	}
	return kindOf(field), nil
}

func (b *binder) comparison(n Comparison) (Cond, error) {
	if b.values += len(n.Values); b.values > MaxAllValues {
		return nil, n.At.errorf("the lists of a filter may have at most %d values together", MaxAllValues)
	}
	kind, err := b.kind(n.Field, n.At)
	if err != nil {
		return nil, err
	}
	if n.Op == Has || n.Op == Lacks {
		c := Cond(Exists{Field: n.Field, Kind: kind})
		if kind == mapping.KindID {
			c = And{} // every document has one
		}
		if n.Op == Lacks {
			return Not{c}, nil
		}
		return c, nil
	}
	if kind == mapping.KindPresence {
		return nil, presenceOnly(n.Field, n.At)
	}
	f := boundField{name: n.Field, kind: kind}
	switch n.Op {
	case Eq, In:
		return f.equal(n.Values)
	case Ne, NotIn:
		return complement(f.equal(n.Values))
	case StartsWith:
		return f.prefix(n)
	case Gt:
		return f.between(&n.Values[0], nil, true, false)
	case Ge:
		return f.between(&n.Values[0], nil, false, false)
	case Lt:
		return f.between(nil, &n.Values[0], false, true)
	default: // Le
		return f.between(nil, &n.Values[0], false, false)
	}
}

func (b *binder) interval(n Interval) (Cond, error) {
	kind, err := b.kind(n.Field, n.At)
	if err != nil {
		return nil, err
	}
	if kind == mapping.KindPresence {
		return nil, presenceOnly(n.Field, n.At)
	}
	return boundField{name: n.Field, kind: kind}.between(&n.Low, &n.High, n.LowOpen, n.HighOpen)
}

func presenceOnly(field string, at Pos) *Error {
	name := label(field)
	return at.errorf("%s is a long text, whose values cannot be compared: use %s EXISTS or %s IS NULL, search for its words, or map it as text", name, name, name)
}
