package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

// shownFields is how many properties are shown if none are named and the request does not use more.
const shownFields = 4

// showableFields chooses the properties to show: those that name a document, those that the request sorts and filters by, and short ones.
func (c *searchCommand) showableFields(result searchResult) []string {
	longest := make(map[string]int)
	for _, hit := range result.Hits {
		for name, value := range hit {
			if !strings.HasPrefix(name, "_") && name != "autocomplete" && len(value) > 0 && value[0] != '{' {
				longest[name] = max(longest[name], len(value))
			}
		}
	}
	var fields []string
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(fields, name) {
				fields = append(fields, name)
			}
		}
	}
	absent := func(name string) bool { return longest[name] == 0 }
	naming := slices.DeleteFunc([]string{"title", "name", "label", "headline", "subject"}, absent)
	asked := slices.DeleteFunc(askedFields(result.Params.Sort, c.Filter), func(name string) bool { return !anyHas(result, name) })
	short := slices.DeleteFunc(slices.Sorted(maps.Keys(longest)), func(name string) bool { return longest[name] > 40 })
	add(naming[:min(len(naming), 1)]...)
	add(asked...)
	most := max(shownFields, len(fields))
	add(naming...)
	add(short...)
	return fields[:min(len(fields), most)]
}

// askedFields returns the properties that a request sorts and filters by. The server has accepted both expressions; one
// that cannot be parsed here yields no names.
func askedFields(sort, expression string) []string {
	var names []string
	add := func(name string) {
		if !strings.HasPrefix(name, "_") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	anyKind := func(string) mapping.Kind { return mapping.KindUnmapped }
	if keys, err := filter.ParseSort(sort, anyKind); err == nil {
		for _, key := range keys {
			add(key.Field)
		}
	}
	if node, err := filter.Parse(expression); err == nil {
		for name := range filter.Fields(node) {
			add(name)
		}
	}
	return names
}

func anyHas(result searchResult, name string) bool {
	for _, hit := range result.Hits {
		if len(document.At(hit, name)) > 0 {
			return true
		}
	}
	return false
}
