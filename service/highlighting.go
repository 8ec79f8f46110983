package service

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// highlightField is a field of one hit that is searched.
type highlightField struct {
	name   string
	values *highlight.FieldValues
	sep    string
}

// fieldsOf are the searched fields of each hit.
func (r *searchRun) fieldsOf(hits []FoundHit) ([][]highlightField, error) {
	fields := make([][]highlightField, len(hits))
	for i, h := range hits {
		var err error
		if fields[i], err = r.searchedFields(h.Document.Body); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// highlight marks the words that the hits, whose fields these are, were found by.
func (r *searchRun) highlight(ctx context.Context, hits Hits, fields [][]highlightField) error {
	specs := map[mapping.Analysis]highlight.Spec{}
	for _, f := range r.plan.Fields {
		if specs[f.Analysis].Matcher == nil {
			specs[f.Analysis] = spec(r.plan.Terms, f.Analysis)
		}
	}
	var needed []*highlight.FieldValues
	for _, list := range fields {
		for _, f := range list {
			needed = append(needed, f.values)
		}
	}
	language := r.target.Index.Settings.Language
	likely, err := r.service.store.Likely(ctx, language, stemmedLexemes(r.plan.Terms))
	if err != nil {
		return err
	}
	if words := highlight.NeededWords(needed, likely); len(words) > 0 {
		lexemes, err := r.service.store.Lexemes(ctx, language, words)
		if err != nil {
			return err
		}
		highlight.Know(needed, lexemes)
	}
	for i := range hits {
		hits[i].Highlight = map[string][]string{}
		for _, f := range fields[i] {
			spec := specs[f.values.Analysis]
			spec.Separator = f.sep
			if marked := highlight.Field(f.values, spec); len(marked) > 0 {
				hits[i].Highlight[f.name] = marked
			}
		}
	}
	return nil
}

// spec looks for the terms in fields of one analysis. Tags and levels are looked for as wholes under the query's word, their words
// under its stem, which may be another word: neither is marked for the other.
func spec(terms []Term, a mapping.Analysis) highlight.Spec {
	if a != mapping.Levels && a != mapping.TagWords {
		return highlight.Spec{Analysis: a, Matcher: matcher(terms, a, func(Alternative) bool { return true })}
	}
	whole := func(one Alternative) bool {
		mark, _ := analysis.Marked(one.Sequence[0].Text)
		return mark != ""
	}
	return highlight.Spec{Analysis: a, Matcher: matcher(terms, a, func(one Alternative) bool { return !whole(one) }), Wholes: matcher(terms, a, whole)}
}

// matcher looks for those of the alternatives that are wanted.
func matcher(terms []Term, a mapping.Analysis, wanted func(Alternative) bool) *highlight.Matcher {
	list := make([]highlight.Term, len(terms))
	for i, t := range terms {
		for _, alternative := range t.Alternatives[a] {
			if !wanted(alternative) {
				continue
			}
			var sequence highlight.Sequence
			for _, l := range alternative.Sequence {
				for range l.Gap - 1 {
					sequence = append(sequence, highlight.Lexeme{})
				}
				sequence = append(sequence, highlight.Lexeme{Text: unmarked(l.Text), Prefix: l.Prefix})
			}
			list[i] = append(list[i], sequence)
		}
	}
	return highlight.NewMatcher(list)
}

// stemmedLexemes are the lexemes that stemmed fields are searched for.
func stemmedLexemes(terms []Term) (list []string) {
	for _, t := range terms {
		for analysis, alternatives := range t.Alternatives {
			if !analysis.Stems() {
				continue
			}
			for _, a := range alternatives {
				for _, l := range a.Sequence {
					if text := unmarked(l.Text); !slices.Contains(list, text) {
						list = append(list, text)
					}
				}
			}
		}
	}
	return list
}

// unmarked is a lexeme without the mark of whole values: a highlighter knows what it looks at.
func unmarked(lexeme string) string {
	_, text := analysis.Marked(lexeme)
	return text
}

// searchedFields are the values of a document in the searched fields, those of properties without a mapping
// under their top-level names.
func (r *searchRun) searchedFields(body json.RawMessage) ([]highlightField, error) {
	doc, err := document.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("a stored document cannot be read: %w", err)
	}
	var list []highlightField
	rest := false
	for _, f := range r.plan.Fields {
		if f.Name == "" {
			rest = true
			continue
		}
		value, ok := property(doc, f.Name)
		if !ok {
			continue
		}
		m, _ := r.target.Index.Mapping(f.Name)
		list = append(list, highlightField{f.Name, &highlight.FieldValues{Values: scalars(nil, value, false), Analysis: f.Analysis}, m.Type.Info().Separator})
	}
	if !rest {
		return list, nil
	}
	for _, m := range r.target.Index.Mappings {
		removeProperty(doc, m.Name)
	}
	delete(doc, "boost")
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		if values := scalars(nil, doc[name], true); len(values) > 0 {
			list = append(list, highlightField{name, &highlight.FieldValues{Values: values, Analysis: mapping.Stemmed}, ""})
		}
	}
	return list, nil
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

// removeProperty takes what property finds out of an object.
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

// scalars appends the strings of a value, of arrays at any depth; with deep only strings, but those of objects
// too; otherwise also numbers and booleans, as text.
func scalars(to []string, v any, deep bool) []string {
	switch v := v.(type) {
	case string:
		return append(to, v)
	case json.Number:
		if !deep {
			return append(to, v.String())
		}
	case bool:
		if !deep {
			return append(to, fmt.Sprint(v))
		}
	case []any:
		for _, e := range v {
			to = scalars(to, e, deep)
		}
	case map[string]any:
		if deep {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				to = scalars(to, v[name], deep)
			}
		}
	}
	return to
}
