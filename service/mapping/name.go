package mapping

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of the name of a field, mapped or not: a property without a mapping is looked up at each dot of its name, in each document.
const (
	MaxNameLength = 512 // characters
	MaxNameParts  = 50  // parts that dots separate
)

// NameFault returns what is wrong with the size of a field's name; "" if nothing is.
func NameFault(name string) string {
	switch {
	case utf8.RuneCountInString(name) > MaxNameLength:
		return fmt.Sprintf("must have at most %d characters", MaxNameLength)
	case strings.Count(name, ".") >= MaxNameParts:
		return fmt.Sprintf("must have at most %d names separated by dots", MaxNameParts)
	}
	return ""
}
