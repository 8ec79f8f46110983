package store

import "testing"

func TestOutdated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		formula string
		want    bool
	}{{"3 x", false}, {"3 y", true}, {"2 x", true}, {"4 z", false}, {"", true}} {
		if got := outdated(test.formula, "3 x"); got != test.want {
			t.Errorf("%q: %t", test.formula, got)
		}
	}
}
