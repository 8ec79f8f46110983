package analysis

import (
	"math/big"
	"regexp"
	"strings"
)

var (
	numeric     = regexp.MustCompile(`^\s*[-+]?[0-9]{1,200}(\.[0-9]{0,200})?([eE][-+]?[0-9]{1,2})?\s*$`)
	looksLike   = regexp.MustCompile(`^[-+]?[0-9][0-9 .,'-]*$`)
	otherDigits = regexp.MustCompile(`[^0-9]`)
)

// Digits returns the lexemes of a number: its digits as they are written, and without zeros that say nothing (12.50 is found by 12.50 and by 12.5).
func Digits(s string) []string {
	written := otherDigits.ReplaceAllString(s, "")
	if !numeric.MatchString(s) {
		return nonEmpty(written)
	}
	r, ok := new(big.Rat).SetString(strings.TrimSpace(s))
	if !ok {
		return nonEmpty(written)
	}
	plain := r.FloatString(300)
	plain = strings.TrimSuffix(strings.TrimRight(plain, "0"), ".")
	if plain = otherDigits.ReplaceAllString(plain, ""); plain == written {
		return nonEmpty(written)
	}
	return nonEmpty(written, plain)
}
