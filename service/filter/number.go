package filter

import (
	"errors"
	"strconv"
	"strings"
)

// The range of PostgreSQL's numeric: digits before and after the decimal point.
const (
	maxIntegerDigits  = 131072
	maxFractionDigits = 16383
)

var (
	errNotNumber   = errors.New("not a number")
	errNumberRange = errors.New("number out of range")
)

// ParseNumber reads a decimal number (-12, 0.10, .5, 1e3) and returns its canonical spelling: no plus sign, no leading or
// trailing zeros, and no exponent unless it saves more than 40 zeros. All spellings of one value give the same text, and
// PostgreSQL reads it as numeric. A large exponent costs nothing: numbers outside the range of PostgreSQL's numeric are an error.
func ParseNumber(s string) (string, error) {
	digits, exp, negative, err := splitNumber(s)
	if err != nil {
		return "", err
	}
	if digits == "" {
		return "0", nil
	}
	if len(digits)+exp > maxIntegerDigits || exp < -maxFractionDigits {
		return "", errNumberRange
	}
	text := plainNumber(digits, exp)
	if negative {
		text = "-" + text
	}
	return text, nil
}

// splitNumber takes a number apart: its value is digits × 10^exp, with no zeros at either end of digits.
func splitNumber(s string) (digits string, exp int, negative bool, err error) {
	rest := s
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		negative, rest = rest[0] == '-', rest[1:]
	}
	mantissa := rest
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa = rest[:i]
		if exp, err = parseExponent(rest[i+1:]); err != nil {
			return "", 0, false, err
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !allDigits(whole) || !allDigits(fraction) || whole == "" && fraction == "" {
		return "", 0, false, errNotNumber
	}
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	exp += len(digits) - len(trimmed) - len(fraction)
	return trimmed, exp, negative, nil
}

// parseExponent reads an exponent. It returns ±2^30, far outside any accepted range, for larger ones.
func parseExponent(s string) (int, error) {
	const most = 1 << 30
	sign := 1
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if s == "" || !allDigits(s) {
		return 0, errNotNumber
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > most {
		n = most
	}
	return sign * n, nil
}

func allDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

func plainNumber(digits string, exp int) string {
	const zeros = 40
	switch point := len(digits) + exp; {
	case exp > zeros || point < -zeros:
		return digits + "e" + strconv.Itoa(exp)
	case exp >= 0:
		return digits + strings.Repeat("0", exp)
	case point > 0:
		return digits[:point] + "." + digits[point:]
	default:
		return "0." + strings.Repeat("0", -point) + digits
	}
}
