package store

import "testing"

func TestOutdated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		formula string
		want    bool
	}{{"4 x", false}, {"4 y", true}, {"3 x", true}, {"5 z", false}, {"", true}} {
		if got := outdated(test.formula, "4 x"); got != test.want {
			t.Errorf("%q: %t", test.formula, got)
		}
	}
}
