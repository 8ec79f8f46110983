package service

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Of very many unknown settings, only as many are reported as an answer has room for.
func TestManyUnknownSettings(t *testing.T) {
	t.Parallel()
	members := map[string]json.RawMessage{}
	for i := range 5000 {
		members[fmt.Sprintf("k%04d", i)] = json.RawMessage("0")
	}
	r := settingsReader{}
	r.only("body", members, settingNames...)
	r.fault("body", "is odd", nil)
	if len(r.faults) != 100 || r.faults[99].Location != "body.k0099" {
		t.Errorf("%d faults, the last %+v", len(r.faults), r.faults[len(r.faults)-1])
	}
}

func TestStopWordFault(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"inc.": "", "C++": "", "&": "", "don't": "", // as people write them in lists
		"die das": "must be one word", " ": "must be a word of 1 to 200 characters",
	} {
		if got := stopWordFault(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
