// Package filtertest provides what tests of filters need: a matcher that is slow and simple enough to be trusted,
// and generators of documents and of filters that find something in them.
package filtertest

import (
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/decimal"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

// KindOf returns the kindOf function for filter.Bind, given the types of the mapped fields.
func KindOf(types map[string]mapping.Type) func(string) mapping.Kind {
	return func(field string) mapping.Kind {
		if t, ok := types[field]; ok {
			return t.Info().Kind
		}
		return mapping.KindUnmapped
	}
}

// Match reports whether c holds for a document: an object decoded with json.Number for its numbers, its _id among its properties.
func Match(c filter.Cond, doc map[string]any, types map[string]mapping.Type) bool {
	return matcher{doc: doc, types: types}.match(c)
}

type matcher struct {
	doc   map[string]any
	types map[string]mapping.Type
}

func (m matcher) match(c filter.Cond) bool {
	switch c := c.(type) {
	case filter.And:
		for _, member := range c {
			if !m.match(member) {
				return false
			}
		}
		return true
	case filter.Or:
		for _, member := range c {
			if m.match(member) {
				return true
			}
		}
		return false
	case filter.Not:
		return !m.match(c.Cond)
	case filter.Exists:
		v := Lookup(m.doc, c.Field)
		array, ok := v.([]any)
		return v != nil && (!ok || len(array) > 0)
	case filter.Equal:
		return m.any(c.Field, func(element any) bool {
			for _, v := range c.Values {
				if m.equal(c.Field, c.Kind, element, v) {
					return true
				}
			}
			return false
		})
	case filter.Range:
		return m.any(c.Field, func(element any) bool { return m.inside(c, element) })
	case filter.Prefix:
		return m.any(c.Field, func(element any) bool {
			text, ok := m.text(c.Field, c.Kind, element)
			begin := c.Value.Text
			if c.Kind == mapping.KindLevels {
				begin = filter.NormalizeBeginning(m.types[c.Field].Info().Separator, begin)
			}
			return ok && strings.HasPrefix(text, begin)
		})
	}
	panic("filtertest: a Cond of an unknown type")
}

// Lookup returns the value of a field: the property of that name, or else what its dotted path leads to.
// It is nil if there is none.
func Lookup(doc map[string]any, field string) any {
	if v, ok := doc[field]; ok {
		return v
	}
	var v any = doc
	for name := range strings.SplitSeq(field, ".") {
		object, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = object[name]
	}
	return v
}

// any reports whether an element of the field satisfies ok.
func (m matcher) any(field string, ok func(any) bool) bool {
	v := Lookup(m.doc, field)
	array, isArray := v.([]any)
	if !isArray {
		return ok(v)
	}
	for _, element := range array {
		if ok(element) {
			return true
		}
	}
	return false
}

func (m matcher) equal(field string, kind mapping.Kind, element any, v filter.Value) bool {
	switch kind {
	case mapping.KindNumber:
		order, ok := compareNumbers(element, v.Number, true)
		return ok && order == 0
	case mapping.KindBool:
		b, ok := boolean(element)
		return ok && b == v.Bool
	case mapping.KindDate:
		t, ok := instant(element)
		return ok && t.Equal(v.Time)
	case mapping.KindUnmapped:
		return m.equalJSON(element, v)
	case mapping.KindLevels:
		text, ok := m.text(field, kind, element)
		separator := m.types[field].Info().Separator
		wanted := filter.NormalizeLevels(separator, v.Text)
		if separator == "/" {
			return ok && (text == wanted || wanted != "" && wanted != "/" && strings.HasPrefix(text, wanted+"/"))
		}
		return ok && (text == wanted || wanted != "" && strings.HasPrefix(text, wanted+separator))
	}
	text, ok := m.text(field, kind, element)
	return ok && text == v.Text
}

func (m matcher) equalJSON(element any, v filter.Value) bool {
	switch element := element.(type) {
	case string:
		return v.JSON.Has(filter.JSONString) && analysis.Fold(element) == v.Text
	case bool:
		return v.JSON.Has(filter.JSONBool) && element == v.Bool
	case json.Number:
		if !v.JSON.Has(filter.JSONNumber) {
			return false
		}
		order, ok := compareNumbers(element, v.Number, false)
		return ok && order == 0
	}
	return false
}

func (m matcher) inside(r filter.Range, element any) bool {
	if r.Low != nil {
		order, ok := m.compare(r, element, *r.Low)
		if !ok || order < 0 || order == 0 && r.LowOpen {
			return false
		}
	}
	if r.High != nil {
		order, ok := m.compare(r, element, *r.High)
		if !ok || order > 0 || order == 0 && r.HighOpen {
			return false
		}
	}
	return true
}

func (m matcher) compare(r filter.Range, element any, v filter.Value) (order int, ok bool) {
	switch {
	case r.Kind == mapping.KindNumber:
		return compareNumbers(element, v.Number, true)
	case r.Kind == mapping.KindUnmapped && v.JSON == filter.JSONNumber:
		return compareNumbers(element, v.Number, false)
	case r.Kind == mapping.KindDate:
		t, ok := instant(element)
		return t.Compare(v.Time), ok
	}
	text, ok := m.text(r.Field, r.Kind, element)
	if r.Kind == mapping.KindLevels {
		return strings.Compare(text, filter.NormalizeLevels(m.types[r.Field].Info().Separator, v.Text)), ok
	}
	return strings.Compare(text, v.Text), ok
}

// text returns an element as the fields of its kind compare it. Numbers and booleans are text to a mapped
// field, but not to an unmapped one.
func (m matcher) text(field string, kind mapping.Kind, element any) (string, bool) {
	var text string
	switch element := element.(type) {
	case string:
		text = element
	case json.Number:
		if kind == mapping.KindUnmapped {
			return "", false
		}
		text = numberText(element)
	case bool:
		if kind == mapping.KindUnmapped {
			return "", false
		}
		text = "false"
		if element {
			text = "true"
		}
	default:
		return "", false
	}
	switch kind {
	case mapping.KindExact, mapping.KindID:
		return text, true
	case mapping.KindLevels:
		return filter.NormalizeLevels(m.types[field].Info().Separator, analysis.Fold(text)), true
	}
	return analysis.Fold(text), true
}

// numberText writes a number as PostgreSQL's jsonb does: without an exponent, keeping its decimal places.
func numberText(n json.Number) string {
	r, ok := rational(n.String())
	if !ok {
		return n.String()
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	places := 0
	if _, fraction, point := strings.Cut(mantissa, "."); point {
		places = len(fraction)
	}
	if exponent != "" {
		e, _ := new(big.Int).SetString(strings.TrimPrefix(exponent, "+"), 10)
		places -= int(e.Int64())
	}
	return r.FloatString(max(places, 0))
}

func rational(s string) (*big.Rat, bool) {
	if _, err := decimal.Canonical(s); err != nil { // an exponent could be of any size
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func compareNumbers(element any, number string, fromString bool) (order int, ok bool) {
	var text string
	switch element := element.(type) {
	case json.Number:
		text = element.String()
	case string:
		if !fromString {
			return 0, false
		}
		text = element
	default:
		return 0, false
	}
	a, ok := rational(text)
	if !ok {
		return 0, false
	}
	b, ok := rational(number)
	if !ok {
		return 0, false
	}
	return a.Cmp(b), true
}

func boolean(element any) (b, ok bool) {
	if s, isString := element.(string); isString {
		return s == "true", s == "true" || s == "false"
	}
	b, ok = element.(bool)
	return b, ok
}

// instant reads a stored date.
func instant(element any) (time.Time, bool) {
	switch element := element.(type) {
	case json.Number:
		ms, err := element.Int64()
		return time.UnixMilli(ms), err == nil
	case string:
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
			if t, err := time.Parse(layout, strings.ToUpper(element)); err == nil {
				return t.Truncate(time.Microsecond), true
			}
		}
	}
	return time.Time{}, false
}
