package document_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/document"
)

func TestEachElement(t *testing.T) {
	t.Parallel()
	for array, want := range map[string][]string{
		"[]":                         nil,
		" [ ] ":                      nil,
		"[1]":                        {"1"},
		" [ 1 , [2,3] ,{\"a\":[]}] ": {"1", "[2,3]", `{"a":[]}`},
		`["],[", "\"", null,[[]]]`:   {`"],["`, `"\""`, "null", "[[]]"},
	} {
		var got []string
		document.EachElement(json.RawMessage(array), func(element json.RawMessage) { got = append(got, string(element)) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", array, diff)
		}
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	members, more := document.Members(json.RawMessage(` { "a" : 1 , "\u0062": {"a":2}, "a":[3]} `))
	if diff := cmp.Diff(map[string]json.RawMessage{"a": json.RawMessage("[3]"), "b": json.RawMessage(`{"a":2}`)}, members); diff != "" || more != 0 {
		t.Errorf("%d more (-want +got):\n%s", more, diff)
	}
	var many []string
	for i := range 1005 {
		many = append(many, fmt.Sprintf(`"%d":1`, i))
	}
	members, more = document.Members(json.RawMessage("{" + strings.Join(many, ",") + `,"0":2}`))
	if len(members) != 1000 || more != 5 || string(members["0"]) != "2" {
		t.Errorf("%d and %d more; the first is %s", len(members), more, members["0"])
	}
}

// Large values are compared in little memory: otherwise those of several requests at once would take many times their size.
func TestEqualTakesLittleMemory(t *testing.T) { // not parallel: it measures what is allocated
	large := "[" + strings.Repeat("1,", 1<<20)
	for end, want := range map[string]bool{"2]": true, "2.0]": true, "3]": false, "2,2]": false} {
		a, b := json.RawMessage(large+" 2]"), json.RawMessage(large+end)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		equal := document.Equal(a, b)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; equal != want || taken > 1<<20 {
			t.Errorf("%s: %v, %d bytes", end, equal, taken)
		}
	}
}
