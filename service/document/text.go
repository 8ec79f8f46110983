package document

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/decimal"
)

// unescape appends to dst the characters for which the inside of a well-formed JSON string stands. Half a surrogate pair becomes U+FFFD.
func unescape(dst, inside []byte) []byte {
	for {
		n := bytes.IndexByte(inside, '\\')
		if n < 0 {
			return append(dst, inside...)
		}
		dst = append(dst, inside[:n]...)
		c := inside[n+1]
		inside = inside[n+2:]
		switch c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			unit, _ := hex4(inside)
			inside = inside[4:]
			if low, ok := followingLow(inside); ok && isHigh(unit) && isLow(low) {
				unit = utf16.DecodeRune(unit, low)
				inside = inside[6:]
			}
			dst = utf8.AppendRune(dst, unit) // U+FFFD for a surrogate
		default: // a quote, a backslash or a slash stands for itself
			dst = append(dst, c)
		}
	}
}

// text returns the content of a well-formed JSON string; raw includes its quotes.
func text(raw []byte) []byte {
	inside := raw[1 : len(raw)-1]
	if bytes.IndexByte(inside, '\\') >= 0 {
		return unescape(make([]byte, 0, len(inside)), inside)
	}
	return inside
}

func isHigh(unit rune) bool { return unit >= 0xd800 && unit < 0xdc00 }
func isLow(unit rune) bool  { return unit >= 0xdc00 && unit < 0xe000 }

// followingLow reads the escape of a UTF-16 unit (\u and four digits) at the beginning of data, if there is one.
func followingLow(data []byte) (rune, bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	return hex4(data[2:])
}

func hex4(data []byte) (rune, bool) {
	if len(data) < 4 {
		return 0, false
	}
	var unit rune
	for _, c := range data[:4] {
		switch {
		case decimal.IsDigit(c):
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | rune(c)
	}
	return unit, true
}
