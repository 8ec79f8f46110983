package document

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/decimal"
)

// faults is a set of faults in well-formed JSON. The scanner only records that there are some: a second pass, which
// valid documents never need, finds where they are and what to report.
type faults uint8

const (
	faultNUL       faults = 1 << iota // \u0000 in a string
	faultSurrogate                    // half of a surrogate pair in a string
	faultNumber                       // a number outside numeric
	faultExpansion                    // numbers that are written short but are very long
	faultLevels                       // nested too deeply
	faultName                         // a reserved property name
	faultValue                        // a value that does not fit its property
)

// maxExpansion is how many bytes longer a document may become when PostgreSQL writes its numbers out
// (1e131071 is 131,072 digits). Without a limit, a document of 1 MB could come back as 10 GB.
const maxExpansion = 1 << 20

// scanner reads JSON from left to right, checking it as it goes. Its methods return false at the first syntax error, which is then in err.
type scanner struct {
	data     []byte
	pos      int
	err      *SyntaxError
	faults   faults
	expanded int
	// escaped reports whether the string read last has a backslash in it.
	escaped bool
	stack   []byte   // the open containers within skip, '{' or '['
	nested  *located // where containers end, to skip them in one step; nil if that is not known
	nameAt  span     // the place of the name that named read last, with its quotes
	name    []byte   // scratch: the name read last, if it had escapes
	path    []byte   // scratch: a dotted path
}

func newScanner(data []byte) *scanner { return &scanner{data: data} }

// begin checks the body as a whole, and what stands before its first value.
func (s *scanner) begin() bool {
	if !utf8.Valid(s.data) {
		offset := 0
		for {
			r, n := utf8.DecodeRune(s.data[offset:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			offset += n
		}
		s.pos = offset
		return s.fail("text is not valid UTF-8")
	}
	s.space()
	if s.pos == len(s.data) {
		s.err = syntaxError(s.data, s.pos, "the body is empty: JSON is needed")
		return false
	}
	if s.pos == 0 && len(s.data) >= 3 && string(s.data[:3]) == "\ufeff" {
		return s.fail("the body begins with a byte order mark: omit it")
	}
	return true
}

// end checks that nothing follows.
func (s *scanner) end() bool {
	s.space()
	if s.pos < len(s.data) {
		return s.fail("nothing may follow the end of the JSON")
	}
	return true
}

func (s *scanner) fail(message string) bool {
	if s.err == nil {
		if s.pos >= len(s.data) {
			message = "the JSON ends too early: " + message
		}
		s.err = syntaxError(s.data, s.pos, message)
	}
	return false
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not space, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) && s.data[s.pos] > ' ' {
		return s.data[s.pos]
	}
	s.space()
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// skip reads one value of any kind. level is the level of the value if it is a container. It does not
// recurse, so no nesting is too deep for it.
func (s *scanner) skip(level int) bool {
	s.stack = s.stack[:0]
	for {
		switch c := s.peek(); c {
		case '{', '[':
			if s.nested != nil {
				s.pos = s.nested.end(s.pos)
				return true
			}
			if level+len(s.stack) > MaxLevels {
				s.faults |= faultLevels
			}
			s.pos++
			if s.peek() == c+2 { // in ASCII, } is { + 2 and ] is [ + 2
				s.pos++
				break
			}
			s.stack = append(s.stack, c)
			if c == '{' && !s.key() {
				return false
			}
			continue
		default:
			if !s.scalar(c) {
				return false
			}
		}
		for {
			if len(s.stack) == 0 {
				return true
			}
			container := s.stack[len(s.stack)-1]
			more, ok := s.next(container + 2)
			if !ok {
				return false
			}
			if more {
				if container == '{' && !s.key() {
					return false
				}
				break
			}
			s.stack = s.stack[:len(s.stack)-1]
		}
	}
}

// next reads what follows a member or an element: a comma (more) or closing.
func (s *scanner) next(closing byte) (more, ok bool) {
	switch s.peek() {
	case ',':
		s.pos++
		return true, true
	case closing:
		s.pos++
		return false, true
	}
	if closing == '}' {
		return false, s.fail("a comma or } must follow here")
	}
	return false, s.fail("a comma or ] must follow here")
}

// key reads the name of a member and the colon.
func (s *scanner) key() bool {
	if s.peek() != '"' {
		return s.fail("the name of a property, in double quotes, must stand here")
	}
	return s.str() && s.colon()
}

func (s *scanner) colon() bool {
	if s.peek() != ':' {
		return s.fail("a colon must follow the name of a property")
	}
	s.pos++
	return true
}

// named reads the name of a member and the colon, and returns the name without its escapes. The result is
// valid until the next call.
func (s *scanner) named() ([]byte, bool) {
	if s.peek() != '"' {
		return nil, s.fail("the name of a property, in double quotes, must stand here")
	}
	start := s.pos
	if !s.str() {
		return nil, false
	}
	s.nameAt = span{start, s.pos}
	name := s.data[start+1 : s.pos-1]
	if s.escaped {
		s.name = unescape(s.name[:0], name)
		name = s.name
	}
	return name, s.colon()
}

// scalar reads a string, a number, true, false or null, which begins with c at the current place.
func (s *scanner) scalar(c byte) bool {
	switch {
	case c == '"':
		return s.str()
	case c == '-' || decimal.IsDigit(c):
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	}
	return s.fail("a value must stand here")
}

func (s *scanner) literal(word string) bool {
	end := s.pos + len(word)
	if end > len(s.data) || string(s.data[s.pos:end]) != word {
		return s.fail("a value must stand here: a word without quotes can only be true, false or null")
	}
	s.pos = end
	return true
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// special marks, with its high bit, the first byte of w (from the lowest) that ends the plain run of a
// string: a quote, a backslash or a control character. Bytes above the first may be marked wrongly.
// Source: Bit Twiddling Hacks, "Determine if a word has a zero byte" and "… a byte less than n".
func special(w uint64) uint64 {
	quote := w ^ everyByte*'"'
	slash := w ^ everyByte*'\\'
	return ((quote-everyByte)&^quote | (slash-everyByte)&^slash | (w-everyByte*' ')&^w) & highBits
}

// str reads a string, which begins at the current place.
func (s *scanner) str() bool {
	data, i := s.data, s.pos+1
	s.escaped = false
	for {
		for i+8 <= len(data) {
			if m := special(binary.LittleEndian.Uint64(data[i:])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(data) {
			s.pos = len(data)
			return s.fail("a string has no closing quote")
		}
		switch c := data[i]; {
		case c == '"':
			s.pos = i + 1
			return true
		case c == '\\':
			s.pos = i
			if !s.escape() {
				return false
			}
			i = s.pos
		case c < ' ':
			s.pos = i
			return s.fail("a control character in a string must be written as an escape (\\n, \\t, \\u0007)")
		default:
			i++ // within the last seven bytes
		}
	}
}

// escape reads one escape, or two if they are a surrogate pair.
func (s *scanner) escape() bool {
	s.escaped = true
	if s.pos+1 >= len(s.data) {
		s.pos = len(s.data)
		return s.fail("a string has no closing quote")
	}
	switch s.data[s.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos += 2
		return true
	case 'u':
	default:
		return s.fail("a backslash in a string must be followed by one of \" \\ / b f n r t u")
	}
	unit, ok := hex4(s.data[s.pos+2:])
	if !ok {
		return s.fail("\\u must be followed by four hexadecimal digits")
	}
	s.pos += 6
	switch {
	case unit == 0:
		s.faults |= faultNUL
	case isLow(unit):
		s.faults |= faultSurrogate
	case isHigh(unit):
		if low, ok := followingLow(s.data[s.pos:]); ok && isLow(low) {
			s.pos += 6
		} else {
			s.faults |= faultSurrogate
		}
	}
	return true
}

// number reads a number, which begins at the current place.
func (s *scanner) number() bool {
	data, start, i := s.data, s.pos, s.pos
	if data[i] == '-' {
		i++
	}
	whole := i
	for i < len(data) && decimal.IsDigit(data[i]) {
		i++
	}
	if i == whole {
		s.pos = i
		return s.fail("a digit must follow the minus sign")
	}
	if data[whole] == '0' && i > whole+1 {
		return s.fail("a number must not begin with 0")
	}
	if i < len(data) && data[i] == '.' {
		i++
		fraction := i
		for i < len(data) && decimal.IsDigit(data[i]) {
			i++
		}
		if i == fraction {
			s.pos = i
			return s.fail("a digit must follow the decimal point")
		}
	}
	exponent := i < len(data) && data[i]|0x20 == 'e'
	if exponent {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		digits := i
		for i < len(data) && decimal.IsDigit(data[i]) {
			i++
		}
		if i == digits {
			s.pos = i
			return s.fail("a digit must follow the exponent sign")
		}
	}
	s.pos = i
	if exponent || i-start > decimal.MaxFractionDigits {
		s.checkNumber(data[start:i])
	}
	return true
}

// checkNumber records a number that PostgreSQL cannot store, or that has too many digits when written out.
func (s *scanner) checkNumber(raw []byte) {
	d, _ := decimal.Parse(raw)
	if !d.Storable() {
		s.faults |= faultNumber
		return
	}
	if s.expanded += max(0, d.Written()-len(raw)); s.expanded > maxExpansion {
		s.faults |= faultExpansion
	}
}

// members reads the object at the current place and calls value at each of its values; value must read it.
func (s *scanner) members(value func(name []byte) bool) bool {
	s.pos++
	if s.peek() == '}' {
		s.pos++
		return true
	}
	for {
		name, ok := s.named()
		if !ok {
			return false
		}
		if s.peek(); !value(name) {
			return false
		}
		if more, ok := s.next('}'); !more || !ok {
			return ok
		}
	}
}

// elements reads the array at the current place and calls element at each of its elements; element must read it.
func (s *scanner) elements(element func() bool) bool {
	s.pos++
	if s.peek() == ']' {
		s.pos++
		return true
	}
	for {
		if s.peek(); !element() {
			return false
		}
		if more, ok := s.next(']'); !more || !ok {
			return ok
		}
	}
}
