package filter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keywords are the words of the language. Only those that could begin or continue a condition are
// reserved (see Parse); a name that equals any of them is still printed in backquotes.
var keywords = map[string]bool{
	"AND": true, "OR": true, "NOT": true, "TO": true, "IN": true, "EXISTS": true, "IS": true,
	"NULL": true, "STARTS": true, "WITH": true,
}

// scanner walks over a source by characters. It is a value, so that a copy is a place to return to.
type scanner struct {
	src string
	off int
	col int
	// whole is what the source is called in messages: filter, sort expression …
	whole string
}

const eof rune = -1

// newScanner refuses what PostgreSQL cannot hold in a string, and so no document has.
func newScanner(src, whole string) (scanner, error) {
	col := 1
	for i, r := range src {
		if r == 0 {
			return scanner{}, Pos{Column: col}.errorf("the character U+0000 is not allowed in a %s", whole)
		}
		if r == utf8.RuneError && !strings.HasPrefix(src[i:], "\uFFFD") {
			return scanner{}, Pos{Column: col}.errorf("the %s is not valid UTF-8", whole)
		}
		col++
	}
	return scanner{src: src, col: 1, whole: whole}, nil
}

func (s *scanner) pos() Pos { return Pos{Column: s.col} }

func (s *scanner) peek() rune {
	if s.off == len(s.src) {
		return eof
	}
	r, _ := utf8.DecodeRuneInString(s.src[s.off:])
	return r
}

func (s *scanner) next() rune {
	if s.off == len(s.src) {
		return eof
	}
	r, n := utf8.DecodeRuneInString(s.src[s.off:])
	s.off += n
	s.col++
	return r
}

// take consumes runes as long as ok accepts them.
func (s *scanner) take(ok func(rune) bool) string {
	start := s.off
	for r := s.peek(); r != eof && ok(r); r = s.peek() {
		s.next()
	}
	return s.src[start:s.off]
}

func (s *scanner) space() { s.take(unicode.IsSpace) }

// symbol consumes sym if it comes next.
func (s *scanner) symbol(sym string) bool {
	if !strings.HasPrefix(s.src[s.off:], sym) {
		return false
	}
	s.off += len(sym)
	s.col += len(sym) // symbols are ASCII
	return true
}

// keyword consumes space and the keyword, which is ASCII, if it comes next as a whole word. It looks no further
// than that: it is called in many places before a word that may be very long.
func (s *scanner) keyword(word string) bool {
	start := *s
	s.space()
	end := s.off + len(word)
	if end <= len(s.src) && strings.EqualFold(s.src[s.off:end], word) {
		s.off, s.col = end, s.col+len(word)
		if next := s.peek(); next == eof || !isNameRune(next) {
			return true
		}
	}
	*s = start
	return false
}

// ahead reports whether the keyword comes next.
func (s scanner) ahead(word string) bool { return s.keyword(word) }

// found describes what comes next.
func (s scanner) found() string {
	r := s.peek()
	if r == eof {
		return "the end of the " + s.whole
	}
	word := s.take(func(r rune) bool { return isValueRune(r) && !strings.ContainsRune("=!<>:", r) })
	if word == "" {
		word = string(s.next())
	}
	if word == `"` {
		return "a double quote"
	}
	return `"` + cut(word) + `"`
}

// cut shortens what a message quotes.
func cut(text string) string {
	const most = 60
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// expected returns the error for what comes next; hint may be empty.
func (s *scanner) expected(what, hint string) *Error {
	msg := fmt.Sprintf("expected %s, found %s", what, s.found())
	if hint != "" {
		msg += "; " + hint
	}
	return s.pos().errorf("%s", msg)
}

// label returns a field as a message names it.
func label(field string) string { return QuoteName(cut(field)) }

// quotedName consumes a name in backquotes. The next rune is the opening one.
func (s *scanner) quotedName() (string, error) {
	start := s.pos()
	s.next()
	var b strings.Builder
	for {
		switch r := s.next(); r {
		case eof:
			return "", start.errorf("expected a closing backquote for the name that begins here")
		case '`':
			if s.peek() != '`' {
				if b.Len() == 0 {
					return "", start.errorf("expected a field name between the backquotes")
				}
				return b.String(), nil
			}
			s.next()
			b.WriteByte('`')
		default:
			b.WriteRune(r)
		}
	}
}

// quotedValue consumes a value in double quotes. The next rune is the opening one.
func (s *scanner) quotedValue() (string, error) {
	start := s.pos()
	s.next()
	var b strings.Builder
	for {
		at := s.pos()
		switch r := s.next(); r {
		case eof:
			return "", start.errorf("expected a closing double quote for the value that begins here")
		case '"':
			return b.String(), nil
		case '\\':
			r := s.next()
			if r != '"' && r != '\\' {
				return "", at.errorf(`expected \" or \\ after a backslash; a backslash itself is written \\`)
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
}

// isValueRune reports whether r may stand in a bare value. Colons and operators may: times, addresses and URLs need no quotes.
func isValueRune(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsControl(r) && !strings.ContainsRune("()[]{},\"`", r)
}
