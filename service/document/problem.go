package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

const (
	// MaxLevels is how deep objects and arrays may be nested; the document itself is level 1.
	MaxLevels = 200
	// MaxProblems is how many faults of one request are reported.
	MaxProblems = 100
	// MaxActions is how many actions a batch may hold.
	MaxActions = 10_000

	maxValueShown = 200 // bytes of a faulty value, or of a property name in a location, that are reported
)

// Problem is one fault in well-formed JSON.
type Problem struct {
	// Location points at the value: body.price, body.tags[2], body[17].body.author.name.
	Location string
	// Message says what is wrong, as the end of a sentence about the value.
	Message string
	// Value is what stood there: a json.RawMessage or, if it is long, the beginning of its text as a string; nil if nothing stood there.
	Value any
}

// SyntaxError means that a body is not JSON, and says where.
type SyntaxError struct {
	Offset int // bytes before the fault
	Line   int // from 1
	Column int // in characters, from 1
	// Message says what is wrong there.
	Message string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// syntaxError returns the error for a message at an offset of data.
func syntaxError(data []byte, offset int, message string) *SyntaxError {
	before := data[:offset]
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Offset:  offset,
		Line:    bytes.Count(before, []byte{'\n'}) + 1,
		Column:  utf8.RuneCount(before[lineStart:]) + 1,
		Message: message,
	}
}

// TooManyActionsError means that a batch holds more than MaxActions actions.
type TooManyActionsError struct{ Limit int }

func (e *TooManyActionsError) Error() string {
	return fmt.Sprintf("a batch holds at most %d actions; send several batches", e.Limit)
}

// problems collects faults up to MaxProblems.
type problems []Problem

func (p *problems) full() bool { return len(*p) >= MaxProblems }

func (p *problems) add(location, message string, value any) {
	if !p.full() {
		*p = append(*p, Problem{Location: location, Message: message, Value: value})
	}
}

// shown returns a faulty value as a Problem reports it.
func shown(raw []byte) any {
	if len(raw) <= maxValueShown {
		return json.RawMessage(raw)
	}
	return cut(raw)
}

// cut returns the beginning of a long text, ending with a whole character.
func cut(text []byte) string {
	end := maxValueShown
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + "…"
}

// appendName appends a property to a location: after a dot if it reads well, otherwise quoted in brackets.
func appendName(location, name []byte) []byte {
	if plain(name) {
		return append(append(location, '.'), name...)
	}
	text := string(name)
	if len(name) > maxValueShown {
		text = cut(name)
	}
	location = strconv.AppendQuote(append(location, '['), text)
	return append(location, ']')
}

// appendIndex appends the index of an array's element to a location.
func appendIndex(location []byte, i int) []byte {
	location = strconv.AppendInt(append(location, '['), int64(i), 10)
	return append(location, ']')
}

func plain(name []byte) bool {
	if len(name) == 0 || len(name) > maxValueShown {
		return false
	}
	for _, c := range name {
		if c <= ' ' || c == '"' || c == '[' || c == ']' || c == '\\' || c == 0x7f {
			return false
		}
	}
	return true
}
