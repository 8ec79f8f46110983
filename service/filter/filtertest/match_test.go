package filtertest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/filter/filtertest"
)

// TestMatch checks the meaning of filters as documented for users: for each document, the filters that find it and those that do not.
func TestMatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, doc string
		yes, no   []string
	}{
		{
			"strings are folded", `{"brand":"Éclair Noir","code":"Ab"}`,
			[]string{`brand = "eclair noir"`, `brand STARTS WITH ECL`, `brand > eclair`, `code = Ab`, `code STARTS WITH A`},
			[]string{`brand = eclair`, `brand < "ECLAIR NOIR"`, `code = ab`, `code STARTS WITH a`},
		},
		{
			"any element", `{"tags":["Red","dark blue",null],"price":[5,30]}`,
			[]string{`tags = red`, `tags IN [x, RED]`, `price > 20`, `price < 10`, `price > 20 AND price < 10`, `tags STARTS WITH dark`},
			[]string{`tags = blue`, `tags != red`, `price 10 TO 20`, `price:{5 TO 30}`, `NOT tags = red`, `tags NOT IN [x, red]`},
		},
		{
			"missing and null", `{"brand":null,"tags":[]}`,
			[]string{`brand != x`, `brand NOT IN [x]`, `NOT brand > a`, `brand IS NULL`, `tags IS NULL`, `stock IS NULL`, `stock != 1`, `tags != x`},
			[]string{`brand = x`, `brand EXISTS`, `tags EXISTS`, `brand > a`, `stock < 1`, `brand IN []`, `brand STARTS WITH ""`},
		},
		{
			"numbers", `{"stock":"12","price":0.10,"free":1e1}`,
			[]string{`stock = 12`, `stock = 12.0`, `stock > 11.5`, `stock < 1e30`, `price = .1`, `price = "0.1"`, `free = 10`, `free 9 TO 11`},
			[]string{`stock = 12.5`, `stock > 1e30`, `price > 0.1`, `free = "10"`, `free > "1"`},
		},
		{
			"unmapped strings", `{"free":["10","True","Rot"],"nested":{"free":true}}`,
			[]string{`free = 10`, `free = "10"`, `free = true`, `free = ROT`, `free STARTS WITH ro`, `free > "0"`, `nested.free = true`},
			[]string{`free = 10.0`, `free > 5`, `nested.free = "true"`, `nested.free STARTS WITH t`},
		},
		{
			"a property with a dot wins", `{"author":{"name":"inner"},"author.name":"outer"}`,
			[]string{`author.name = outer`}, []string{`author.name = inner`},
		},
		{
			"levels", `{"category":"Home >  Garden > Tools ","folder":["/a/b/c","x"]}`,
			[]string{`category = home`, `category = "Home > Garden"`, `category = "home > garden > tools > "`, `folder = /a`, `folder = /A/b/`, `folder = x`, `category STARTS WITH "Home > G"`},
			[]string{`category = Garden`, `category = "Home > Gar"`, `folder = /a/b/c/d`, `folder = a`, `folder = /`, `folder = ""`},
		},
		{
			"dates", `{"released":"2024-05-01T23:30:00-01:00"}`, // the 2nd in UTC
			[]string{`released = 2024-05-02`, `released > 2024-05-01`, `released >= 2024-05-02`, `released <= 2024-05-02`, `released = 2024`, `released 2024-05 TO 2024-05`, `released = 2024-05-02T00:30:00Z`, `released < 2024-06`},
			[]string{`released = 2024-05-01`, `released > 2024-05-02`, `released < 2024-05-02`, `released != 2024-05`, `released:{2024-05 TO 2024-06}`, `released > 2024`},
		},
		{
			"epoch milliseconds", `{"released":1714521600000}`,
			[]string{`released = 2024-05-01`, `released = 1714521600000`, `released = 2024-05-01T00:00:00Z`},
			[]string{`released > 2024-05-01T00:00`, `released = 1714521600001`},
		},
		{
			"booleans", `{"active":["false"]}`, []string{`active = FALSE`, `active != true`}, []string{`active = true`},
		},
		{
			"presence", `{"body":["x"],"tags":[null]}`, []string{`body EXISTS`, `tags EXISTS`}, []string{`body IS NULL`},
		},
		{
			"_id", `{}`, []string{`_id = Doc1`, `_id EXISTS`, `_id > A`, `_id STARTS WITH D`}, []string{`_id = doc1`, `_id IS NULL`},
		},
		{
			"numbers in a keyword", `{"brand":[1.50,1.5e1,true]}`,
			[]string{`brand = 1.50`, `brand = 15`, `brand = true`}, []string{`brand = 1.5`},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := decode(t, test.doc)
			for want, filters := range map[bool][]string{true: test.yes, false: test.no} {
				for _, src := range filters {
					n, err := filter.Parse(src)
					if err != nil {
						t.Errorf("%s: %v", src, err)
						continue
					}
					c, err := filter.Bind(n, filtertest.KindOf(filtertest.Types))
					if err != nil {
						t.Errorf("%s: %v", src, err)
						continue
					}
					if got := filtertest.Match(c, doc, filtertest.Types); got != want {
						t.Errorf("%s on %s: got %v", src, test.doc, got)
					}
				}
			}
		})
	}
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	doc := map[string]any{}
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	doc["_id"] = "Doc1"
	return doc
}
