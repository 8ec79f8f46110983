package document_test

import (
	"encoding/json"
	"testing"

	"github.com/rowansearch/rowan/service/document"
)

func TestAt(t *testing.T) {
	t.Parallel()
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(`{"a":1,"b":{"c":{"d":2},"c.e":3,"none":null},"b.c":{"f":4},"l":{"m.n":8},"l.m":{"n":9},"x.y":5,"x":{"y":6},"list":[{"z":7}]}`), &object); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a": "1", "b.c.d": "2", "b.c.e": "3", "b.c.f": "4", "b.none": "null", "l.m.n": "9", "x.y": "5", "a.b": "", "list.z": "", "nothing": "", "": "", ".": "",
	} {
		if got := string(document.At(object, path)); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}
