package document

import (
	"bytes"
	"math"
)

// The limits of PostgreSQL's numeric, which holds the numbers of jsonb
// (https://www.postgresql.org/docs/15/datatype-numeric.html), and of the exponent that it reads.
const (
	maxWholeDigits    = 131_072
	maxFractionDigits = 16_383
	maxExponent       = math.MaxInt32/2 - 1
)

// decimal is a number taken apart without computing it: 0.digits × 10^point.
type decimal struct {
	negative bool
	// digits has neither leading nor trailing zeros; it is empty for zero.
	digits []byte
	point  int
	// scale is how many digits follow the point if the number is written without an exponent, including trailing zeros, as numeric keeps them.
	scale    int
	exponent int
}

// parseDecimal reads an optional sign, digits with an optional point and an optional exponent; ok reports whether
// raw is just that. It accepts what JSON does, and also "+5", "007", ".5" and "5.", as PostgreSQL does in strings.
func parseDecimal(raw []byte) (d decimal, ok bool) {
	if len(raw) > 0 && (raw[0] == '-' || raw[0] == '+') {
		d.negative = raw[0] == '-'
		raw = raw[1:]
	}
	n := countDigits(raw)
	whole, rest := raw[:n], raw[n:]
	var fraction []byte
	if len(rest) > 0 && rest[0] == '.' {
		n = countDigits(rest[1:])
		fraction, rest = rest[1:1+n], rest[1+n:]
	}
	if len(whole)+len(fraction) == 0 {
		return d, false
	}
	if len(rest) > 0 {
		if d.exponent, ok = parseExponent(rest); !ok {
			return d, false
		}
	}
	all := whole
	if len(fraction) > 0 {
		all = append(append(make([]byte, 0, len(whole)+len(fraction)), whole...), fraction...)
	}
	significant := bytes.TrimLeft(all, "0")
	if d.digits = bytes.TrimRight(significant, "0"); len(d.digits) > 0 {
		d.point = len(whole) - (len(all) - len(significant)) + d.exponent
	}
	d.scale = max(0, len(fraction)-d.exponent)
	return d, true
}

func countDigits(raw []byte) int {
	n := 0
	for n < len(raw) && isDigit(raw[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// parseExponent reads e, an optional sign and digits. It caps exponents at a value that is still too large for anything.
func parseExponent(raw []byte) (int, bool) {
	if raw[0]|0x20 != 'e' {
		return 0, false
	}
	raw = raw[1:]
	negative := false
	if len(raw) > 0 && (raw[0] == '-' || raw[0] == '+') {
		negative = raw[0] == '-'
		raw = raw[1:]
	}
	if len(raw) == 0 || countDigits(raw) != len(raw) {
		return 0, false
	}
	exponent := 0
	for _, c := range raw {
		exponent = min(exponent*10+int(c-'0'), 2*maxExponent)
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

// storable reports whether PostgreSQL's numeric can hold the number.
func (d decimal) storable() bool {
	return d.point <= maxWholeDigits && d.scale <= maxFractionDigits && d.exponent <= maxExponent // if it is far below zero, the scale is too large
}

// written returns how many digits the number has when PostgreSQL writes it, without an exponent.
func (d decimal) written() int { return max(d.point, 1) + d.scale }

// equal reports whether two numbers have the same value: 1, 1.00 and 10e-1 do.
func (d decimal) equal(e decimal) bool {
	return bytes.Equal(d.digits, e.digits) && d.point == e.point && (d.negative == e.negative || len(d.digits) == 0)
}

// whole reports whether the number is whole and fits in a signed integer of that many bits. 1.0 and 1e2 are whole.
func (d decimal) whole(bits int) bool {
	if len(d.digits) == 0 {
		return true
	}
	if len(d.digits) > d.point || d.point > 19 {
		return false
	}
	var v uint64 // 19 digits always fit
	for i := range d.point {
		v *= 10
		if i < len(d.digits) {
			v += uint64(d.digits[i] - '0')
		}
	}
	limit := uint64(1) << (bits - 1)
	if d.negative {
		return v <= limit
	}
	return v < limit
}

// The largest double, as it is written, which is also the limit of rowan.to_float: 0.largestDouble × 10^doublePoint.
const largestDouble, doublePoint = "17976931348623157", 309

// finite reports whether the number is within the range of doubles.
func (d decimal) finite() bool {
	return d.point < doublePoint || d.point == doublePoint && string(d.digits) <= largestDouble
}

// inBoostRange reports whether the number is greater than 0 and at most 1000.
func (d decimal) inBoostRange() bool {
	if d.negative || len(d.digits) == 0 {
		return false
	}
	return d.point <= 3 || d.point == 4 && len(d.digits) == 1 && d.digits[0] == '1'
}
