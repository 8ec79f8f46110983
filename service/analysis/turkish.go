package analysis

import "strings"

// harmonious reports whether the first vowel of a Turkish ending may follow the last one of a stem. Folded, an i may be an ı, o and u may be ö and ü.
func harmonious(stem, ending string) bool {
	const vowels = "aeiou"
	last, first := strings.LastIndexAny(stem, vowels), strings.IndexAny(ending, vowels)
	if last < 0 || first < 0 {
		return true
	}
	switch ending[first] {
	case 'a':
		return stem[last] != 'e'
	case 'e':
		return stem[last] != 'a'
	case 'i':
		return strings.IndexByte("aei", stem[last]) >= 0
	default:
		return strings.IndexByte("ou", stem[last]) >= 0
	}
}
