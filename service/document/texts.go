package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// TextsOf says which texts of a value are wanted.
type TextsOf uint8

const (
	// NoTexts wants none.
	NoTexts TextsOf = iota
	// Scalars wants strings, and numbers and booleans as they are written; of an array those of its elements, at any depth; of objects none.
	Scalars
	// Strings wants the strings at any depth, of an object in the order of its names.
	Strings
)

// AppendTexts appends the texts of a value as Decode returns it.
func AppendTexts(to []string, value any, of TextsOf) []string {
	switch v := value.(type) {
	case string:
		return append(to, v)
	case json.Number:
		if of == Scalars {
			return append(to, v.String())
		}
	case bool:
		if of == Scalars {
			return append(to, fmt.Sprint(v))
		}
	case []any:
		for _, e := range v {
			to = AppendTexts(to, e, of)
		}
	case map[string]any:
		if of == Strings {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				to = AppendTexts(to, v[name], of)
			}
		}
	}
	return to
}

// EachTexts calls do with the texts of those top-level properties of a stored document of which wanted asks for
// some. It takes half as long as Decode, which makes values of everything.
func EachTexts(body []byte, wanted func(name []byte) TextsOf, do func(name string, texts []string)) error {
	d := decoder{scanner: newScanner(body)}
	if d.peek() != '{' {
		return fmt.Errorf("document: no object")
	}
	ok := d.members(func(name []byte) bool {
		of := wanted(name)
		if of == NoTexts {
			return d.skip(1)
		}
		property := string(name)
		texts, ok := d.texts(nil, of)
		if ok {
			do(property, texts)
		}
		return ok
	})
	if !ok || !d.end() {
		return d.err
	}
	return nil
}

// texts reads a value and appends its texts.
func (d *decoder) texts(to []string, of TextsOf) ([]string, bool) {
	c := d.peek()
	switch {
	case c == '[':
		ok := d.elements(func() (ok bool) {
			to, ok = d.texts(to, of)
			return ok
		})
		return to, ok
	case c == '{' && of == Scalars:
		return to, d.skip(1)
	case c == '{':
		if d.text == "" {
			d.text = string(d.data)
		}
		value, ok := d.value()
		return AppendTexts(to, value, of), ok
	}
	start := d.pos
	if !d.scalar(c) {
		return to, false
	}
	switch {
	case c == '"' && d.escaped:
		return append(to, d.unescaped(start)), true
	case c == '"':
		return append(to, string(d.data[start+1:d.pos-1])), true
	case c != 'n' && of == Scalars:
		return append(to, string(d.data[start:d.pos])), true
	}
	return to, true
}
