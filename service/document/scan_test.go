package document_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// schemaOf makes a schema of "name type" pairs.
func schemaOf(pairs ...string) *document.Schema {
	list := make([]mapping.Mapping, len(pairs))
	for i, p := range pairs {
		name, typ, _ := strings.Cut(p, " ")
		list[i] = mapping.Mapping{Name: name, Type: mapping.Type(typ)}
	}
	return document.NewSchema(list)
}

// places returns the locations of problems.
func places(problems []document.Problem) []string {
	var list []string
	for _, p := range problems {
		list = append(list, p.Location)
	}
	return list
}

func nested(levels int) string {
	return `{"a":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`
}

// objects returns a document with levels objects around a value.
func objects(levels int, value string) string {
	return strings.Repeat(`{"a":`, levels) + value + strings.Repeat("}", levels)
}

func TestScanSyntax(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body         string
		offset       int
		line, column int
		message      string
	}{
		{``, 0, 1, 1, "is empty"},
		{"  \n ", 4, 2, 2, "is empty"},
		{`{`, 1, 1, 2, "ends too early"},
		{`{"a"`, 4, 1, 5, "ends too early"},
		{`{"a":`, 5, 1, 6, "ends too early"},
		{`{"a":1`, 6, 1, 7, "ends too early"},
		{`{"a":1,}`, 7, 1, 8, "name of a property"},
		{`{a:1}`, 1, 1, 2, "name of a property"},
		{`{"a" 1}`, 5, 1, 6, "colon"},
		{`{"a":1 "b":2}`, 7, 1, 8, "comma or }"},
		{`{"a":[1 2]}`, 8, 1, 9, "comma or ]"},
		{`{"z":{"a" 1}}`, 10, 1, 11, "colon"},
		{`{"z":{1:2}}`, 6, 1, 7, "name of a property"},
		{`{"z":{"a":1,}}`, 12, 1, 13, "name of a property"},
		{`{"a\q":1}`, 3, 1, 4, "backslash"},
		{`{"z":{"a\q":1}}`, 8, 1, 9, "backslash"},
		{`{"a":[1,]}`, 8, 1, 9, "a value"},
		{`{"a":}`, 5, 1, 6, "a value"},
		{`{"a":[}`, 6, 1, 7, "a value"},
		{`{"a":[1}`, 7, 1, 8, "comma or ]"},
		{`{} x`, 3, 1, 4, "follow the end"},
		{`[] x`, 3, 1, 4, "follow the end"},
		{"{\"a\":\"\ufffd\xff\"}", 9, 1, 8, "not valid UTF-8"},
		{`{}{}`, 2, 1, 3, "follow the end"},
		{"{\n\"ä\": tru}", 8, 2, 6, "true, false or null"},
		{`{"a":nul`, 5, 1, 6, "true, false or null"},
		{`{"a":True}`, 5, 1, 6, "a value"},
		{`{"a":NaN}`, 5, 1, 6, "a value"},
		{`{"a":'b'}`, 5, 1, 6, "a value"},
		{`{"a":01}`, 5, 1, 6, "begin with 0"},
		{`{"a":-}`, 6, 1, 7, "minus"},
		{`{"a":+1}`, 5, 1, 6, "a value"},
		{`{"a":.5}`, 5, 1, 6, "a value"},
		{`{"a":1.}`, 7, 1, 8, "decimal point"},
		{`{"a":1.`, 7, 1, 8, "decimal point"},
		{`{"a":1e}`, 7, 1, 8, "exponent"},
		{`{"a":1e`, 7, 1, 8, "exponent"},
		{`{"a":1e+`, 8, 1, 9, "exponent"},
		{`{"a":1.5`, 8, 1, 9, "ends too early"},
		{`{"a":1e5`, 8, 1, 9, "ends too early"},
		{`{"a":1e+}`, 8, 1, 9, "exponent"},
		{`{"a":"b}`, 8, 1, 9, "closing quote"},
		{`{"a":"\`, 7, 1, 8, "closing quote"},
		{`{"a":"\x"}`, 6, 1, 7, "backslash"},
		{`{"a":"\u12g4"}`, 6, 1, 7, "four hexadecimal"},
		{`{"a":"\u12`, 6, 1, 7, "four hexadecimal"},
		{`{"a":"\u00:0"}`, 6, 1, 7, "four hexadecimal"},
		{`{"a":"\u00G0"}`, 6, 1, 7, "four hexadecimal"},
		{"{\"a\":\"long enough\tfor words\"}", 17, 1, 18, "control character"},
		{"{\"a\":\"\n\"}", 6, 1, 7, "control character"},
		{"{\"a\":\"\xff\"}", 6, 1, 7, "UTF-8"},
		{"{\"a\":\"\xed\xa0\x80\"}", 6, 1, 7, "UTF-8"}, // a surrogate as UTF-8
		{"\ufeff{}", 0, 1, 1, "byte order mark"},
		{`[1`, 2, 1, 3, "ends too early"},
		{strings.Repeat("[", 1_000_000), 1_000_000, 1, 1_000_001, "ends too early"},
		{`{"a":` + strings.Repeat("[", 1_000), 1_005, 1, 1_006, "ends too early"},
	}
	for _, test := range tests {
		_, err := document.Scan([]byte(test.body), schemaOf("a keyword"))
		var syntax *document.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%.40q: error %v, want a syntax error", test.body, err)
			continue
		}
		if want := fmt.Sprintf("line %d, column %d: %s", syntax.Line, syntax.Column, syntax.Message); err.Error() != want {
			t.Errorf("%.40q: error %q, want %q", test.body, err, want)
		}
		if syntax.Offset != test.offset || syntax.Line != test.line || syntax.Column != test.column || !strings.Contains(syntax.Message, test.message) {
			t.Errorf("%.40q: %d: %v, want %d: line %d, column %d: … %s …", test.body, syntax.Offset, syntax, test.offset, test.line, test.column, test.message)
		}
	}
}

func TestScanBody(t *testing.T) {
	t.Parallel()
	tests := []struct{ body, want, id string }{
		{`{}`, `{}`, ""},
		{" { \n} ", `{}`, ""},
		{`{"a":1}`, `{"a":1}`, ""},
		{` {"a": 1, "b" :[ ]} `, `{"a": 1, "b" :[ ]}`, ""},
		{`{"_id":"x"}`, `{}`, "x"},
		{`{"_id":"x","a":1}`, `{"a":1}`, "x"},
		{`{"a":1,"_id":"x"}`, `{"a":1}`, "x"},
		{`{"a":1 , "_id":"x" }`, `{"a":1}`, "x"},
		{`{"a":1,"_id":"x","b":2}`, `{"a":1,"b":2}`, "x"},
		{`{"_id":"x","_score":1.5,"_highlight":{"a":["<b>1</b>"]},"_explanation":null,"a":1,"autocomplete":["q"]}`, `{"a":1}`, "x"},
		{`{"a":1, "_score":1 , "_id":"x"}`, `{"a":1}`, "x"},
		{`{"_score":1,"a":",","autocomplete":[]}`, `{"a":","}`, ""},
		{`{"_id":"x","_id":"y"}`, `{}`, "y"},
		{`{"_id":7,"_id":"y"}`, `{}`, "y"},
		{`{"_id":"\"\\\/\u00e9\u00E9"}`, `{}`, `"\/éé`},
		{`{"\u005fid":"\u0078/\ud83d\ude00"}`, `{}`, "x/😀"},
		{`{"a":{"_id":1,"_x":2,"autocomplete":3,"boost":"no"}}`, `{"a":{"_id":1,"_x":2,"autocomplete":3,"boost":"no"}}`, ""},
		{`{"":1,"a":12345678901234567890.10,"b":1E+2,"c":-0.0,"d":null}`, `{"":1,"a":12345678901234567890.10,"b":1E+2,"c":-0.0,"d":null}`, ""},
		{`{"boost":null}`, `{"boost":null}`, ""},
		{`{"boost":0,"boost":2}`, `{"boost":0,"boost":2}`, ""},
		{`{"boost":999.9}`, `{"boost":999.9}`, ""},
		{`{"boost":1e3}`, `{"boost":1e3}`, ""},
		{`{"_id":"\u00fa\u00FA"}`, `{}`, "úú"},
		{`{"a":"\ud800\udc00\udbff\udfff"}`, `{"a":"\ud800\udc00\udbff\udfff"}`, ""},
		{`{"a":1e-16383}`, `{"a":1e-16383}`, ""},
		{`{"a":"\ud83d\ude00 é \\u0000 \" \/"}`, `{"a":"\ud83d\ude00 é \\u0000 \" \/"}`, ""},
		{nested(200), nested(200), ""},
	}
	for _, test := range tests {
		got, err := document.Scan([]byte(test.body), nil)
		if err != nil || len(got.Problems) > 0 {
			t.Errorf("%s: %v %v", test.body, err, got.Problems)
			continue
		}
		id := ""
		if got.ID != nil {
			id = *got.ID
		}
		if string(got.Body) != test.want || id != test.id {
			t.Errorf("%s: %s, _id %q; want %s, _id %q", test.body, got.Body, id, test.want, test.id)
		}
	}
}

func TestScanDistinguishesNoID(t *testing.T) {
	t.Parallel()
	got, err := document.Scan([]byte(`{"a":1}`), nil)
	if err != nil || got.ID != nil {
		t.Errorf("_id %v, error %v", got.ID, err)
	}
}

func TestScanProblems(t *testing.T) {
	t.Parallel()
	schema := schemaOf("price price", "n int", "tags tags", "author.name name", "author.born date", "a.b.c int", "deep.x.y.z bool", "both keyword", "both.inner int")
	tests := []struct {
		body   string
		places string // separated by " | "
		word   string // in the first message
	}{
		{`[]`, "body", "object"},
		{`null`, "body", "object"},
		{` 12 `, "body", "object"},
		{`{"_id":12}`, "body._id", "string"},
		{`{"_id":null}`, "body._id", "string"},
		{`{"_id":""}`, "body._id", "empty"},
		{`{"_id":".."}`, "body._id", `".."`},
		{`{"_id":"a\u0000"}`, "body._id", "control"},
		{`{"_id":"\ud800"}`, "body._id", "surrogate"},
		{`{"_id":"x","_id":3}`, "body._id", "string"},
		{`{"_type":1}`, "body._type", "underscore"},
		{`{"_":1,"__id":null}`, "body._ | body.__id", "underscore"},
		{`{"\u005ffoo":1}`, "body._foo", "underscore"},
		{`{"boost":0}`, "body.boost", "greater than 0"},
		{`{"boost":-1}`, "body.boost", "greater than 0"},
		{`{"boost":1000.0001}`, "body.boost", "at most 1000"},
		{`{"boost":2000}`, "body.boost", "at most 1000"},
		{`{"boost":1e4}`, "body.boost", "at most 1000"},
		{`{"boost":"2"}`, "body.boost", "number"},
		{`{"boost":[1]}`, "body.boost", "number"},
		{`{"boost":true}`, "body.boost", "number"},
		{`{"boost":2,"boost":0}`, "body.boost", "greater than 0"},
		{`{"boost":2,"_x":1}`, "body._x", "underscore"}, // the boost is valid
		{`{"x":"a\u0000b"}`, "body.x", `\u0000`},
		{`{"x":{"y":["ok","\u0000"]}}`, "body.x.y[1]", `\u0000`},
		{`{"x\u0000":1}`, `body["x\x00"]`, `the name must not contain \u0000`},
		{`{"\u0000x":1}`, `body["\x00x"]`, `the name must not contain \u0000`},
		{`{"x":{"\udead":1}}`, "body.x.\ufffd", "the name must not contain half of a surrogate pair"},
		{`{"x":["\u0000",{"fine":1}]}`, "body.x[0]", `\u0000`},
		{`{"x":"\ud800"}`, "body.x", "surrogate"},
		{`{"x":"\ud800\u0041"}`, "body.x", "surrogate"},
		{`{"x":"\udc00\ud800"}`, "body.x", "surrogate"},
		{`{"x":"\udc00\udc00"}`, "body.x", "surrogate"},
		{`{"x":"\ud800\ue000"}`, "body.x", "surrogate"},
		{`{"x":1e131072}`, "body.x", "131072"},
		{`{"x":1e999999999999999999999}`, "body.x", "131072"},
		{`{"x":-1e-16384}`, "body.x", "16383"},
		{`{"x":0e-16384}`, "body.x", "16383"},
		{`{"x":` + strings.Repeat("9", 131073) + `}`, "body.x", "131072"},
		{`{"x":0.` + strings.Repeat("0", 16384) + `}`, "body.x", "16383"},
		{`{"x":"\u0000","x":1}`, "body.x", `\u0000`}, // PostgreSQL reads it too
		{`{"x":[` + strings.Repeat("1e131071,", 9) + `1]}`, "body.x[8]", "1 MiB"},
		{`{"x":[` + strings.Repeat("1e131071,", 12) + `1],"_y":1}`, "body.x[8] | body._y", "1 MiB"}, // reported once
		{`{"x":0e1073741823}`, "body.x", "131072"},                                                  // PostgreSQL does not read such an exponent, even of zero
		{nested(201), "body.a" + strings.Repeat("[0]", 199), "200 levels"},
		{nested(100_000), "body.a" + strings.Repeat("[0]", 199), "200 levels"},
		{strings.Replace(strings.Replace(nested(200), "a", "n", 1), "[]", `["x"]`, 1), "body.n" + strings.Repeat("[0]", 199), "whole"},
		{objects(200, `{}`), "body" + strings.Repeat(".a", 200), "200 levels"},
		{strings.TrimSuffix(nested(201), "}") + `,"_x":1}`, "body.a" + strings.Repeat("[0]", 199) + " | body._x", "200 levels"},
		{strings.TrimSuffix(objects(200, `1`), "}") + `,"_x":1}`, "body._x", "underscore"}, // not too deep
		{strings.Replace(nested(201), "a", "tags", 1), "body.tags" + strings.Repeat("[0]", 199), "200 levels"},
		{`{"price":"abc"}`, "body.price", "mapped as price"},
		{`{"price":3,"price":"abc"}`, "body.price", "number"},
		{`{"price":[1,["2",["x"]]]}`, "body.price[1][1][0]", "number"},
		{`{"price":1,"n":1.5,"tags":{"a":1}}`, "body.n | body.tags", "whole"},
		{`{"price":1,"n":1.5,"price":"abc"}`, "body.n | body.price", "whole"},
		{`{"author":{"name":{}}}`, "body.author.name", "object"},
		{`{"author":[{"name":"x"},{"name":{},"born":"x"}]}`, "body.author[1].name | body.author[1].born", "object"},
		{`{"author.born":"x"}`, "body.author.born", "date"},
		{`{"author.born":"x","author":{"born":"y"}}`, "body.author.born", "date"}, // only the first counts
		{`{"author":{"born":"x"},"author":{"born":"y"}}`, "body.author.born", "date"},
		{`{"a":{"b":{"c":"x"}}}`, "body.a.b.c", "whole"},
		{`{"a":{"b.c":"x"}}`, "body.a.b.c", "whole"},
		{`{"a.b":{"c":"x"}}`, "body.a.b.c", "whole"},
		{`{"a":{"b":{"c":"x"},"b.c":1},"a.b":{"c":"y"}}`, "body.a.b.c", "whole"},
		{`{"a.b":{},"a":{"b":{"c":"x"}}}`, "body.a.b.c", "whole"}, // the longer name leads to nothing
		{`{"a.b":[[{"d":1}],null],"a":{"b":{"c":"x"}}}`, "body.a.b.c", "whole"},
		{`{"deep.x":{"y":{}},"deep":{"x":{"y":{"z":1}}}}`, "body.deep.x.y.z", "true or false"},
		{`{"both":{"inner":"x"}}`, "body.both.inner | body.both", "whole"},
		{`{"\b\f\n\r\t":"\u0000"}`, `body["\b\f\n\r\t"]`, `\u0000`},
		{`{"` + strings.Repeat("é", 150) + `":"\u0000"}`, `body["` + strings.Repeat("é", 100) + `…"]`, `\u0000`},
		{`{"a\"b":"\u0000","a[":"\u0000","a]":"\u0000","a\\b":"\u0000","a\u007f":"\u0000"}`, `body["a\"b"] | body["a["] | body["a]"] | body["a\\b"] | body["a\x7f"]`, `\u0000`},
		{`{"x y":"\u0000","":["\u0000"]}`, `body["x y"] | body[""][0]`, `\u0000`},
	}
	for _, test := range tests {
		got, err := document.Scan([]byte(test.body), schema)
		if err != nil {
			t.Errorf("%.60s: %v", test.body, err)
			continue
		}
		want := strings.Split(test.places, " | ")
		if diff := cmp.Diff(want, places(got.Problems)); diff != "" {
			t.Errorf("%.60s: places (-want +got):\n%s", test.body, diff)
			continue
		}
		if !strings.Contains(got.Problems[0].Message, test.word) {
			t.Errorf("%.60s: message %q does not say %q", test.body, got.Problems[0].Message, test.word)
		}
	}
}

func TestScanAcceptsWhatDoesNotCount(t *testing.T) {
	t.Parallel()
	schema := schemaOf("n int", "a.b.c int", "author.name name", "tags tags", "deep.x.y.z bool", "five.a.b.c.d bool")
	for _, body := range []string{
		`{"n":"x","n":1}`,
		`{"\u006e":"x","n":1}`,
		`{"a":{"b":{"c":"x"}},"a":{"b":{"c":1}}}`,
		`{"a":{"b":{"c":"x"}},"a.b":{"c":1}}`,
		`{"a.b.c":1,"a":{"b":{"c":"x"},"b.c":"y"},"a.b":{"c":"z"}}`,
		`{"a":{"b":{"c":"x"},"b.c":1}}`,
		`{"a.b":[{},{"c":1}],"a":{"b":{"c":"x"}}}`,
		`{"a.b":{"c":null},"a":{"b":{"c":"x"}}}`,
		`{"deep.x":{"y":{"z":true}},"deep":{"x":{"y":{"z":1}}}}`,
		`{"deep.x":{"y":7,"y.z":true},"deep":{"x":{"y":{"z":1}}}}`,
		`{"five.a":{"b":{"c":{"d":true}}},"five":{"a":{"b":{"c":{"d":1}}}}}`,
		`{"a":7,"author":"nobody"}`,
		`{"a":{"b":[1,"x",null]}}`,
		`{"author":null,"tags":null}`,
		`{"_score":"\u0000","_highlight":{"x":1e999999}}`,
		`{"x":0e1073741822}`,
		objects(200, `1`),
	} {
		got, err := document.Scan([]byte(body), schema)
		if err != nil || len(got.Problems) > 0 {
			t.Errorf("%s: %v, %v", body, err, got.Problems)
		}
	}
}

func TestScanTypes(t *testing.T) {
	t.Parallel()
	const words = `"a" "" 1 -2.5e3 true false null [] ["a",1,[true,null]]`
	numbers := `0 -1 12.50 1e5 "12" "-3.5" "+5" "007" ".5" "5." "1e3" "\u0031" null [1,"2",[3]]`
	notNumbers := `"" "abc" "1,5" "1 2" "12 " "NaN" "Infinity" "0x10" "1_000" "1e" "." "-" true false {} [{}] ["x"]`
	tests := map[mapping.Type]struct{ takes, rejects, says string }{
		mapping.SearchableNumber: {numbers + " 1e131071 123456789012345678901234567890", notNumbers, "a number or a string"},
		mapping.Price:            {numbers + " 1e131071 -0.10 123456789012345678901234567890.123456789", notNumbers, "a number or a string"},
		mapping.Float:            {numbers + ` 1.7976931348623157e308 "-17976931348623157e292" 1e308 1e-400 "1e-400"`, notNumbers + ` 1.7976931348623158e308 "-17976931348623157.1e292" 1.8e308 -1e309 "1e309" 1e131071`, "a number within the range"},
		mapping.Int: {`0 -0 1.0 1e2 1e+2 12.00 1500e-2 2147483647 -2147483648 "2147483647" "-12" "1.0" 999999999 null [1,["2"]] 0e5`,
			notNumbers + ` 1.5 "1.5" 1e-1 2147483648 -2147483649 "2147483648" 9999999999 1e10 1e131071`, "a whole number from -2147483648 "},
		mapping.Long: {`0 1.0 9223372036854775807 -9223372036854775808 "9223372036854775807" 9.223372036854775807e18 null [1]`,
			notNumbers + ` 1.5 0.1 9223372036854775808 -9223372036854775809 18446744073709551616 1e19 1e20 99999999999999999999`, "a whole number from -9223372036854775808 "},
		mapping.Bool: {`true false "true" "FALSE" "True" null [true,"false"]`, `1 0 "yes" "" "1" "truee" "falſe" " true" {} [1]`, "true or false"},
		mapping.Date: {`"2024-05-01" "2024-02-29" "2000-02-29" "0001-01-01" "9999-12-31" "2024-05-01T12:30" "2024-05-01T12:30:59" "2024-05-01t12:30:59z"
			"0001-01-01T00:00:00Z" "9999-12-31T23:59:59.999999999Z"
			"2024-05-01T12:30:59.123456789+02:00" "2024-05-01T00:00:00-00:00" "2024-05-01T23:59:59+15:59" "1990-12-31T23:59:60Z" "1990-12-31T15:59:60-08:00"
			"0001-01-01T00:00:00-01:00" 0 -1 1714566600000 1.714566600000e12 -62135596800000 253402300799999 null ["2024-05-01",0,[null]]`,
			`"" "2024" "2024-05" "2024-5-1" "2024-13-01" "2024-00-01" "2024-0:-01" "2024-01-0:" "2024-05-01T:30" "2024-05-01T12:30:59+:30" "2024-04-31" "2023-02-29" "1900-02-29" "2024-05-00" "0000-01-01" "10000-01-01" "24-05-01"
			"2024-05-01Z" "2024-05-01T12" "2024-05-01T24:00" "2024-05-01T12:60" "2024-05-01T12:30Z" "2024-05-01T12:30:59.5" "2024-05-01T12:30:59.Z" "2024-05-01T12:30:61Z"
			"2024-05-01T12:30:60Z" "1990-12-31T22:59:60Z" "1990-12-31T23:58:60Z" "1990-12-31T23:59:60" "1990-12-31T23:59:60.5Z" "9999-12-31T23:59:60Z" "2024-05-01T12:30:59+0200" "2024-05-01T12:30:59+02" "2024-05-01T12:30:59+16:00" "2024-05-01T12:30:59+02:60"
			"2024-05-01T12:30:59+02:00x" "2024-05-01T12:30:59Zx" "2024-05-01T12:30:59X" "20240501" "2024\r05\r01" "2024-05-01 12:30" "2024-05-01x12:30" "1714566600000" "May" "2024/05/01" " 2024-05-01" "0001-01-01T00:00:00+01:00" "9999-12-31T23:59:59-00:01"
			"2024-05-01T12:30:59.1234567890Z" 1.5 -62135596800001 253402300800000 1e20 1e131071 true {} [{}] ["x"]`, "a date that exists"},
	}
	for _, typ := range mapping.Types {
		test, special := tests[typ]
		if !special {
			test.takes, test.rejects, test.says = words, `{} {"a":1} [{}] [[{"x":1}]] ["a",{}]`, "a string"
		}
		for want, values := range map[bool]string{true: test.takes, false: test.rejects} {
			for _, value := range split(values) {
				got, err := document.Scan([]byte(`{"v":`+value+`}`), schemaOf("v "+string(typ)))
				if err != nil {
					t.Fatalf("%s: %v", value, err)
				}
				if ok := len(got.Problems) == 0; ok != want {
					t.Errorf("%s takes %s: %v, want %v", typ, value, ok, want)
				} else if message := fmt.Sprint(got.Problems); !ok && (!strings.Contains(message, "must be "+test.says) || !strings.Contains(message, "(mapped as "+string(typ)+")")) {
					t.Errorf("%s %s: message %q does not name the type, or not what it takes: %s", typ, value, message, test.says)
				}
			}
		}
	}
}

// For a number that is refused for how it is written in its string, the message says so, since it is a number.
func TestScanTellsOfNumbersThatAreTooLong(t *testing.T) {
	t.Parallel()
	const quoted, stored = "must have at most 1000 characters and 3 digits of exponent as a number in quotes", "must have at most 131072 digits before and 16383 after"
	digits := strings.Repeat("1", 1001)
	for typ, values := range map[mapping.Type]map[string]string{
		mapping.Price:            {"1e1001": quoted, "1e-1001": quoted, "1e0001": quoted, digits: quoted, "-1e131072": stored, "1e-99999999999": stored, "1e": "must be a number"},
		mapping.SearchableNumber: {"1e1001": quoted, digits: quoted, "1e131072": stored, "1e1001x": "must be a number"},
		mapping.Float:            {"1e1001": "within the range", "1e0001": quoted, "1e-1001": quoted, digits: "within the range", "1e131072": "within the range"},
		mapping.Int:              {"1e0001": quoted, "1e1001": "must be a whole number from", digits: "must be a whole number from"},
		mapping.Long:             {"0001e0001": quoted, strings.Repeat("0", 1000) + "1": quoted, "1e1001": "must be a whole number from"},
		mapping.Bool:             {"1e1001": "must be true or false"},
	} {
		for value, want := range values {
			got, err := document.Scan([]byte(`{"v":"`+value+`"}`), schemaOf("v "+string(typ)))
			if err != nil || len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Message, want) || !strings.HasSuffix(got.Problems[0].Message, "(mapped as "+string(typ)+")") {
				t.Errorf("%s %.20s: %v, %v; want %s", typ, value, got.Problems, err, want)
			}
		}
	}
}

// The _id of a document with faults is returned all the same, so that an _id that should not be there is a fault besides the others.
func TestScanTellsTheIDOfABadDocument(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{`{"_id":"x","_z":1}`: "x", `{"boost":0}`: "none", `{"_id":1,"_z":1}`: "none"} {
		id := "none"
		got, err := document.Scan([]byte(body), nil)
		if got.ID != nil {
			id = *got.ID
		}
		if err != nil || len(got.Problems) == 0 || id != want {
			t.Errorf("%s: _id %s, %v, %v", body, id, got.Problems, err)
		}
	}
}

// split splits JSON values that stand one after the other.
func split(values string) []string {
	var list []string
	decoder := json.NewDecoder(strings.NewReader(values))
	for {
		var raw json.RawMessage
		if decoder.Decode(&raw) != nil {
			return list
		}
		list = append(list, string(raw))
	}
}

func TestScanStopsAtMaxProblems(t *testing.T) {
	t.Parallel()
	got, err := document.Scan([]byte(`{"n":[`+strings.Repeat(`"x",`, 1000)+`1]}`), schemaOf("n int"))
	if err != nil || len(got.Problems) != document.MaxProblems {
		t.Errorf("%d problems, error %v", len(got.Problems), err)
	}
}

func TestScanCutsValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`"short"`, `"` + strings.Repeat("é", 500) + `"`} {
		got, err := document.Scan([]byte(`{"n":`+value+`}`), schemaOf("n int"))
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(got.Problems[0].Value)
		if err != nil || len(encoded) > 220 {
			t.Errorf("value of %d bytes, error %v", len(encoded), err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	small := []byte(`{"title":"Quiet hill walking boots with a warm lining","brand":"Acme","price":129.90,"in_stock":true,"released":"2024-05-01","rating":4.5,` +
		`"tags":["outdoor","boots","winter","waterproof"],"author":{"name":"Ana Gómez","city":"Málaga"},"body":"` + strings.Repeat("plain words of a description, ", 22) + `"}`)
	var batch strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&batch, `%c{"action":"upsert","_id":"%d","body":%s}`, "[,"[min(i, 1)], i, small)
	}
	batch.WriteByte(']')
	long := []byte(`{"body":"` + strings.Repeat("plain words of a description, ", 20_000) + `"}`)
	schema := schemaOf("title sentence", "brand keyword", "price price", "in_stock bool", "released date", "rating float", "tags tags", "author.name name", "body long_text")
	for name, body := range map[string][]byte{"small": small, "long": long} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if got, err := document.Scan(body, schema); err != nil || len(got.Problems) > 0 {
					b.Fatal(err, got.Problems)
				}
			}
		})
	}
	b.Run("batch", func(b *testing.B) {
		body := []byte(batch.String())
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if got, err := document.ScanBatch(body, schema); err != nil || len(got.Problems) > 0 {
				b.Fatal(err, got.Problems)
			}
		}
	})
}

// What stands under a longer name is looked for in it only once for each mapping, not once for each level that it has.
func TestFaultsBesideADeepValueTakeNoLonger(t *testing.T) { // not parallel: it measures time
	var mappings []mapping.Mapping
	var faults []string
	for i := range 20 {
		mappings = append(mappings, mapping.Mapping{Name: fmt.Sprintf("a.b.c%d", i), Type: mapping.Int})
		faults = append(faults, fmt.Sprintf(`"c%d":"x"`, i))
	}
	schema, ones := document.NewSchema(mappings), "["+strings.Repeat("1,", 20_000)+"1]"
	took := func(levels int) time.Duration {
		doc := `{"a.b":` + strings.Repeat("[", levels) + ones + strings.Repeat("]", levels) + `,"a":{"b":{` + strings.Join(faults, ",") + `}}}`
		least := time.Hour
		for range 3 {
			began := time.Now()
			if got, err := document.Scan([]byte(doc), schema); err != nil || len(got.Problems) != len(faults) {
				t.Fatal(got.Problems, err)
			}
			least = min(least, time.Since(began))
		}
		return least
	}
	if flat, deep := took(0), took(150); deep > 10*flat {
		t.Errorf("150 levels take %s, one takes %s", deep, flat)
	}
}
