package filter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/filter/filtertest"
	"github.com/rowansearch/rowan/service/mapping"
)

// sameTree compares trees regardless of positions.
var sameTree = cmp.Options{cmpopts.IgnoreTypes(filter.Pos{}), cmpopts.EquateEmpty()}

var kindOf = filtertest.KindOf(filtertest.Types)

func TestParseTree(t *testing.T) {
	t.Parallel()
	lit := func(column int, text string) filter.Literal {
		return filter.Literal{Text: text, At: filter.Pos{Column: column}}
	}
	at := func(column int) filter.Pos { return filter.Pos{Column: column} }
	tests := []struct {
		src  string
		want filter.Node
	}{
		{" ", filter.Conjunction{}},
		{"ü = ä", filter.Comparison{Field: "ü", Op: filter.Eq, Values: []filter.Literal{lit(5, "ä")}, At: at(1)}},
		{"  a:{1 TO \"2\"]", filter.Interval{
			Field: "a", Low: lit(6, "1"), High: filter.Literal{Text: "2", Quoted: true, At: at(11)}, LowOpen: true, At: at(3),
		}},
		{"a=1 OR NOT b IS NULL", filter.Disjunction{
			filter.Comparison{Field: "a", Op: filter.Eq, Values: []filter.Literal{lit(3, "1")}, At: at(1)},
			filter.Negation{Node: filter.Comparison{Field: "b", Op: filter.Lacks, At: at(12)}},
		}},
	}
	for _, test := range tests {
		got, err := filter.Parse(test.src)
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		if diff := cmp.Diff(test.want, got, cmpopts.EquateComparable(filter.Pos{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", test.src, diff)
		}
	}
}

func TestObjectMeansString(t *testing.T) {
	t.Parallel()
	for object, text := range map[string]string{
		`{"brand":"Acme","price":{"gte":10,"lt":20}}`:              `brand = "Acme" AND price:[10 TO 20}`,
		`{"or":[{"tags":["red","blue"]},{"not":{"active":true}}]}`: `tags IN ["red", "blue"] OR NOT active = true`,
		`{"and":[{"or":[{"a":1},{"b":2}]},{"c":3}]}`:               `(a = 1 OR b = 2) AND c = 3`,
		"{\"`not`\":{\"exists\":false}}":                           "`not` IS NULL",
		`{"free":{"in":[1,"1",true,null]}}`:                        `free IN [1, "1", true] OR free IS NULL`,
	} {
		fromObject, err := filter.ParseObject(json.RawMessage(object))
		if err != nil {
			t.Errorf("%s: %v", object, err)
			continue
		}
		fromText, err := filter.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(fromText, fromObject, sameTree); diff != "" {
			t.Errorf("%s: -string +object:\n%s", object, diff)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	repeat := func(s, sep string, n int) string { return strings.TrimSuffix(strings.Repeat(s+sep, n), sep) }
	nest := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	object := func(s string) (filter.Node, error) { return filter.ParseObject(json.RawMessage(s)) }
	tests := []struct {
		name   string
		parse  func(string) (filter.Node, error)
		make   func(n int) string
		limit  int
		expect string
	}{
		{"conditions", filter.Parse, func(n int) string { return repeat("a = 1", " AND ", n) }, 200, "200 conditions"},
		{"conditions in a group", filter.Parse, func(n int) string { return "a:(" + repeat("1", " OR ", n) + ")" }, 200, "200 conditions"},
		{"conditions in parentheses", filter.Parse, func(n int) string { return repeat("(a = 1)", " AND ", n) }, 200, "200 conditions"},
		{"conditions behind NOT", filter.Parse, func(n int) string { return repeat("NOT a = 1", " AND ", n) }, 200, "200 conditions"},
		{"conditions in groups", filter.Parse, func(n int) string { return repeat("a:(NOT 1)", " AND ", n) }, 200, "200 conditions"},
		{"values", filter.Parse, func(n int) string { return "a IN [" + repeat("1", ", ", n) + "]" }, 1000, "1000 values"},
		{"parentheses", filter.Parse, func(n int) string { return nest("(", "a = 1", ")", n) }, 50, "50 deep"},
		{"NOT", filter.Parse, func(n int) string { return nest("NOT ", "a = 1", "", n) }, 50, "50 deep"},
		{"minus", filter.Parse, func(n int) string { return nest("-", "a:1", "", n) }, 50, "50 deep"},
		{"NOT in a group", filter.Parse, func(n int) string { return "a:(" + nest("NOT ", "1", "", n-1) + ")" }, 50, "50 deep"},
		{"group", filter.Parse, func(n int) string { return "a:" + nest("(", "1", ")", n) }, 50, "50 deep"},
		{"object conditions", object, func(n int) string { return `{"or":[` + repeat(`{"a":1}`, ",", n) + `]}` }, 200, "200 conditions"},
		{"object null in a list", object, func(n int) string {
			return `{"or":[` + strings.Repeat(`{"a":1},`, 199) + map[int]string{200: `{"b":1}`, 201: `{"b":[1,null]}`}[n] + `]}` // value and absence
		}, 200, "200 conditions"},
		{"object values", object, func(n int) string { return `{"a":[` + repeat(`1`, ",", n) + `]}` }, 1000, "1000 values"},
		{"object depth", object, func(n int) string { return nest(`{"not":`, `{"a":1}`, `}`, n) }, 50, "50 deep"},
		{"object depth of both", object, func(n int) string {
			return nest(`{"a":1,"or":[{"b":1},`, `{"b":2}`, `]}`, n)
		}, 50, "50 deep"},
		{"object depth of NOT and a group", object, func(n int) string {
			return nest(`{"not":{"or":[{"b":1},`, `{"b":2}`, `]}}`, n)
		}, 25, "50 deep"}, // NOT (…)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n, err := test.parse(test.make(test.limit))
			if err != nil {
				t.Fatalf("%d: %v", test.limit, err)
			}
			if _, err := filter.Parse(n.String()); err != nil {
				t.Errorf("what is within the limits prints as a filter that is not: %v", err)
			}
			_, err = test.parse(test.make(test.limit + 1))
			if err == nil || !strings.Contains(err.Error(), test.expect) {
				t.Errorf("%d: got error %v, want one that names the limit (%s)", test.limit+1, err, test.expect)
			}
		})
	}
}

// Names are bounded like those that may be mapped: one without a mapping is looked up at each of its dots, in each document.
func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	unmapped := func(string) mapping.Kind { return mapping.KindUnmapped }
	uses := map[string]func(name string) error{
		"filter": func(name string) error {
			n, err := filter.Parse(name + " = 1")
			if err == nil {
				_, err = filter.Bind(n, unmapped)
			}
			return err
		},
		"object": func(name string) error {
			n, err := filter.ParseJSON(json.RawMessage(`{"` + name + `":{"exists":true}}`))
			if err == nil {
				_, err = filter.Bind(n, unmapped)
			}
			return err
		},
		"sort": func(name string) error {
			_, err := filter.ParseSort("-"+name, unmapped)
			return err
		},
	}
	for use, try := range uses {
		for name, want := range map[string]string{
			strings.Repeat("a.", mapping.MaxNameParts-1) + "a": "",
			strings.Repeat("a.", mapping.MaxNameParts) + "a":   "must have at most 50 names separated by dots",
			strings.Repeat("é", mapping.MaxNameLength):         "",
			strings.Repeat("é", mapping.MaxNameLength+1):       "must have at most 512 characters",
		} {
			err := try(name)
			if want == "" && err != nil || want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)) {
				t.Errorf("%s: a name of %d bytes: error %v, want %q", use, len(name), err, want)
			}
		}
	}
}

// All lists of a filter are bounded together.
func TestAllValues(t *testing.T) {
	t.Parallel()
	bind := func(lists, values int) error {
		list := "[" + strings.TrimSuffix(strings.Repeat("1,", values), ",") + "]"
		n, err := filter.Parse(strings.TrimSuffix(strings.Repeat("a IN "+list+" AND ", lists), " AND "))
		if err == nil {
			_, err = filter.Bind(n, func(string) mapping.Kind { return mapping.KindNumber })
		}
		return err
	}
	if err := bind(10, filter.MaxAllValues/10); err != nil {
		t.Error(err)
	}
	if err := bind(11, filter.MaxAllValues/11+1); err == nil || !strings.Contains(err.Error(), "10000 values together") {
		t.Errorf("more than %d values: %v", filter.MaxAllValues, err)
	}
}

func TestHostileInput(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"invalid UTF-8":     "a = \xff",
		"NUL":               "a = \"\x00\"",
		"many parentheses":  strings.Repeat("(", 1<<20),
		"many negations":    strings.Repeat("NOT ", 1<<18),
		"open quote":        `a = "` + strings.Repeat("x", 1<<20),
		"only a long word":  strings.Repeat("x", 1<<20),
		"unjoined and long": "a = b " + strings.Repeat("x ", 1<<19),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := filter.Parse(src)
			e, ok := errors.AsType[*filter.Error](err)
			if !ok || e.Column < 1 {
				t.Fatalf("got %v, want an Error with a column", err)
			}
			if len(e.Message) > 1000 {
				t.Errorf("the message has %d bytes", len(e.Message))
			}
		})
	}
	deep := strings.Repeat(`{"not":`, 5000) + `{"a":1}` + strings.Repeat("}", 5000)
	if _, err := filter.ParseObject(json.RawMessage(deep)); err == nil {
		t.Error("an object 5000 deep was taken")
	}
	brackets := `{"a":` + strings.Repeat(`[`, 5000) + strings.Repeat("]", 5000) + "}"
	if _, err := filter.ParseObject(json.RawMessage(brackets)); err == nil {
		t.Error("arrays 5000 deep were taken")
	}
}

// Many places ask whether a long word that follows is a keyword; that must not take longer for longer words.
func TestLongWordsAreReadOnce(t *testing.T) {
	took := func(src string) time.Duration {
		least := time.Hour
		for range 3 {
			began := time.Now()
			_, _ = filter.Parse(src)
			least = min(least, time.Since(began))
		}
		return least
	}
	once := took("a = " + strings.Repeat("x", 1<<20))
	for _, src := range []string{strings.Repeat("-", 1<<20), strings.Repeat("-", filter.MaxDepth-1) + strings.Repeat("x", 1<<20) + " = 1"} {
		if got := took(src); got > 10*once {
			t.Errorf("%.10s… takes %s, and a value as long %s", src, got, once)
		}
	}
}

// Many values, nested deeply in a filter below long names, take little more memory than the filter, though each has a place that an error would report.
func TestDeepObjectsTakeLittleMemory(t *testing.T) { // not parallel: it measures what is allocated
	var members []string
	for i := range 20_000 {
		members = append(members, fmt.Sprintf(`"f%d":1`, i))
	}
	for _, name := range []string{strings.Repeat("n", 60), "not"} {
		const levels = 190
		object := strings.Repeat(`{"`+name+`":`, levels) + "{" + strings.Join(members, ",") + "}" + strings.Repeat("}", levels)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := filter.ParseObject(json.RawMessage(object))
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; err == nil || taken > 100*uint64(len(object)) {
			t.Errorf("%d bytes for a filter of %d: %v", taken, len(object), err)
		}
	}
}

func TestErrorPosition(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  *filter.Error
		want string
	}{
		{&filter.Error{Column: 3, Message: "m"}, "column 3: m"},
		{&filter.Error{Path: "filter.a", Message: "m"}, "filter.a: m"},
		{&filter.Error{Message: "m"}, "m"},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	// The column counts characters, also after wide ones.
	for src, column := range map[string]int{"😀 = é !": 7, "a = \"日本\" b": 10, "`日` = 1 x": 9} {
		_, err := filter.Parse(src)
		if e, ok := errors.AsType[*filter.Error](err); !ok || e.Column != column {
			t.Errorf("%s: got %v, want column %d", src, err, column)
		}
	}
}

// The value at the path of an error is the one that the error is about.
func TestValueAt(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"price":{"gte":"red"}}`:                        `"red"`,
		`{"price":1, "or":[{"a":1}, {"price":[1,"b"]}]}`: `"b"`,
		`{"a.b":1,"a":{"eq":{"c":1}}}`:                   `{"c":1}`,
		`{"":1}`:                                         `1`,
		`{"a":[]`:                                        `{"a":[]`,
		`"price >"`:                                      ``,
	} {
		node, err := filter.ParseJSON(json.RawMessage(raw))
		if err == nil {
			_, err = filter.Bind(node, func(string) mapping.Kind { return mapping.KindNumber })
		}
		fault, ok := errors.AsType[*filter.Error](err)
		if !ok {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got := string(filter.ValueAt(json.RawMessage(raw), fault.Path)); got != want {
			t.Errorf("%s: at %s is %s, want %s", raw, fault.Path, got, want)
		}
	}
}

func TestQuoteName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"brand": "brand", "a.b": "a.b", "a-b": "a-b", "ünï": "ünï", "-a": "`-a`", "": "``", "a b": "`a b`", "a`b": "`a``b`",
		"not": "`not`", "Exists": "`Exists`", "a:b": "`a:b`", "a+": "`a+`",
	} {
		if got := filter.QuoteName(name); got != want {
			t.Errorf("QuoteName(%q) = %s, want %s", name, got, want)
		}
	}
}

func ExampleParse() {
	_, err := filter.Parse("brand = Acme price > 10")
	fmt.Println(err)
	// Output: column 14: expected AND, OR or the end of the filter, found "price"; conditions are joined by AND or OR
}

func TestFields(t *testing.T) {
	t.Parallel()
	node, err := filter.Parse(`brand = Acme AND (price 10 TO 20 OR NOT tags IN [a, b]) AND -brand:(x OR y)`)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for field := range filter.Fields(node) {
		all = append(all, field)
	}
	if diff := cmp.Diff([]string{"brand", "price", "tags", "brand", "brand"}, all); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	for field := range filter.Fields(node) {
		if field == "tags" {
			t.Error("the loop has ended")
		}
		if field == "price" {
			break
		}
	}
}
