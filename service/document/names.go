package document

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/rowansearch/rowan/service/decimal"
)

const (
	maxIDBytes         = 512
	maxIndexName       = 60
	maxApplicationName = 40
)

// NewID returns an _id for a document that was sent without one: a UUID of version 7, so that the ids of documents
// that are stored one after the other are next to each other in the table.
func NewID() string {
	return uuid.Must(uuid.NewV7()).String() // fails only when the system has no random numbers, as crypto/rand does
}

// CheckID returns what is wrong with the _id of a document: it must have 1 to 512 bytes of UTF-8 without control
// characters, and must be neither "." nor "..", which no client can put into a path.
func CheckID(id string) error {
	switch {
	case id == "":
		return errors.New("must not be empty")
	case len(id) > maxIDBytes:
		return fmt.Errorf("must have at most %d bytes; it has %d", maxIDBytes, len(id))
	case id == "." || id == "..":
		return errors.New(`must not be "." or "..": clients cannot put these into a path`)
	case !utf8.ValidString(id):
		return errors.New("must be valid UTF-8")
	case hasControl(id):
		return errors.New("must not contain control characters")
	}
	return nil
}

// CheckProperty returns what is wrong with the name of a top-level property of a document.
func CheckProperty(name string) error {
	switch {
	case strings.ContainsRune(name, 0):
		return errors.New(messageNUL)
	case classify([]byte(name)) == propertyReserved:
		return errors.New(messageName)
	}
	return nil
}

func hasControl(text string) bool {
	for _, r := range text {
		if unicode.IsControl(r) {
			return true
		}
	}
	return false
}

// CheckIndexName returns what is wrong with the name of an index or a search: it must have 1 to 60 characters of
// a-z A-Z 0-9 _ -, and must not begin with _ or -.
func CheckIndexName(name string) error {
	valid := len(name) >= 1 && len(name) <= maxIndexName && name[0] != '_' && name[0] != '-'
	for i := range len(name) {
		valid = valid && (isAlphanumeric(name[i]) || name[i] >= 'A' && name[i] <= 'Z' || name[i] == '_' || name[i] == '-')
	}
	if !valid {
		return fmt.Errorf("must have 1 to %d characters of a-z A-Z 0-9 _ - and begin with a letter or digit", maxIndexName)
	}
	return nil
}

// CheckApplicationID returns what is wrong with the id of an application: it must have 1 to 40 characters of a-z
// 0-9 -, begin and end with a letter or digit, and not end in -a, -b or -c, which name the hosts of the replicas.
func CheckApplicationID(id string) error {
	n := len(id)
	valid := n >= 1 && n <= maxApplicationName && id[0] != '-' && id[n-1] != '-'
	for i := range n {
		valid = valid && (isAlphanumeric(id[i]) || id[i] == '-')
	}
	if !valid {
		return fmt.Errorf("must have 1 to %d characters of a-z 0-9 - and begin and end with a letter or digit", maxApplicationName)
	}
	if n > 2 && id[n-2] == '-' && id[n-1] >= 'a' && id[n-1] <= 'c' {
		return errors.New("must not end in -a, -b or -c: these name the hosts of the replicas")
	}
	return nil
}

// isAlphanumeric reports whether c is one of a-z and 0-9.
func isAlphanumeric(c byte) bool { return decimal.IsDigit(c) || c >= 'a' && c <= 'z' }
