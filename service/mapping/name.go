package mapping

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// What a name of a field may have, mapped or not: a property without a mapping is looked for at each of the dots of its name, in each
// document.
const (
	MaxNameLength = 512 // characters
	MaxNameParts  = 50  // parts that dots separate
)

// NameFault tells what is wrong with the size of a field's name; "" where nothing is.
func NameFault(name string) string {
	switch {
	case utf8.RuneCountInString(name) > MaxNameLength:
		return fmt.Sprintf("must have at most %d characters", MaxNameLength)
	case strings.Count(name, ".") >= MaxNameParts:
		return fmt.Sprintf("must have at most %d names separated by dots", MaxNameParts)
	}
	return ""
}
