package filter

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rowansearch/rowan/service/decimal"
)

// Parse reads a filter in the string form:
//
//	brand = Acme AND (price 10 TO 20 OR tags IN [red, "dark blue"]) AND NOT discontinued = true
//
// Every error is an *Error with the column at which something else was expected. An empty string is the filter that always holds.
//
// The words AND, OR, NOT and TO are reserved as values, and so is null (ask for it with IS NULL); AND, OR, NOT and
// EXISTS are reserved as names. In double quotes the former are values, in backquotes the latter are names.
func Parse(src string) (Node, error) {
	s, err := newScanner(src, "filter")
	if err != nil {
		return nil, err
	}
	p := parser{scanner: s}
	p.space()
	if p.peek() == eof {
		return Conjunction{}, nil
	}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.space(); p.peek() != eof {
		return nil, p.unjoined()
	}
	return n, nil
}

type parser struct {
	scanner
	depth      int
	conditions int
	// bare is the last value if it was bare and only space has followed it, for a hint.
	bare    string
	bareEnd int
}

func (p *parser) enter() error {
	if p.depth++; p.depth > MaxDepth {
		return p.pos().errorf("parentheses and NOT may be nested at most %d deep; simplify the filter", MaxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) count(at Pos) error {
	if p.conditions++; p.conditions > MaxConditions {
		return tooMany(at)
	}
	return nil
}

func tooMany(at Pos) *Error {
	return at.errorf("a filter may have at most %d conditions; put the values of one field into a list with IN", MaxConditions)
}

// unjoined returns the error for something that follows a complete condition.
func (p *parser) unjoined() *Error {
	what := "AND, OR or the end of the filter"
	if p.depth > 0 {
		what = `AND, OR or ")"`
	}
	switch r := p.peek(); {
	case p.symbolAhead("&&"):
		return p.expected(what, "write AND")
	case p.symbolAhead("||"):
		return p.expected(what, "write OR")
	case r == ')':
		return p.expected(what, "no parenthesis is open here")
	case r == ',':
		return p.expected(what, "a value with a comma goes in double quotes; several values go in a list: IN [a, b]")
	case p.symbolAhead(".."):
		return p.expected(what, "a range is written with TO: 10 TO 20")
	case p.condition(), r != eof && strings.ContainsRune("=!<:", r), r == '>' && !p.behindText():
		return p.expected(what, "conditions are joined by AND or OR")
	case r == '>', p.bare != "" && p.bareEnd == p.off && isValueRune(r):
		return p.expected(what, fmt.Sprintf("a value of several words goes in double quotes: \"%s\"", strings.Trim(cut(p.bare)+p.words(), "'‘’")))
	case strings.ContainsRune("([{\"`", r):
		return p.expected(what, "a value with quotes or brackets in it goes in double quotes")
	}
	return p.expected(what, "")
}

// behindText reports whether what comes next follows a bare value that is no number: Home > Garden is a level of a category.
func (p *parser) behindText() bool {
	_, err := decimal.Canonical(p.bare)
	return p.bare != "" && p.bareEnd == p.off && err != nil
}

// condition reports whether what comes next looks like the beginning of a condition.
func (p *parser) condition() bool {
	s := p.scanner
	if r := s.peek(); r == '(' || r == '-' || r == '`' {
		return r != '-' || strings.ContainsAny(s.take(isValueRune), "=!<>:")
	}
	if s.ahead("NOT") {
		return true
	}
	if s.take(isNameRune) == "" {
		return false
	}
	if s.space(); s.peek() != eof && strings.ContainsRune("=!<>:", s.peek()) {
		return true
	}
	return s.ahead("NOT") || s.ahead("IN") || s.ahead("IS") || s.ahead("EXISTS") || s.ahead("STARTS")
}

// words returns the first few of the bare words that come next, with a space before each; > between levels counts as one.
func (p *parser) words() string {
	const most = 8
	var b strings.Builder
	s := p.scanner
	for range most {
		if s.space(); s.ahead("AND") || s.ahead("OR") || s.ahead("TO") {
			break
		}
		word := s.take(isValueRune)
		if s.peek() == '>' && word == "" {
			word = s.take(func(r rune) bool { return r == '>' })
		}
		if word == "" {
			break
		}
		b.WriteByte(' ')
		b.WriteString(cut(word))
	}
	return b.String()
}

func (p *parser) symbolAhead(sym string) bool { return strings.HasPrefix(p.src[p.off:], sym) }

func (p *parser) or() (Node, error) { return p.chain("OR", either, p.and) }

func (p *parser) and() (Node, error) { return p.chain("AND", all, p.not) }

// chain reads one or more members, with the keyword between them.
func (p *parser) chain(word string, join func(...Node) Node, member func() (Node, error)) (Node, error) {
	var nodes []Node
	for {
		n, err := member()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
		if !p.keyword(word) {
			p.endBare()
			return join(nodes...), nil
		}
	}
}

// endBare skips the space after a bare value, and records that nothing else has followed the value.
func (p *parser) endBare() {
	adjacent := p.bareEnd == p.off
	p.space()
	if adjacent {
		p.bareEnd = p.off
	}
}

func (p *parser) not() (Node, error) {
	p.space()
	switch {
	case p.keyword("NOT"):
	case p.peek() == '-':
		p.next()
		if r := p.peek(); r != '(' && r != '`' && !isNameRune(r) {
			return nil, p.expected(`a field name or "(" directly after the "-"`, "")
		}
	default:
		return p.primary()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	n, err := p.not()
	if err != nil {
		return nil, err
	}
	return Negation{n}, nil
}

func (p *parser) primary() (Node, error) {
	if p.space(); p.peek() == '(' {
		return p.parenthesized(p.or)
	}
	return p.comparison()
}

// parenthesized reads "(", what inner reads, and ")".
func (p *parser) parenthesized(inner func() (Node, error)) (Node, error) {
	open := p.pos()
	if err := p.enter(); err != nil {
		return nil, err
	}
	p.next()
	n, err := inner()
	if err != nil {
		return nil, err
	}
	if p.space(); p.peek() == eof {
		return nil, p.expected(`AND, OR or ")"`, fmt.Sprintf("the parenthesis in column %d is still open", open.Column))
	}
	if !p.symbol(")") {
		return nil, p.unjoined()
	}
	p.leave()
	return n, nil
}

func (p *parser) comparison() (Node, error) {
	at := p.pos()
	field, err := p.name()
	if err != nil {
		return nil, err
	}
	p.space()
	switch {
	case (field == "_exists_" || field == "_missing_") && p.peek() == ':':
		return nil, at.errorf("expected a field name, found %q; presence is written price EXISTS, absence price IS NULL", field)
	case strings.HasPrefix(field, "_geo") && p.peek() == '(':
		return nil, at.errorf("expected a field name, found the function %q; to find places, filter by a rectangle: lat 52.3 TO 52.6 AND lon 13.1 TO 13.7", cut(field))
	}
	compare := func(op Op, name string) (Node, error) {
		v, err := p.value("a value after " + name)
		if err != nil {
			return nil, err
		}
		if p.ahead("TO") && op != StartsWith {
			p.space()
			return nil, p.expected("AND, OR or the end of the condition", "a range is written without an operator: "+label(field)+" 10 TO 20")
		}
		return p.leaf(field, op, at, v)
	}
	if p.symbolAhead("<>") {
		return nil, p.expected(operators, "inequality is written !=")
	}
	for _, op := range []Op{Ne, Ge, Le, Eq, Gt, Lt} { // the longer ones first
		if p.symbol(op.String()) {
			return compare(op, op.String())
		}
	}
	switch {
	case p.symbol(":"):
		return p.afterColon(field, at)
	case p.keyword("IN"):
		return p.list(field, In, at)
	case p.keyword("EXISTS"):
		return p.leaf(field, Has, at)
	case p.keyword("STARTS"):
		if !p.keyword("WITH") {
			p.space()
			return nil, p.expected("WITH after STARTS", "")
		}
		return compare(StartsWith, "STARTS WITH")
	case p.keyword("IS"):
		op := Lacks
		if p.keyword("NOT") {
			op = Has
		}
		if !p.keyword("NULL") {
			p.space()
			return nil, p.expected("NULL or NOT NULL after IS", cmp.Or(foreignHint(p.scanner, field), "equality is written with ="))
		}
		return p.leaf(field, op, at)
	case p.keyword("NOT"):
		return p.negated(field, at, compare)
	}
	return p.bareRange(field, at)
}

// negated reads what follows "field NOT".
func (p *parser) negated(field string, at Pos, compare func(Op, string) (Node, error)) (Node, error) {
	switch {
	case p.keyword("IN"):
		return p.list(field, NotIn, at)
	case p.keyword("EXISTS"):
		return p.leaf(field, Lacks, at)
	case p.keyword("STARTS"):
		if err := p.enter(); err != nil { // it is printed as NOT …
			return nil, err
		}
		defer p.leave()
		if !p.keyword("WITH") {
			p.space()
			return nil, p.expected("WITH after STARTS", "")
		}
		n, err := compare(StartsWith, "STARTS WITH")
		if err != nil {
			return nil, err
		}
		return Negation{n}, nil
	}
	p.space()
	return nil, p.expected("IN, EXISTS or STARTS WITH after NOT", cmp.Or(foreignHint(p.scanner, field), "NOT goes before a condition: NOT "+label(field)+" = …"))
}

func (p *parser) leaf(field string, op Op, at Pos, values ...Literal) (Node, error) {
	if err := p.count(at); err != nil {
		return nil, err
	}
	return Comparison{Field: field, Op: op, Values: values, At: at}, nil
}
