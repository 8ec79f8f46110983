package filter

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold is a stand-in for analysis.Fold.
var fold = func(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(s)))
}
