package service

import (
	"strings"
	"testing"
)

func TestNamePattern(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		fits          bool
	}{
		{"films", "films", true}, {"films", "Films", false}, {"film", "films", false},
		{"f*", "films", true}, {"*s", "films", true}, {"f**m?", "films", true}, {"*", "films", true}, {"f?m", "films", false},
		{"f.*", "films", false}, {`f\*`, "films", false}, {"[f]*", "films", false},
	} {
		pattern, err := namePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := pattern.MatchString(c.name); got != c.fits {
			t.Errorf("%s fits %s: %t", c.pattern, c.name, got)
		}
	}
	// An address may have 60,000 stars, and an application thousands of indices.
	many, err := namePattern(strings.Repeat("*", 60_000) + "s")
	if err != nil {
		t.Fatal(err)
	}
	one, err := namePattern("*s")
	if err != nil || many.String() != one.String() {
		t.Errorf("many stars are %.80s, want what one is", many)
	}
}
