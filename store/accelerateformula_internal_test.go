package store

import "testing"

func TestOutdated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		formula string
		want    bool
	}{{"5 x", false}, {"5 y", true}, {"4 x", true}, {"6 z", false}, {"", true}} {
		if got := outdated(test.formula, "5 x"); got != test.want {
			t.Errorf("%q: %t", test.formula, got)
		}
	}
}
