package service

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// highlightField is a searched field of one hit.
type highlightField struct {
	name   string
	values *highlight.FieldValues
	sep    string
	// crowded reports whether the page has too much text to keep all of its words at once: they take up to a hundred times as much memory.
	crowded bool
}

// textAtOnce is how many bytes of the text of a page are split into words at once.
const textAtOnce = 512 << 10

// fieldsOf returns the searched fields of each hit, which keep their words in words.
func (r *searchRun) fieldsOf(hits []FoundHit, words *highlight.Words) ([][]highlightField, error) {
	reader := newFieldReader(r.target.Index, r.plan.Fields, words)
	fields := make([][]highlightField, len(hits))
	size := 0
	for i, h := range hits {
		var err error
		if fields[i], err = reader.read(h.Document.Body); err != nil {
			return nil, fmt.Errorf("a stored document cannot be read: %w", err)
		}
		for _, f := range fields[i] {
			size += f.values.Size()
		}
	}
	if size > textAtOnce {
		for _, list := range fields {
			for i := range list {
				list[i].crowded, list[i].values.Words = true, nil
			}
		}
	}
	return fields, nil
}

// fieldReader reads the values of documents in the searched fields.
type fieldReader struct {
	fields   []Field
	mappings []mapping.Mapping
	// places maps the names of mappings to indexes in fields; -1 for what is not searched, or not shown.
	places map[string]int
	// rest reports whether properties without a mapping are searched, nested whether a mapping may be of a property in an object.
	rest, nested bool
	separators   []string // by field
	words        *highlight.Words
}

func newFieldReader(ix *Index, fields []Field, words *highlight.Words) *fieldReader {
	r := &fieldReader{fields: fields, mappings: ix.Mappings, places: map[string]int{"boost": -1}, separators: make([]string, len(fields)), words: words}
	for _, m := range ix.Mappings {
		r.places[m.Name] = -1
		r.nested = r.nested || strings.Contains(m.Name, ".")
	}
	for i, f := range fields {
		if f.Name == "" {
			r.rest = true
			continue
		}
		m, _ := ix.Mapping(f.Name)
		r.places[f.Name], r.separators[i] = i, m.Type.Info().Separator
	}
	return r
}

// read returns the values of a document in the searched fields, those of properties without a mapping under their top-level names.
func (r *fieldReader) read(body json.RawMessage) ([]highlightField, error) {
	if r.nested {
		return r.readNested(body)
	}
	values := make([][]string, len(r.fields))
	var rest []highlightField
	wanted := func(name []byte) document.TextsOf {
		switch place, mapped := r.places[string(name)]; {
		case place >= 0 && mapped:
			return document.Scalars
		case !mapped && r.rest:
			return document.Strings
		}
		return document.NoTexts
	}
	err := document.EachTexts(body, wanted, func(name string, texts []string) {
		if place, mapped := r.places[name]; mapped {
			values[place] = texts
		} else if len(texts) > 0 {
			rest = append(rest, r.unmapped(name, texts))
		}
	})
	if err != nil {
		return nil, err
	}
	list := make([]highlightField, 0, len(r.fields)+len(rest))
	for i, texts := range values {
		if len(texts) > 0 {
			list = append(list, r.field(i, texts))
		}
	}
	slices.SortFunc(rest, func(a, b highlightField) int { return strings.Compare(a.name, b.name) })
	return append(list, rest...), nil
}

// readNested is read for mappings that may be of properties in objects.
func (r *fieldReader) readNested(body json.RawMessage) ([]highlightField, error) {
	doc, err := document.Decode(body)
	if err != nil {
		return nil, err
	}
	var list []highlightField
	for i, f := range r.fields {
		if f.Name == "" {
			continue
		}
		if value, ok := property(doc, f.Name); ok {
			list = append(list, r.field(i, document.AppendTexts(nil, value, document.Scalars)))
		}
	}
	if !r.rest {
		return list, nil
	}
	for _, m := range r.mappings {
		removeProperty(doc, m.Name)
	}
	delete(doc, "boost")
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		if texts := document.AppendTexts(nil, doc[name], document.Strings); len(texts) > 0 {
			list = append(list, r.unmapped(name, texts))
		}
	}
	return list, nil
}

func (r *fieldReader) field(place int, texts []string) highlightField {
	f := r.fields[place]
	return highlightField{name: f.Name, values: &highlight.FieldValues{Values: texts, Analysis: f.Analysis, Words: r.words}, sep: r.separators[place]}
}

func (r *fieldReader) unmapped(name string, texts []string) highlightField {
	return highlightField{name: name, values: &highlight.FieldValues{Values: texts, Analysis: mapping.Stemmed, Unmapped: true, Words: r.words}}
}

// property finds a mapped name in an object: a property of that very name, or else a dotted path into objects
// and arrays of objects, whose longest first step that leads to something wins.
func property(v any, name string) (any, bool) {
	switch v := v.(type) {
	case []any:
		var found []any
		for _, e := range v {
			if value, ok := property(e, name); ok {
				found = append(found, value)
			}
		}
		return found, found != nil
	case map[string]any:
		if value, ok := v[name]; ok {
			return value, true
		}
		for i := strings.LastIndexByte(name, '.'); i > 0; i = strings.LastIndexByte(name[:i], '.') {
			if inner, ok := v[name[:i]]; ok {
				if value, ok := property(inner, name[i+1:]); ok {
					return value, true
				}
			}
		}
	}
	return nil, false
}

// removeProperty removes from an object what property finds.
func removeProperty(v any, name string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			removeProperty(e, name)
		}
	case map[string]any:
		if _, ok := v[name]; ok {
			delete(v, name)
			return
		}
		for i := strings.LastIndexByte(name, '.'); i > 0; i = strings.LastIndexByte(name[:i], '.') {
			if inner, ok := v[name[:i]]; ok {
				if _, ok := property(inner, name[i+1:]); ok {
					removeProperty(inner, name[i+1:])
					return
				}
			}
		}
	}
}
