package store

import (
	"fmt"
	"testing"
)

func TestOutdated(t *testing.T) {
	t.Parallel()
	of := func(version int, fields string) string { return fmt.Sprint(version, " ", fields) }
	for formula, want := range map[string]bool{of(formulaVersion, "x"): false, of(formulaVersion, "y"): true, of(formulaVersion-1, "x"): true, of(formulaVersion+1, "z"): false, "": true} {
		if got := outdated(formula, of(formulaVersion, "x")); got != want {
			t.Errorf("%q: %t", formula, got)
		}
	}
}
