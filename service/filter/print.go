package filter

import (
	"strings"
	"unicode"
)

func (n Conjunction) String() string { return spell(n) }
func (n Disjunction) String() string { return spell(n) }
func (n Negation) String() string    { return spell(n) }
func (n Comparison) String() string  { return spell(n) }
func (n Interval) String() string    { return spell(n) }

func spell(n Node) string {
	var b strings.Builder
	write(&b, n)
	return b.String()
}

func write(b *strings.Builder, n Node) {
	switch n := n.(type) {
	case Conjunction:
		for i, m := range n {
			if i > 0 {
				b.WriteString(" AND ")
			}
			_, or := m.(Disjunction)
			writeIn(b, m, or)
		}
	case Disjunction:
		for i, m := range n {
			if i > 0 {
				b.WriteString(" OR ")
			}
			write(b, m)
		}
	case Negation:
		b.WriteString("NOT ")
		_, and := n.Node.(Conjunction)
		_, or := n.Node.(Disjunction)
		writeIn(b, n.Node, and || or)
	case Comparison:
		n.write(b)
	case Interval:
		n.write(b)
	}
}

func writeIn(b *strings.Builder, n Node, parentheses bool) {
	if parentheses {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	write(b, n)
}

func (n Comparison) write(b *strings.Builder) {
	b.WriteString(QuoteName(n.Field))
	b.WriteByte(' ')
	b.WriteString(n.Op.String())
	switch n.Op {
	case Has, Lacks:
	case In, NotIn:
		b.WriteString(" [")
		for i, v := range n.Values {
			if i > 0 {
				b.WriteString(", ")
			}
			v.write(b)
		}
		b.WriteByte(']')
	default:
		b.WriteByte(' ')
		n.Values[0].write(b)
	}
}

func (n Interval) write(b *strings.Builder) {
	b.WriteString(QuoteName(n.Field))
	if !n.LowOpen && !n.HighOpen {
		b.WriteByte(' ')
		n.Low.write(b)
		b.WriteString(" TO ")
		n.High.write(b)
		return
	}
	b.WriteByte(':')
	if n.LowOpen {
		b.WriteByte('{')
	} else {
		b.WriteByte('[')
	}
	n.Low.write(b)
	b.WriteString(" TO ")
	n.High.write(b)
	if n.HighOpen {
		b.WriteByte('}')
	} else {
		b.WriteByte(']')
	}
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func (l Literal) write(b *strings.Builder) {
	if !l.Quoted {
		b.WriteString(l.Text)
		return
	}
	b.WriteByte('"')
	b.WriteString(escaper.Replace(l.Text))
	b.WriteByte('"')
}

// QuoteName returns a field name as filters, sort expressions and facet lists accept it: bare if possible,
// otherwise in backquotes, with backquotes in it doubled.
func QuoteName(name string) string {
	if isBareName(name) {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

func isBareName(name string) bool {
	if name == "" || name[0] == '-' || keywords[strings.ToUpper(name)] {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) }) < 0
}

// isNameRune reports whether r may stand in a bare name. It excludes brackets, the first characters of operators, and the operators
// of other languages (+ & | ~ ^ * ?): a filter in one of those must fail rather than ask for a field that does not exist.
func isNameRune(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return true
	case r < 0x80:
		return strings.ContainsRune("_.-/$@#", r)
	}
	return !unicode.IsSpace(r) && !unicode.IsControl(r)
}
