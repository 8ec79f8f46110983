package filter_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

func TestParseSort(t *testing.T) {
	t.Parallel()
	price := filter.SortKey{Field: "price", Kind: mapping.KindNumber}
	priceDesc := filter.SortKey{Field: "price", Kind: mapping.KindNumber, Desc: true}
	best := filter.SortKey{Field: "_score", Kind: mapping.KindNumber, Score: true, Desc: true}
	worst := filter.SortKey{Field: "_score", Kind: mapping.KindNumber, Score: true}
	id := filter.SortKey{Field: "_id", Kind: mapping.KindID, ID: true}
	tests := []struct {
		src  string
		want []filter.SortKey
	}{
		{"", nil},
		{"  ", nil},
		{"price", []filter.SortKey{price}},
		{"-price", []filter.SortKey{priceDesc}},
		{"price:asc", []filter.SortKey{price}},
		{"price:DESC", []filter.SortKey{priceDesc}},
		{"price desc", []filter.SortKey{priceDesc}},
		{"price : desc", []filter.SortKey{priceDesc}},
		{"_score", []filter.SortKey{best}},
		{"-_score", []filter.SortKey{worst}},
		{"_score:desc", []filter.SortKey{best}},
		{"_score asc", []filter.SortKey{worst}},
		{"_id", []filter.SortKey{id}},
		{" price , -price,_id , price:asc", []filter.SortKey{price, priceDesc, id}},
		{"-price,price,-price,price desc", []filter.SortKey{priceDesc, price}},
		{"_score,-_score,_id,-_id", []filter.SortKey{best, id}},
		{"a,-a,b,-b,c,-c,d,-d,e,-e,a", []filter.SortKey{
			{Field: "a"}, {Field: "a", Desc: true}, {Field: "b"}, {Field: "b", Desc: true}, {Field: "c"}, {Field: "c", Desc: true},
			{Field: "d"}, {Field: "d", Desc: true}, {Field: "e"}, {Field: "e", Desc: true},
		}},
		{"-`two words`,free", []filter.SortKey{{Field: "two words", Desc: true}, {Field: "free"}}},
		{"author.name,desc,asc asc", []filter.SortKey{{Field: "author.name", Kind: mapping.KindFolded}, {Field: "desc"}, {Field: "asc"}}},
		{"a,b,c,d,e,f,g,h,i,j,a", []filter.SortKey{
			{Field: "a"}, {Field: "b"}, {Field: "c"}, {Field: "d"}, {Field: "e"}, {Field: "f"}, {Field: "g"}, {Field: "h"}, {Field: "i"}, {Field: "j"},
		}},
	}
	for _, test := range tests {
		got, err := filter.ParseSort(test.src, kindOf)
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", test.src, diff)
		}
	}
}

func TestParseSortErrors(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"price,":                     "column 7: expected a field name, _score or _id, found the end of the sort expression",
		",price":                     `column 1: expected a field name, _score or _id, found ","`,
		"--price":                    `column 2: expected a field name, _score or _id, found "-price"`,
		"+price":                     `column 1: expected a field name, _score or _id, found "+price"; omit the "+": a name alone sorts the smallest first`,
		`price, "in stock"`:          `column 8: expected a field name, _score or _id, found a double quote; a name with special characters goes in backquotes, not in double quotes`,
		"price upwards":              `column 7: expected asc or desc, found "upwards"`,
		"price:":                     "column 7: expected asc or desc, found the end of the sort expression",
		"-price:asc":                 `column 8: expected the end of the key, found "asc"; the "-" before the name already gives the direction`,
		"price desc brand":           `column 12: expected ":asc", ":desc", "," or the end, found "brand"; a name with special characters goes in backquotes`,
		"brand, -body":               "column 8: body is a long text and cannot be sorted by; map it as text or sentence",
		"_highlight":                 "column 1: _highlight cannot be sorted by: of the names that begin with an underscore, only _score and _id can",
		"`price":                     "column 1: expected a closing backquote for the name that begins here",
		"a,b,c,d,e,f,g,h,i,j,k":      "column 21: a sort expression may have at most 10 keys",
		"a,-a,b,-b,c,-c,d,-d,e,-e,f": "column 26: a sort expression may have at most 10 keys",
		"é, \xff":                    "column 4: the sort expression is not valid UTF-8",
	} {
		_, err := filter.ParseSort(src, kindOf)
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", src, err, want)
		}
	}
}

func TestParseNames(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]string{
		"":                          nil,
		" , ":                       nil,
		"brand":                     {"brand"},
		"brand tags,price":          {"brand", "tags", "price"},
		"brand,  tags\n\tbrand":     {"brand", "tags"},
		"`two words`, `a,b` `a``b`": {"two words", "a,b", "a`b"},
		"author.name C++ a=b":       {"author.name", "C++", "a=b"},
	} {
		got, err := filter.ParseNames(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", src, diff)
		}
	}
	for src, want := range map[string]string{
		"brand `tags": "column 7: expected a closing backquote",
		"`a`b":        "column 4: expected a space or a comma after the name",
		"a`b`":        "column 2: expected a space or a comma after the name",
		"``":          "column 1: expected a field name between the backquotes",
		"a\x00":       "column 2: the character U+0000",
	} {
		if _, err := filter.ParseNames(src); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got error %v, want %s…", src, err, want)
		}
	}
}
