package filter

import (
	"fmt"
	"strings"
)

const operators = `an operator (= != > >= < <= : IN, NOT IN, TO, EXISTS, IS NULL, STARTS WITH)`

// name reads a field name.
func (p *parser) name() (string, error) {
	const what = "a field name"
	switch r := p.peek(); {
	case r == '`':
		return p.quotedName()
	case r == '"':
		return "", p.expected(what, "a name with special characters goes in backquotes, not in double quotes")
	case strings.ContainsRune("'‘’“”„«", r):
		return "", p.expected(what, "a name with special characters goes in backquotes, not in other quotes")
	case r == '!' && !p.symbolAhead("!="):
		return "", p.expected(what, "write NOT")
	case r == '+':
		return "", p.expected(what, `omit the "+": conditions joined by AND must all hold`)
	case r == '{':
		return "", p.expected(what, "in a string, conditions are written as in brand = Acme")
	case r == '*':
		return "", p.expected(what, "without a filter everything is found")
	case p.ahead("AND"), p.ahead("OR"), p.ahead("NOT"):
		return "", p.expected(what, "a field of that name goes in backquotes")
	case p.ahead("EXISTS"):
		return "", p.expected(what, "EXISTS goes after the name; a field of that name goes in backquotes")
	case r == eof || !isNameRune(r) || r == '-':
		return "", p.expected(what, "")
	}
	name := p.take(isNameRune)
	if r := p.peek(); r == '*' || r == '+' || r == '?' || r == '&' || r == '|' || r == '~' || r == '^' || r == '%' {
		return "", p.expected(operators, "a name with special characters goes in backquotes")
	}
	return name, nil
}

// value reads a value.
func (p *parser) value(what string) (Literal, error) {
	p.space()
	at := p.pos()
	if p.peek() == '"' {
		text, err := p.quotedValue()
		if err != nil {
			return Literal{}, err
		}
		p.bare = ""
		return Literal{Text: text, Quoted: true, At: at}, nil
	}
	start := p.scanner
	if r := p.peek(); r == eof || !isValueRune(r) || strings.ContainsRune("=!<>:", r) {
		hint := ""
		switch r {
		case '=':
			hint = "equality is written with one ="
		case '[', '(':
			hint = "a list is written with IN: IN [a, b]"
		case '`':
			hint = "values go in double quotes, only names in backquotes"
		case '!', '<', '>', ':':
			hint = "a value that begins with this goes in double quotes"
		}
		return Literal{}, p.expected(what, hint)
	}
	text := p.take(isValueRune)
	switch strings.ToUpper(text) {
	case "AND", "OR", "NOT", "TO":
		return Literal{}, start.expected(what, fmt.Sprintf("the value %s itself goes in double quotes", text))
	case "NULL":
		return Literal{}, start.expected(what, "use IS NULL to find missing values; the word itself goes in double quotes")
	}
	if inner, ok := otherwiseQuoted(text); ok {
		return Literal{}, start.expected(what, fmt.Sprintf("values go in double quotes: \"%s\"", cut(inner)))
	}
	if strings.Contains(text, "*") {
		hint := "a value with * in it goes in double quotes"
		if prefix := strings.TrimSuffix(text, "*"); prefix != "" && !strings.Contains(prefix, "*") {
			hint = fmt.Sprintf("to match a prefix, use STARTS WITH %s; %s", cut(prefix), hint)
		}
		return Literal{}, start.expected(what+" without *", hint)
	}
	if r := p.peek(); r != eof && strings.ContainsRune("([{\"`", r) {
		return Literal{}, p.expected("a space after the value", "a value with quotes or brackets in it goes in double quotes")
	}
	p.bare, p.bareEnd = text, p.off
	return Literal{Text: text, At: at}, nil
}

// otherwiseQuoted returns what stands in single quotes, straight or typographic, or in those that word processors and messengers
// make of double quotes. The closing quote of the latter may be missing, because a bare value ends at the first space.
func otherwiseQuoted(text string) (inner string, ok bool) {
	for _, quotes := range []string{"“”", "„“", "”", "«»"} {
		if strings.HasPrefix(text, string([]rune(quotes)[0])) {
			return strings.Trim(text, quotes), true
		}
	}
	for _, quotes := range [][2]string{{"'", "'"}, {"‘", "’"}} {
		if rest, begins := strings.CutPrefix(text, quotes[0]); begins && strings.HasSuffix(rest, quotes[1]) {
			return strings.Trim(text, quotes[0]+quotes[1]), true
		}
	}
	return "", false
}

// bound reads one end of a range: a value, or * for none.
func (p *parser) bound() (*Literal, error) {
	if p.space(); p.star() {
		return nil, nil
	}
	v, err := p.value("a value or *")
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// star consumes a * that stands alone.
func (p *parser) star() bool {
	s := p.scanner
	if s.take(isValueRune) != "*" {
		return false
	}
	p.scanner = s
	return true
}

// list reads the values of IN, in brackets or parentheses.
func (p *parser) list(field string, op Op, at Pos) (Node, error) {
	p.space()
	end := "]"
	switch {
	case p.symbol("["):
	case p.symbol("("):
		end = ")"
	default:
		return nil, p.expected(`"[" after IN`, `a list is written [red, "dark blue"]`)
	}
	values := []Literal{}
	if p.space(); p.symbol(end) {
		return p.leaf(field, op, at, values...)
	}
	for {
		v, err := p.value("a value")
		if err != nil {
			return nil, err
		}
		if len(values) == MaxValues {
			return nil, tooManyValues(v.At)
		}
		values = append(values, v)
		p.space()
		if p.symbol(end) {
			return p.leaf(field, op, at, values...)
		}
		if !p.symbol(",") {
			hint := ""
			if p.ahead("TO") || p.symbolAhead("..") {
				hint = rangeHint(field)
			} else if r := p.peek(); !v.Quoted && r != eof && isValueRune(r) {
				hint = "a value of several words goes in double quotes"
			}
			return nil, p.expected(fmt.Sprintf(`"," or "%s"`, end), hint)
		}
	}
}

func tooManyValues(at Pos) *Error {
	return at.errorf("a list may have at most %d values", MaxValues)
}

// bareRange reads "10 TO 20" after a name.
func (p *parser) bareRange(field string, at Pos) (Node, error) {
	if r := p.peek(); r == eof || r != '"' && !isValueRune(r) || p.ahead("AND") || p.ahead("OR") || p.ahead("TO") || strings.ContainsRune("!", r) {
		return nil, p.expected(operators+" after "+label(field), "")
	}
	start := p.scanner
	low, err := p.bound()
	if err != nil {
		return nil, err
	}
	if !p.ahead("TO") {
		return nil, start.expected(operators+" after "+label(field), operatorHint(start, field))
	}
	return p.rangeFrom(field, low, at)
}

// operatorHint returns the hint for what stands in place of an operator: s is before it.
func operatorHint(s scanner, field string) string {
	switch known := foreignHint(s, field); {
	case known != "":
		return known
	case strings.HasPrefix(s.src[s.off:], "&&"), strings.HasPrefix(s.src[s.off:], "||"):
		return "conditions are joined by AND or OR, for example a = 1 AND b = 2"
	case beforeOperator(s):
		return "a name with spaces in it goes in backquotes"
	}
	return fmt.Sprintf("equality is written %s = a, a range %[1]s 10 TO 20", label(field))
}

// foreignHint returns the hint for a word that other languages use for something that is written differently here,
// or "" if it is none of those: s is before it.
func foreignHint(s scanner, field string) string {
	switch {
	case s.ahead("CONTAINS"), s.ahead("LIKE"):
		return "filters compare whole values, or prefixes with STARTS WITH; to find words in a value, use the query"
	case s.ahead("BETWEEN"):
		return rangeHint(field)
	case s.ahead("EMPTY"):
		return "an empty array counts as missing, and an empty string is = \"\""
	case s.ahead("NULL"), s.ahead("EXIST"), s.ahead("EXISTS"):
		return fmt.Sprintf("presence is written %s EXISTS, absence %[1]s NOT EXISTS or %[1]s IS NULL", label(field))
	}
	return ""
}

// beforeOperator reports whether bare words come next, and then an operator: the words belong to a name.
func beforeOperator(s scanner) bool {
	for {
		s.space()
		if r := s.peek(); r != eof && strings.ContainsRune("=!<>:", r) || s.ahead("IN") || s.ahead("IS") || s.ahead("EXISTS") || s.ahead("STARTS") {
			return true
		}
		if s.ahead("AND") || s.ahead("OR") || s.take(isNameRune) == "" {
			return false
		}
	}
}

func rangeHint(field string) string { return "a range is written " + label(field) + " 10 TO 20" }

// rangeFrom reads "TO 20" after the low end of a range.
func (p *parser) rangeFrom(field string, low *Literal, at Pos) (Node, error) {
	p.keyword("TO")
	high, err := p.bound()
	if err != nil {
		return nil, err
	}
	if err := p.count(at); err != nil {
		return nil, err
	}
	return interval(field, low, high, false, false, at), nil
}

// afterColon reads what Lucene and its relatives allow after "field:", inside parentheses too.
func (p *parser) afterColon(field string, at Pos) (Node, error) {
	if p.space(); p.peek() == '(' {
		return p.parenthesized(func() (Node, error) { return p.groupOr(field) })
	}
	if p.star() {
		return p.leaf(field, Has, at)
	}
	for _, op := range []Op{Ge, Le, Gt, Lt} {
		if p.symbol(op.String()) {
			v, err := p.value("a value after " + op.String())
			if err != nil {
				return nil, err
			}
			return p.leaf(field, op, at, v)
		}
	}
	switch p.peek() {
	case '[', '{':
		return p.brackets(field, at)
	case '=':
		return nil, p.expected("a value after :", fmt.Sprintf("equality is written %s = a, and one of several values %[1]s IN [a, b]", label(field)))
	case '!':
		return nil, p.expected("a value after :", fmt.Sprintf("inequality is written %s != a, and none of several values %[1]s NOT IN [a, b]", label(field)))
	}
	v, err := p.value("a value after :")
	if err != nil {
		return nil, err
	}
	if p.ahead("TO") {
		return p.rangeFrom(field, &v, at)
	}
	return p.leaf(field, Eq, at, v)
}

// brackets reads [10 TO 20], {10 TO 20} or a mixture.
func (p *parser) brackets(field string, at Pos) (Node, error) {
	lowOpen := p.next() == '{'
	low, err := p.bound()
	if err != nil {
		return nil, err
	}
	if !p.keyword("TO") {
		p.space()
		hint := "a list is written " + label(field) + " IN [a, b]"
		if low != nil && strings.Contains(low.Text, "..") || p.symbolAhead("..") {
			hint = rangeHint(field)
		}
		return nil, p.expected("TO", hint)
	}
	high, err := p.bound()
	if err != nil {
		return nil, err
	}
	p.space()
	highOpen := p.symbol("}")
	if !highOpen && !p.symbol("]") {
		return nil, p.expected(`"]" or "}"`, "")
	}
	if err := p.count(at); err != nil {
		return nil, err
	}
	return interval(field, low, high, lowOpen, highOpen, at), nil
}

// groupOr reads what stands in the parentheses of tags:(red OR blue): values joined like conditions.
func (p *parser) groupOr(field string) (Node, error) {
	return p.chain("OR", either, func() (Node, error) {
		return p.chain("AND", all, func() (Node, error) { return p.groupNot(field) })
	})
}

func (p *parser) groupNot(field string) (Node, error) {
	if !p.keyword("NOT") {
		p.space()
		return p.afterColon(field, p.pos())
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	n, err := p.groupNot(field)
	if err != nil {
		return nil, err
	}
	return Negation{n}, nil
}
