package store

import (
	"fmt"
	"testing"
)

func TestFormula(t *testing.T) {
	t.Parallel()
	of := func(version int, fields string) formula { return formula(fmt.Sprint(version, " ", fields)) }
	type is struct{ readable, newer bool }
	for f, want := range map[formula]is{
		of(formulaVersion, `"x"`):      {true, false},
		of(formulaVersion, `"y"`):      {false, false},
		of(readableSince, `"x"`):       {true, false},
		of(readableSince-1, `"x"`):     {false, false},
		of(formulaVersion+1, `"x"`):    {false, true},
		of(formulaVersion, ""):         {false, false},
		"":                             {false, false},
		"what no server has written":   {false, false},
		formulaOf(nil):                 {false, false},
		formula(`-1 "x"`):              {false, false},
		of(formulaVersion, `"x" "y"`):  {false, false},
		of(readableSince-1, `"x" "y"`): {false, false},
	} {
		if got := (is{f.readable(of(formulaVersion, `"x"`)), f.newer()}); got != want {
			t.Errorf("%q: %+v", f, got)
		}
	}
}
