package document_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service/document"
)

func TestPatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body, patch, want string
		changed           bool
	}{
		{`{"a":1,"b":2}`, `{}`, `{"a":1,"b":2}`, false},
		{`{"a": 1.0, "b":2}`, `{"a":1.00}`, `{"a": 1.0, "b":2}`, false},
		{`{"a":100}`, `{"a":1e2}`, `{"a":100}`, false},
		{`{"b":2, "a": 12345678901234567890}`, `{"b":3}`, `{"b":3,"a":12345678901234567890}`, true},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567891}`, `{"a":12345678901234567891}`, true},
		{`{"a":{"x":1,"y":2}}`, `{"a":{"x":1}}`, `{"a":{"x":1}}`, true},
		{`{"a":{"x":1,"y":[1,"é"]}}`, `{"a":{"y":[1.0,"\u00e9"],"x":1}}`, `{"a":{"x":1,"y":[1,"é"]}}`, false},
		{`{"a":1}`, `{"a":null}`, `{"a":null}`, true},
		{`{"a":1}`, `{"b":null}`, `{"a":1,"b":null}`, true},
		{`{"a":null}`, `{"a":null}`, `{"a":null}`, false},
		{`{"a":1}`, `{"a":2,"a":1}`, `{"a":1}`, false},
		{`{"a":1}`, `{"\u0061":2}`, `{"\u0061":2}`, true},
		{`{"a":1,"a":3}`, `{"b":2}`, `{"a":3,"b":2}`, true},
		{`{"a":"1"}`, `{"a":1}`, `{"a":1}`, true},
		{`{}`, `{"boost":2}`, `{"boost":2}`, true},
	}
	for _, test := range tests {
		got, changed := document.Patch([]byte(test.body), []byte(test.patch))
		if string(got) != test.want || changed != test.changed {
			t.Errorf("%s + %s = %s, %v; want %s, %v", test.body, test.patch, got, changed, test.want, test.changed)
		}
	}
}

// The cases are those of RFC 7396, appendix A, that have an object as their patch, and some more.
func TestMerge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body, patch, want string
		changed           bool
	}{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`, true},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`, true},
		{`{"a":"b"}`, `{"a":null}`, `{}`, true},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`, true},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`, true},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`, true},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`, true},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`, true},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`, true},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`, true},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`, true},
		{`{"a":[null]}`, `{"b":[null]}`, `{"a":[null],"b":[null]}`, true},
		{`{"a": 1, "b":{"c":2.50}}`, `{"b":{"c":2.5,"d":null}}`, `{"a": 1, "b":{"c":2.50}}`, false},
		{`{"a":1}`, `{"x":null}`, `{"a":1}`, false},
		{`{"a":1}`, `{"a":null,"a":2}`, `{"a":2}`, true},
		{`{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"This will be unchanged"}`,
			`{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}`,
			`{"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"content":"This will be unchanged","phoneNumber":"+01-123-456-7890"}`, true},
	}
	for _, test := range tests {
		got, changed := document.Merge([]byte(test.body), []byte(test.patch))
		if string(got) != test.want || changed != test.changed {
			t.Errorf("%s + %s = %s, %v; want %s, %v", test.body, test.patch, got, changed, test.want, test.changed)
		}
	}
}

func TestMergeOfManyMembers(t *testing.T) {
	t.Parallel()
	var body, remove []string
	for i := range 1000 {
		body = append(body, fmt.Sprintf(`"f%d":%d`, i, i))
		if i != 7 {
			remove = append(remove, fmt.Sprintf(`"f%d":null`, i))
		}
	}
	got, changed := document.Merge([]byte("{"+strings.Join(body, ",")+"}"), []byte("{"+strings.Join(remove, ",")+"}"))
	if string(got) != `{"f7":7}` || !changed {
		t.Errorf("%s, %v", got, changed)
	}
}

// Deeply nested objects take about as long as the same objects side by side: they are not read again at each level.
func TestDeepDocumentsTakeNoLonger(t *testing.T) { // not parallel: it measures time
	var members []string
	for i := range 10_000 {
		members = append(members, fmt.Sprintf(`"f%d": [%d]`, i, i))
	}
	const levels = 150
	within := func(open, inner, end string) json.RawMessage {
		return json.RawMessage(strings.Repeat(open, levels) + inner + strings.Repeat(end, levels))
	}
	flat, other := "{"+strings.Join(members, ", ")+"}", "{"+strings.Join(members, ",")+"}"
	deep, deepPatch := within(`{"a": `, flat, "}"), within(`{"a":`, `{"f1":2}`, "}")
	took := func(do func()) time.Duration {
		least := time.Hour
		for range 3 {
			began := time.Now()
			do()
			least = min(least, time.Since(began))
		}
		return least
	}
	merged, _ := document.Merge(deep, deepPatch)
	if want, _ := document.Merge([]byte(flat), []byte(`{"f1":2}`)); !document.Equal(merged, within(`{"a":`, string(want), "}")) {
		t.Errorf("%.300s", merged)
	}
	once := took(func() { document.Equal([]byte(flat), []byte(other)) })
	for name, do := range map[string]func(){
		"a merge":             func() { document.Merge(deep, deepPatch) },
		"a large merge":       func() { document.Merge(deep, within(`{"a":`, other, "}")) },
		"objects":             func() { document.Equal(deep, within(`{"a":`, other, "}")) },
		"objects in arrays":   func() { document.Equal(within("[", flat, "]"), within("[", other, "]")) },
		"a patch that is old": func() { document.Patch(deep, within(`{"a":`, other, "}")) },
	} {
		if got := took(do); got > 10*once {
			t.Errorf("%s takes %s, and what is not nested %s", name, got, once)
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	// Values in one class are equal, values of two are not.
	classes := [][]string{
		{`1`, `1.0`, ` 1.00 `, `10e-1`, `0.1E1`, `1e0`},
		{`-1`, `-1.0`},
		{`0`, `-0`, `0.000`, `0e5`, `-0e-3`},
		{`1000`, `1e3`},
		{`1e131071`, `10e131070`},
		{`1.0000000000000000000001`},
		{`"1"`, `"\u0031"`},
		{`""`}, {`null`}, {`true`}, {`false`}, {`[]`}, {`{}`}, {`[null]`}, {`[1,2]`, `[ 1.0 , 2 ]`}, {`[2,1]`},
		{`{"a":1,"b":[true]}`, `{"b":[true],"a":1.0}`, `{"b":0,"\u0061":1,"b":[true]}`},
		{`{"a":1}`}, {`{"a":1,"b":null}`}, {`{"a":1,"c":null}`},
		{`"\ud83d\ude00"`, `"😀"`}, {`"a/b"`, `"a\/b"`}, {`"\\n"`}, {`"\n"`, `"\u000a"`},
	}
	for i, class := range classes {
		for j, other := range classes {
			for _, a := range class {
				for _, b := range other {
					if document.Equal(json.RawMessage(a), json.RawMessage(b)) != (i == j) {
						t.Errorf("Equal(%s, %s) = %v", a, b, i != j)
					}
				}
			}
		}
	}
}
