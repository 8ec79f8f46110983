package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// typeTest describes what one type of mapping makes of a few values of the field v, stored under the ids a, b, c … Expected are the ids found, in the
// order of ids.
type typeTest struct {
	of      mapping.Type
	values  []string // JSON; "" leaves the property out
	queries [][2]string
	filters [][2]string
	facet   string
	stats   string
	asc     string // ids in the order of sort=v
	desc    string
}

var typeTests = []typeTest{
	{
		of:     mapping.Name,
		values: []string{`"Émile Zola"`, `"emile ajar"`, `["Running Man","The Who"]`, `null`, ``, `[]`},
		queries: [][2]string{
			{"emile ", "a b"}, {"ÉMILE zola", "a"}, {"run", "c"}, {"runs ", ""}, {"the", "c"}, {"emlie ", "a b"},
			{`"running man"`, "c"}, {`"man the"`, ""}, {"who running", "c"},
		},
		filters: [][2]string{
			{`v = "emile zola"`, "a"}, {`v = "ÉMILE ZOLA"`, "a"}, {`v = Zola`, ""}, {`v = "the who"`, "c"},
			{`v STARTS WITH emile`, "a b"}, {`v EXISTS`, "a b c"}, {`v IS NULL`, "d e f"},
			{`v != "the who"`, "a b d e f"}, {`v > "emile b"`, "a c"}, {`v NOT IN ["emile ajar", "emile zola"]`, "c d e f"},
		},
		facet: `"emile ajar"=1 "Émile Zola"=1 "Running Man"=1 "The Who"=1`,
		asc:   "b a c d e f", desc: "c a b d e f",
	},
	{
		of:      mapping.Completion,
		values:  []string{`"Émile Zola"`, `["Running Man","running man"]`},
		queries: [][2]string{{"emile ", "a"}, {"running", "b"}, {"runs ", ""}, {"zolla ", "a"}},
		filters: [][2]string{{`v = "EMILE ZOLA"`, "a"}, {`v = "running man"`, "b"}},
		facet:   `"Émile Zola"=1 "Running Man"=1`,
		asc:     "a b", desc: "b a",
	},
	{
		of:     mapping.Identifier,
		values: []string{`"AB-1234/x"`, `"ab-999"`, `12345`, `["QWERTY-1","ZZ-2"]`},
		queries: [][2]string{
			{"AB-1234/x", "a"}, {"ab1234x", "a"}, {"1234 ", "a"}, {"ab ", "a b"}, {"QWERTZ ", ""}, {"qwerty", "d"}, {"12345", "c"}, {"zz-2", "d"},
		},
		filters: [][2]string{{`v = "ab-1234/X"`, "a"}, {`v = ab1234x`, ""}, {`v = 12345`, "c"}, {`v = "zz-2"`, "d"}},
		facet:   `"12345"=1 "AB-1234/x"=1 "ab-999"=1 "QWERTY-1"=1 "ZZ-2"=1`,
		asc:     "c a b d", desc: "d b a c",
	},
	{
		of:     mapping.Sentence,
		values: []string{`"Cats running wild"`, `"The cat runs"`, `["A naïve dog","barking"]`, ``},
		queries: [][2]string{
			{"cats ", "a b"}, {"run ", "a b"}, {"naive", "c"}, {"wildly ", "a"}, {`"cat runs"`, "a b"}, {`"cat wild"`, ""}, {`"cat run wild"`, "a"}, {"dgo ", ""}, {"barkingg ", "c"},
		},
		filters: [][2]string{{`v = "the CAT runs"`, "b"}, {`v = cat`, ""}, {`v = barking`, "c"}, {`v = "a naive dog"`, "c"}},
		facet:   `"A naïve dog"=1 "barking"=1 "Cats running wild"=1 "The cat runs"=1`,
		asc:     "c a b d", desc: "b a c d",
	},
	{
		of:     mapping.Category,
		values: []string{`"Home > Garden"`, `"Home > Garden > Tools"`, `["home","Toys > Home"]`, `"Homes"`, ``},
		queries: [][2]string{
			{"garden", "a b"}, {"home ", "a b c d"}, {"tool ", "b"}, {`"home > garden"`, "a b"},
		},
		filters: [][2]string{
			{`v = Home`, "a b c"}, {`v = "home > garden"`, "a b"}, {`v = "Home > Garden > Tools"`, "b"}, {`v = Garden`, ""},
			{`v = Toys`, "c"}, {`v STARTS WITH home`, "a b c d"}, {`v != home`, "d e"},
		},
		facet: `"Home"=3 "Home > Garden"=2 "Home > Garden > Tools"=1 "Homes"=1 "Toys"=1 "Toys > Home"=1`,
		asc:   "c a b d e", desc: "c d b a e",
	},
	{
		of:     mapping.Tags,
		values: []string{`["Red","red","dark blue"]`, `"RED"`, `["Dark Blue","green"]`, `[]`},
		queries: [][2]string{
			{"red", "a b"}, {"blues ", "a c"}, {`"dark blue"`, "a c"}, {`"blue green"`, ""},
		},
		filters: [][2]string{{`v = red`, "a b"}, {`v = "DARK BLUE"`, "a c"}, {`v = dark`, ""}, {`v IN [green, red]`, "a b c"}},
		facet:   `"Dark Blue"=2 "RED"=2 "green"=1`,
		asc:     "a c b d", desc: "a b c d",
	},
	{
		of:     mapping.Keyword,
		values: []string{`"Acme"`, `"acme"`, `["Acme","Zeta Ltd."]`, `10`, `true`, `null`},
		queries: [][2]string{
			{"ACME", "a b c"}, {"acm ", ""}, {"zeta ", ""}, {"zeta ltd.", "c"}, {`"Zeta Ltd."`, "c"}, {"10", "d"}, {"true", "e"},
		},
		filters: [][2]string{{`v = ACME`, "a b c"}, {`v = "zeta ltd."`, "c"}, {`v = 10`, "d"}, {`v = true`, "e"}, {`v < b`, "a b c d"}},
		facet:   `"Acme"=3 "10"=1 "true"=1 "Zeta Ltd."=1`,
		asc:     "d a b c e f", desc: "c e a b d f",
	},
	{
		of:      mapping.CaseSensitiveKeyword,
		values:  []string{`"Acme"`, `"acme"`, `["Acme","École"]`, ``},
		queries: [][2]string{{"Acme ", "a c"}, {"acme ", "b"}, {"ACME ", ""}, {"École", "c"}, {"ecole ", ""}},
		filters: [][2]string{{`v = Acme`, "a c"}, {`v = acme`, "b"}, {`v = "École"`, "c"}, {`v = "ecole"`, ""}, {`v < a`, "a c"}},
		facet:   `"Acme"=2 "acme"=1 "École"=1`,
		asc:     "a c b d", desc: "c b a d",
	},
	{
		of:     mapping.Email,
		values: []string{`"Ann.Lee@Mail.Example.com"`, `"bob@example.org"`, `["x@y.zz","bob@mail.net"]`},
		queries: [][2]string{
			{"ann.lee@mail.example.com", "a"}, {"ann.lee", "a"}, {"mail.example.com", "a"}, {"example", "a b"}, {"bob ", "b c"}, {"mail", "a c"},
		},
		filters: [][2]string{{`v = "ann.lee@mail.example.com"`, "a"}, {`v = "bob@mail.net"`, "c"}, {`v STARTS WITH bob`, "b c"}},
		facet:   `"Ann.Lee@Mail.Example.com"=1 "bob@example.org"=1 "bob@mail.net"=1 "x@y.zz"=1`,
		asc:     "a b c", desc: "c b a",
	},
	{
		of:      mapping.Address,
		values:  []string{`"12 Rue de la Paix, Paris"`, `"Straße 12b"`, `["1 High St","2 Low St"]`},
		queries: [][2]string{{"12 ", "a"}, {"rue de la paix ", "a"}, {"strasse ", "b"}, {"12b", "b"}, {"high 2 ", "c"}, {"pairs ", "a"}, {"paixs ", "a"}},
		filters: [][2]string{{`v = "12 rue de la paix, PARIS"`, "a"}, {`v = "2 low st"`, "c"}},
		facet:   `"1 High St"=1 "12 Rue de la Paix, Paris"=1 "2 Low St"=1 "Straße 12b"=1`,
		asc:     "c a b", desc: "b c a",
	},
	{
		of:     mapping.Path,
		values: []string{`"/a/b"`, `"/a/b/Report"`, `["/ab","/c/d"]`, `"/"`, ``},
		queries: [][2]string{
			{"/a/b", "a b"}, {"report", "b"}, {"d ", "c"}, {"/a/b/report", "b"},
		},
		filters: [][2]string{{`v = "/a"`, "a b"}, {`v = "/a/b"`, "a b"}, {`v = "/A/B/report/"`, "b"}, {`v = "/c"`, "c"}, {`v = "/ab"`, "c"}, {`v != "/a"`, "c d e"}},
		facet:   `"/a"=2 "/a/b"=2 "/"=1 "/a/b/Report"=1 "/ab"=1 "/c"=1 "/c/d"=1`,
		asc:     "d a b c e", desc: "c b a d e",
	},
	{
		of:      mapping.Text,
		values:  []string{`"Cats running"`, `"the dog barks"`, `["x","y"]`},
		queries: [][2]string{{"cat ", "a"}, {"barking ", "b"}, {"y", "c"}, {`"dogs bark"`, "b"}},
		filters: [][2]string{{`v = "cats RUNNING"`, "a"}, {`v = y`, "c"}},
		facet:   `"Cats running"=1 "the dog barks"=1 "x"=1 "y"=1`,
		asc:     "a b c", desc: "c b a",
	},
	{
		of:     mapping.SearchableNumber,
		values: []string{`1984`, `"2001"`, `[1984,7.50]`, `-3`, `null`},
		queries: [][2]string{
			{"1984", "a c"}, {"198", "a c"}, {"198 ", ""}, {"2001 ", "b"}, {"1985 ", ""}, {"7.5", "c"},
		},
		filters: [][2]string{{`v = 1984`, "a c"}, {`v > 1984`, "b"}, {`v = 7.5`, "c"}, {`v < 0`, "d"}, {`v 5 TO 10`, "c"}},
		facet:   `1984=2 -3=1 7.5=1 2001=1`, stats: `-3 2001 5`,
		asc: "d c a b e", desc: "b a c d e",
	},
	{
		of:      mapping.LongText,
		values:  []string{`"Cats running"`, `["the dog","barks"]`, `""`, `null`},
		queries: [][2]string{{"cat ", "a"}, {"bark ", "b"}, {`"dog barks"`, ""}},
		filters: [][2]string{{`v EXISTS`, "a b c"}, {`v IS NULL`, "d"}},
	},
	{
		of: mapping.HTML,
		values: []string{`"<p class='dogs'>Cats &amp; <b>birds</b></p><!-- fish --><script>var mice=1</script><style>.cow{}</style>"`,
			`"caf&eacute; 1 < 2"`},
		queries: [][2]string{{"cat ", "a"}, {"bird", "a"}, {"dogs ", ""}, {"fish", ""}, {"mice", ""}, {"cow", ""}, {"cafe", "b"}, {"amp", ""}},
		filters: [][2]string{{`v EXISTS`, "a b"}},
	},
	{
		of:      mapping.Int,
		values:  []string{`1`, `"2"`, `[3,-4]`, `2147483647`, `null`, `[]`},
		queries: [][2]string{{"1", ""}, {"2147483647", ""}},
		filters: [][2]string{
			{`v = 1`, "a"}, {`v = 2`, "b"}, {`v = -4`, "c"}, {`v > 1.5`, "b c d"}, {`v < 1.5`, "a c"}, {`v = 1.5`, ""}, {`v != 1.5`, "a b c d e f"},
			{`v < 99999999999`, "a b c d"}, {`v > 99999999999`, ""}, {`v > -1e400`, "a b c d"}, {`v 0 TO 2`, "a b"}, {`v:{1 TO 3]`, "b c"}, {`v IS NULL`, "e f"},
		},
		facet: `-4=1 1=1 2=1 3=1 2147483647=1`, stats: `-4 2147483647 5`,
		asc: "c a b d e f", desc: "d c b a e f",
	},
	{
		of:      mapping.Long,
		values:  []string{`9223372036854775807`, `-9223372036854775808`, `[5,6]`},
		filters: [][2]string{{`v = 9223372036854775807`, "a"}, {`v > 9223372036854775806`, "a"}, {`v < 1e30`, "a b c"}, {`v = 9223372036854775806.5`, ""}, {`v = 6`, "c"}},
		facet:   `-9223372036854775808=1 5=1 6=1 9223372036854775807=1`, stats: `-9223372036854775808 9223372036854775807 4`,
		asc: "b c a", desc: "a c b",
	},
	{
		of:      mapping.Float,
		values:  []string{`0.1`, `1e20`, `[-2.5,"3.25"]`, `1`},
		filters: [][2]string{{`v = 0.1`, "a"}, {`v = 0.10`, "a"}, {`v > 1e400`, ""}, {`v < 1e400`, "a b c d"}, {`v = 3.25`, "c"}, {`v = 1.0`, "d"}},
		facet:   `-2.5=1 0.1=1 1=1 3.25=1 100000000000000000000=1`, stats: `-2.5 100000000000000000000 5`,
		asc: "c a d b", desc: "b c d a",
	},
	{
		of:      mapping.Price,
		values:  []string{`0.10`, `12345678901234567890.01`, `[5,"4.99"]`, ``},
		filters: [][2]string{{`v = 0.1`, "a"}, {`v = 12345678901234567890.01`, "b"}, {`v = 12345678901234567890`, ""}, {`v 4 TO 4.995`, "c"}, {`v >= 5`, "b c"}},
		facet:   `0.1=1 4.99=1 5=1 12345678901234567890.01=1`, stats: `0.1 12345678901234567890.01 4`,
		asc: "a c b d", desc: "b c a d",
	},
	{
		of:      mapping.Bool,
		values:  []string{`true`, `"false"`, `[true,false]`, `null`},
		queries: [][2]string{{"true", ""}},
		filters: [][2]string{{`v = true`, "a c"}, {`v = false`, "b c"}, {`v != true`, "b d"}, {`v EXISTS`, "a b c"}},
		facet:   `false=2 true=2`,
		asc:     "b c a d", desc: "a c b d",
	},
	{
		of:      mapping.Date,
		values:  []string{`"2024-05-01"`, `"2024-05-01T23:59:59+02:00"`, `["2023-12-31T10:00","2024-06-01T00:00:00Z"]`, `1714608000000`, ``},
		queries: [][2]string{{"2024", ""}},
		filters: [][2]string{
			{`v = 2024-05-01`, "a b"}, {`v > 2024-05-01`, "c d"}, {`v <= 2024-05-01`, "a b c"}, {`v < 2024-05-01`, "c"}, {`v = 2024-05`, "a b d"}, {`v = 2023`, "c"},
			{`v >= 2024-05-01T21:59:59Z`, "b c d"}, {`v = "2024-05-01T21:59:59Z"`, "b"}, {`v 2024-05-02 TO 2024-05-30`, "d"}, {`v = 1714608000000`, "d"},
		},
		facet: `"2023-12-31T10:00:00Z"=1 "2024-05-01T00:00:00Z"=1 "2024-05-01T21:59:59Z"=1 "2024-05-02T00:00:00Z"=1 "2024-06-01T00:00:00Z"=1`,
		stats: `"2023-12-31T10:00:00Z" "2024-06-01T00:00:00Z" 5`,
		asc:   "c a b d e", desc: "c d b a e",
	},
	{
		// A property without a mapping.
		values: []string{`"Cats"`, `"10"`, `10`, `[true,"cats",2.50]`, `{"deep":{"er":["birds"]}}`, `null`, ``},
		queries: [][2]string{
			{"cat ", "a d"}, {"birds", "e"}, {"10", "b"},
		},
		filters: [][2]string{
			{`v = CATS`, "a d"}, {`v = 10`, "b c"}, {`v = "10"`, "b"}, {`v = true`, "d"}, {`v > 2`, "c d"}, {`v = 2.5`, "d"}, {`v IS NULL`, "f g"}, {`v.deep.er = Birds`, "e"},
			{`v STARTS WITH ca`, "a d"},
		},
		facet: `"Cats"=2 2.5=1 10=1 true=1 "10"=1 "birds"=1`, stats: `2.5 10 2`,
	},
}

func TestMappingTypes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tested := map[mapping.Type]bool{}
	for _, test := range typeTests {
		tested[test.of] = true
		name := "unmapped"
		var fields []string
		if test.of != "" {
			name = string(test.of)
			fields = []string{"v " + name}
		}
		t.Run(name, func(t *testing.T) {
			s.create(t, name, fields...)
			var documents []string
			for i, v := range test.values {
				body := `{}`
				if v != "" {
					body = `{"v":` + v + `}`
				}
				documents = append(documents, string(rune('a'+i)), body)
			}
			s.put(t, name, documents...)
			for _, q := range test.queries {
				if got := s.found(t, name, forWords(q[0]), matching(service.MatchAll), sortedBy("_id")); got != q[1] {
					t.Errorf("query %q finds %q, not %q", q[0], got, q[1])
				}
			}
			for _, f := range test.filters {
				if got := s.found(t, name, filtered(f[0]), sortedBy("_id")); got != f[1] {
					t.Errorf("filter %s finds %q, not %q", f[0], got, f[1])
				}
			}
			if test.of != "" && test.of.Info().Kind == mapping.KindPresence {
				return
			}
			resp := s.search(t, name, withFacets("v"))
			if got := facet(t, resp, "v"); got != test.facet {
				t.Errorf("facet\n %s, not\n %s", got, test.facet)
			}
			if got := statsText(t, resp, "v"); got != test.stats {
				t.Errorf("stats %s, not %s", got, test.stats)
			}
			if test.asc == "" {
				return
			}
			if got := s.found(t, name, sortedBy("v")); got != test.asc {
				t.Errorf("ascending: %s, not %s", got, test.asc)
			}
			if got := s.found(t, name, sortedBy("-v")); got != test.desc {
				t.Errorf("descending: %s, not %s", got, test.desc)
			}
		})
	}
	for _, of := range mapping.Types {
		if !tested[of] {
			t.Errorf("no test of %s", of)
		}
	}
}

// statsText returns the stats of a facet without their mean: smallest, largest, number; "" if there are none.
func statsText(t *testing.T, resp *service.SearchResponse, name string) string {
	t.Helper()
	stats, ok := resp.FacetStats[name]
	if !ok {
		return ""
	}
	text, err := json.Marshal([]any{stats.Min, stats.Max, stats.Count})
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.Trim(string(text), "[]"), ",", " ")
}

func TestFacetMean(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "price price", "on date", "stock int", "far float", "near float")
	s.put(t, "goods", "1", `{"price":1.10,"on":"2024-01-01","stock":1,"free":2}`, "2", `{"price":[2.20,3.30],"on":"2024-01-03","stock":2,"free":[4,"x"]}`)
	// Neither their sum nor their squares fit into a double.
	s.put(t, "goods", "3", `{"far":[1e308,1.7976931348623157e308]}`, "4", `{"far":1.7976931348623157e308}`, "5", `{"near":[-1,4]}`)
	stats := s.search(t, "goods", withFacets("price, on, stock, free, far, near")).FacetStats
	for name, want := range map[string]string{"far": "1.5317954232415438e+308", "near": "1.5", "price": "2.2", "on": `"2024-01-02T00:00:00Z"`, "stock": "1.5", "free": "3"} {
		mean, err := json.Marshal(stats[name].Avg)
		if err != nil {
			t.Fatal(err)
		}
		got := string(mean)
		if name != "on" {
			var n float64
			if err := json.Unmarshal(mean, &n); err != nil {
				t.Fatal(err)
			}
			got = fmt.Sprint(n)
		}
		if got != want {
			t.Errorf("mean of %s is %s, not %s", name, got, want)
		}
	}
	// The sum of these has more digits than a numeric may have.
	s.create(t, "vast", "price price", "least long")
	s.put(t, "vast", "1", `{"price":[9e131071,3],"free":9e131071,"least":-9223372036854775808}`, "2", `{"price":9e131071,"free":[9e131071,3],"least":-9223372036854775808}`)
	vast := "6" + strings.Repeat("0", 131070) + "1"
	stats = s.search(t, "vast", withFacets("price, free, least")).FacetStats
	for name, want := range map[string]string{"price": vast, "free": vast, "least": "-9223372036854775808"} {
		mean, err := json.Marshal(stats[name].Avg)
		if err != nil || string(mean) != want {
			t.Errorf("mean of %s: %.20s… of %d digits, %v", name, mean, len(mean), err)
		}
	}
}

// A field may have any name that a property can have.
func TestMappingNames(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	names := []string{
		strings.Repeat("a", 200), strings.Repeat("a", 199) + "b", strings.Repeat("ü", 100), "select", "ctid", "xmin", "body", "id",
		"boost_tsv", "boost_key", "title", "title_tsv", "title_keys", "a.b", `it's "quoted"`, `back\slash`, "$1", "日本語", "-", " ", "%s", "a;--", "TITLE",
	}
	var fields []string
	for _, name := range names {
		fields = append(fields, name+" keyword")
	}
	s.create(t, "odd", fields...)
	body := map[string]any{"a": map[string]any{"b": "value of a.b"}}
	for _, name := range names {
		if name != "a.b" {
			body[name] = "value of " + name
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	s.put(t, "odd", "1", string(text), "2", `{"title":"value of select"}`)
	for _, name := range names {
		condition, err := json.Marshal(map[string]any{name: "VALUE of " + name})
		if err != nil {
			t.Fatal(err)
		}
		by := "`" + name + "`"
		resp := s.search(t, "odd", sortedBy(by), withFacets(by), func(r *service.SearchRequest) { r.Filter.Raw = condition })
		if len(resp.IDs) != 1 || resp.IDs[0] != "1" {
			t.Errorf("filter by %q finds %q", name, resp.IDs)
		}
		want, err := json.Marshal("value of " + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := facet(t, resp, name); got != string(want)+"=1" {
			t.Errorf("facet %q: %s", name, got)
		}
		found := s.search(t, "odd", forWords(`"value of `+strings.ReplaceAll(name, `"`, " ")+`"`))
		if len(found.IDs) == 0 && name != `it's "quoted"` {
			t.Errorf("the keyword %q is not found", name)
		}
	}
	// All of it can be rebuilt, and exist beside other fields.
	if _, err := s.svc.UpdateIndex(t.Context(), "demo", "odd", mappings("title_all keyword", "title_2 keyword", "ctid text"), true); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "odd", filtered(`ctid = "value of ctid"`)); got != "1" {
		t.Errorf("after the rebuild: %q", got)
	}
}

// A property whose name has a dot wins over an object's property.
func TestDottedNames(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "books", "author.name name")
	s.put(t, "books", "1", `{"author":{"name":"Ann"}}`, "2", `{"author.name":"Bob","author":{"name":"Ann"}}`, "3", `{"author":[{"name":"Cid"}]}`, "4", `{"author":"Ann"}`)
	for query, want := range map[string]string{`author.name = ann`: "1", `author.name = bob`: "2", `author.name = cid`: "3", `author.name EXISTS`: "1 2 3"} {
		if got := s.found(t, "books", filtered(query), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, not %q", query, got, want)
		}
	}
	if got := s.found(t, "books", forWords("bob ")); got != "2" {
		t.Errorf("bob finds %q", got)
	}
}

// A category or path compares by its normalized spelling, whatever the operator.
func TestLevelsCompareHoweverTheyAreSpelled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "c category", "p path")
	s.put(t, "docs", "1", `{"c":"Home  >  Garden","p":"/a/b/"}`)
	for expression, want := range map[string]int64{
		`c = "Home  >  Garden"`: 1, `c > "Home  >  Garden"`: 0, `c >= " Home > Garden "`: 1, `c <= "Home  >  Garden"`: 1,
		`c:["Home  >  Garden" TO "Home  >  Garden"]`: 1, `c STARTS WITH "Home  >  Gar"`: 1, `c STARTS WITH "Home  > "`: 1, `c STARTS WITH "Home >"`: 1, `c STARTS WITH "Home > Garden > "`: 0,
		`p = /a/b/`: 1, `p < /a/b/`: 0, `p > /a/b/`: 0, `p >= /a/b/`: 1, `p:[/a/b/ TO /a/b/]`: 1, `p STARTS WITH /a/`: 1, `p STARTS WITH /a/b/`: 0,
	} {
		if got := s.search(t, "docs", filtered(expression)).Total; got != want {
			t.Errorf("%s finds %d documents, want %d", expression, got, want)
		}
	}
}

// A query is also looked for as one value: a path, or a segment of one, is found as pasted, whatever spaces it has.
func TestPathsWithSpaces(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "p path", "t text")
	s.put(t, "docs", "report", `{"p":"/My Documents/Tax Report.pdf"}`, "my", `{"p":"/my/documents"}`, "text", `{"t":"my documents"}`)
	for q, want := range map[string]string{
		"/My Documents/Tax Report.pdf": "report", "my documents": "my report text", "Tax Report.pdf": "report", "tax report": "", "my documents -tax": "my text", "/My Documents/Tax Report.pdf,": "",
		"/My Documents/Ta": "report", "/My Doc": "my report text", "/my doc ": "", "documents/tax": "", "/my documents/x": "", "/My Documents/": "my report text", "/My Documents/Tax R": "report", "/My Documents/Tax T": "",
	} {
		if got := s.found(t, "docs", forWords(q), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%q finds %q, want %q", q, got, want)
		}
	}
}

// A query with a digit finds identifiers that are written without its spaces.
func TestIdentifiersWithSpaces(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence", "code identifier")
	s.put(t, "things", "isbn", `{"code":"9783161484100"}`, "hyphens", `{"code":"978-3-16-148410-0"}`, "iban", `{"code":"DE89370400440532013000"}`, "model", `{"code":"HL2030"}`,
		"apart", `{"code":"HL 2030"}`, "words", `{"code":"redshoes"}`, "title", `{"title":"a book of 978 pages"}`)
	for query, want := range map[string]string{
		"978 3 16 148410 0 ":           "hyphens isbn",
		"978 3 16 1484":                "hyphens isbn",
		"978 3 16 1484 ":               "",
		"DE89 3704 0044 0532 0130 00 ": "iban",
		"hl 2030 ":                     "apart model",
		"hl 20":                        "apart model",
		`"hl" 2030 `:                   "apart model",
		"hl 2030 -book ":               "apart",
		"hl OR 2030 ":                  "apart",
		"red shoes ":                   "",
	} {
		if got := s.found(t, "things", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	if got := s.search(t, "things", forWords("hl 2030 "), sortedBy("-_id")).Hits[0].Highlight["code"]; len(got) != 1 || got[0] != "<b>HL2030</b>" {
		t.Errorf("marked: %q", got)
	}
}

// A few digits with punctuation are decimals, versions and the like. Without it, they would be other numbers, and the beginning of very many.
func TestFiguresAreNotIdentifiers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence", "code identifier")
	s.put(t, "things", "title", `{"title":"Bluetooth 4.0 adapter"}`, "long", `{"code":"4015867222683"}`, "whole", `{"code":"40"}`, "part", `{"code":"XX-40"}`, "same", `{"code":"4.0"}`,
		"longer", `{"code":"v-4.0.1"}`, "parts", `{"code":"4-0"}`, "article", `{"code":"40158"}`)
	for query, want := range map[string]string{
		"4.0":     "longer parts same title",
		"4.0 ":    "longer parts same title",
		`"4.0"`:   "longer parts same title",
		"4/0 ":    "longer parts same title",
		"4 0 ":    "longer parts same title",
		"#40 ":    "part parts same whole",
		"40":      "article long part parts same whole",
		"-4.0":    "article long part whole",
		"401-58 ": "article",
		"401-58":  "article long",
		"xx.40 ":  "part",
		"xx40 ":   "part",
	} {
		if got := s.found(t, "things", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

// Paths below a folder come before a path that has the words of its name separately.
func TestFoldersWithSpacesComeFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "p path")
	s.put(t, "docs", "apart", `{"p":"/my/documents"}`, "below", `{"p":"/My Documents/Tax Report.pdf"}`)
	if got := s.search(t, "docs", forWords("/My Documents/")).IDs; !slices.Equal(got, []string{"below", "apart"}) {
		t.Errorf("found %q", got)
	}
}

// A path that ends in a slash is a prefix of what is below it, and of no other name.
func TestPathsThatEndInASlash(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "p path")
	s.put(t, "docs", "folder", `{"p":"/a/b/"}`, "below", `{"p":"/a/b/c"}`, "other", `{"p":"/a/bc"}`)
	for query, want := range map[string]string{"/a/b/": "below folder", "/a/b": "below folder other", "/": "below folder other"} {
		if got := s.found(t, "docs", forWords(query), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

// A tag or category is found as a whole by a query that equals it, even if its words are stop words, like a text of nothing else.
func TestTagsOfStopWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "bands", "tags tags", "genre category", "text text")
	s.put(t, "bands", "who", `{"tags":["The Who","rock"]}`, "band", `{"tags":["The Band"]}`, "all", `{"genre":"It"}`, "text", `{"text":"the who"}`)
	for q, want := range map[string]string{"the who": "text who", "The Who ": "text who", "it ": "all", "rock ": "who", "the band": "band"} {
		if got := s.found(t, "bands", forWords(q), sortedBy("_id")); got != want {
			t.Errorf("%q finds %q, want %q", q, got, want)
		}
	}
}
