// Package decimal reads decimal numbers exactly as they are written, without computing them: in documents, filters and
// queries. So a number may have as many digits as PostgreSQL's numeric has, and an exponent of any size costs nothing.
package decimal

import (
	"bytes"
	"math"
)

// The limits of PostgreSQL's numeric, which holds the numbers of jsonb
// (https://www.postgresql.org/docs/15/datatype-numeric.html): digits before and after the decimal point. maxExponent is
// the greatest exponent that it reads.
const (
	maxWholeDigits    = 131_072
	MaxFractionDigits = 16_383
	maxExponent       = math.MaxInt32/2 - 1
)

// Limits says in words what PostgreSQL's numeric can hold.
const Limits = "at most 131072 digits before and 16383 after the decimal point"

// Number is a number taken apart: 0.digits × 10^point.
type Number struct {
	negative bool
	// digits has neither leading nor trailing zeros; it is empty for zero.
	digits []byte
	point  int
	// scale is how many digits follow the point if the number is written without an exponent, including trailing zeros, as numeric keeps them.
	scale    int
	exponent int
}

// Parse reads an optional sign, digits with an optional point and an optional exponent; ok reports whether
// raw is just that. It accepts what JSON does, and also "+5", "007", ".5" and "5.", as PostgreSQL does in strings.
func Parse(raw []byte) (d Number, ok bool) {
	if len(raw) > 0 && (raw[0] == '-' || raw[0] == '+') {
		d.negative = raw[0] == '-'
		raw = raw[1:]
	}
	n := LeadingDigits(raw)
	whole, rest := raw[:n], raw[n:]
	var fraction []byte
	if len(rest) > 0 && rest[0] == '.' {
		n = LeadingDigits(rest[1:])
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

// LeadingDigits returns with how many ASCII digits raw begins.
func LeadingDigits(raw []byte) int {
	n := 0
	for n < len(raw) && IsDigit(raw[n]) {
		n++
	}
	return n
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return c-'0' <= 9 }

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
	if len(raw) == 0 || LeadingDigits(raw) != len(raw) {
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

// Storable reports whether PostgreSQL's numeric can hold the number as it is written, with its trailing zeros.
func (d Number) Storable() bool {
	return d.point <= maxWholeDigits && d.scale <= MaxFractionDigits && d.exponent <= maxExponent // if it is far below zero, the scale is too large
}

// Written returns how many digits the number has when PostgreSQL writes it, without an exponent.
func (d Number) Written() int { return max(d.point, 1) + d.scale }

// Equal reports whether two numbers have the same value: 1, 1.00 and 10e-1 do.
func (d Number) Equal(e Number) bool {
	return bytes.Equal(d.digits, e.digits) && d.point == e.point && (d.negative == e.negative || len(d.digits) == 0)
}

// Int64 returns the value of a number that is whole and fits into an int64; otherwise ok is false. 1.0 and 1e2 are whole.
func (d Number) Int64() (value int64, ok bool) {
	if len(d.digits) > max(d.point, 0) || d.point > 19 {
		return 0, false
	}
	var v uint64 // 19 digits always fit
	for i := range d.point {
		v *= 10
		if i < len(d.digits) {
			v += uint64(d.digits[i] - '0')
		}
	}
	if d.negative {
		return -int64(v), v <= 1<<63
	}
	return int64(v), v < 1<<63
}

// The largest double, as it is written, which is also the limit of rowan.to_float: 0.largestDouble × 10^doublePoint.
const largestDouble, doublePoint = "17976931348623157", 309

// Finite reports whether the number is within the range of doubles.
func (d Number) Finite() bool {
	return d.point < doublePoint || d.point == doublePoint && string(d.digits) <= largestDouble
}

// Positive reports whether the number is greater than 0.
func (d Number) Positive() bool { return !d.negative && len(d.digits) > 0 }

// AtMostPowerOfTen reports whether the number is not greater than 10^n.
func (d Number) AtMostPowerOfTen(n int) bool {
	return !d.Positive() || d.point <= n || d.point == n+1 && string(d.digits) == "1"
}
