package decimal

import (
	"errors"
	"strconv"
	"strings"
)

// The errors of Canonical.
var (
	ErrSyntax = errors.New("not a number")
	ErrRange  = errors.New("number out of range")
)

// Canonical reads a number as Parse does and returns its canonical spelling: no plus sign, no leading or trailing zeros,
// and no exponent unless it saves more than 40 zeros. All spellings of one value give the same text, and PostgreSQL reads
// it as numeric. The error is ErrSyntax, or ErrRange for values outside the range of numeric.
func Canonical(text string) (string, error) {
	d, ok := Parse([]byte(text))
	switch {
	case !ok:
		return "", ErrSyntax
	case len(d.digits) == 0:
		return "0", nil
	case d.point > maxWholeDigits || len(d.digits)-d.point > MaxFractionDigits:
		return "", ErrRange
	case d.negative:
		return "-" + d.magnitude(), nil
	}
	return d.magnitude(), nil
}

// magnitude returns the canonical spelling of the number without its sign.
func (d Number) magnitude() string {
	const zeros = 40
	digits := string(d.digits)
	switch exp := d.point - len(digits); {
	case exp > zeros || d.point < -zeros:
		return digits + "e" + strconv.Itoa(exp)
	case exp >= 0:
		return digits + strings.Repeat("0", exp)
	case d.point > 0:
		return digits[:d.point] + "." + digits[d.point:]
	default:
		return "0." + strings.Repeat("0", -d.point) + digits
	}
}
