package filter

import (
	"errors"
	"strings"
	"time"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/decimal"
	"github.com/rowansearch/rowan/service/mapping"
)

// boundField is a field whose kind is known.
type boundField struct {
	name string
	kind mapping.Kind
}

// value converts a literal for every kind but KindDate.
func (f boundField) value(l Literal) (Value, error) {
	switch f.kind {
	case mapping.KindExact, mapping.KindID:
		return Value{Text: l.Text}, nil
	case mapping.KindFolded, mapping.KindLevels:
		return Value{Text: analysis.Fold(l.Text)}, nil
	case mapping.KindNumber:
		number, err := decimal.Canonical(strings.TrimSpace(l.Text))
		if errors.Is(err, decimal.ErrRange) {
			return Value{}, f.unfit(l, "a number with "+decimal.Limits)
		}
		if err != nil {
			return Value{}, f.unfit(l, "a number")
		}
		return Value{Number: number}, nil
	case mapping.KindBool:
		b, ok := parseBool(l.Text)
		if !ok {
			return Value{}, f.unfit(l, "true or false")
		}
		return Value{Bool: b}, nil
	}
	return unmapped(l), nil
}

// unmapped converts a literal for a field whose elements may have any type: a bare literal may be meant as a number
// or a boolean, but may also be stored as a string.
func unmapped(l Literal) Value {
	v := Value{Text: analysis.Fold(l.Text), JSON: JSONString}
	if l.Quoted {
		return v
	}
	if number, err := decimal.Canonical(l.Text); err == nil {
		v.Number = number
		v.JSON |= JSONNumber
	}
	if b, ok := parseBool(l.Text); ok {
		v.Bool = b
		v.JSON |= JSONBool
	}
	return v
}

func parseBool(s string) (b, ok bool) {
	lower := strings.ToLower(s)
	return lower == "true", lower == "true" || lower == "false"
}

// unfit returns the error for a value that is not of the field's kind.
func (f boundField) unfit(l Literal, expected string) *Error {
	hint := ""
	if strings.Contains(l.Text, "..") {
		hint = "; " + rangeHint(f.name)
	}
	return l.At.errorf("expected %s for %s, found %q%s", expected, label(f.name), cut(l.Text), hint)
}

// equal returns the condition of = and IN.
func (f boundField) equal(literals []Literal) (Cond, error) {
	if f.kind == mapping.KindDate {
		return f.equalDates(literals)
	}
	if len(literals) == 0 {
		return Or{}, nil
	}
	values := make([]Value, 0, len(literals))
	for _, l := range literals {
		v, err := f.value(l)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return Equal{Field: f.name, Kind: f.kind, Values: values}, nil
}

// equalDates is equal for dates: a date that stands for a span becomes a range.
func (f boundField) equalDates(literals []Literal) (Cond, error) {
	var instants []Value
	spans := Or{}
	for _, l := range literals {
		start, end, err := f.date(l)
		if err != nil {
			return nil, err
		}
		if end.IsZero() {
			instants = append(instants, Value{Time: start})
			continue
		}
		spans = append(spans, Range{Field: f.name, Kind: f.kind, Low: &Value{Time: start}, High: &Value{Time: end}, HighOpen: true})
	}
	if len(instants) > 0 {
		spans = append(spans, Equal{Field: f.name, Kind: f.kind, Values: instants})
	}
	return simplest(spans), nil
}

func (f boundField) date(l Literal) (start, end time.Time, err error) {
	start, end, ok := parseDate(strings.TrimSpace(l.Text))
	if !ok {
		return start, end, f.unfit(l, dateFormats)
	}
	return start, end, nil
}

// between returns the condition of a range; a nil bound means none, and at most one is nil.
func (f boundField) between(low, high *Literal, lowOpen, highOpen bool) (Cond, error) {
	r := Range{Field: f.name, Kind: f.kind, LowOpen: lowOpen, HighOpen: highOpen}
	var err error
	switch f.kind {
	case mapping.KindBool:
		l := low
		if l == nil {
			l = high
		}
		return nil, l.At.errorf("%s is true or false and has no order: compare it with =", label(f.name))
	case mapping.KindDate:
		return f.betweenDates(r, low, high)
	}
	if low != nil {
		if r.Low, err = f.bound(*low); err != nil {
			return nil, err
		}
	}
	if high != nil {
		if r.High, err = f.bound(*high); err != nil {
			return nil, err
		}
	}
	if f.kind == mapping.KindUnmapped {
		oneType(r.Low, r.High)
	}
	return r, nil
}

func (f boundField) bound(l Literal) (*Value, error) {
	v, err := f.value(l)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// oneType decides what a range over an unmapped field compares: numbers if its bounds are bare numbers, otherwise strings.
func oneType(low, high *Value) {
	types := JSONNumber
	for _, v := range []*Value{low, high} {
		if v != nil && !v.JSON.Has(JSONNumber) {
			types = JSONString
		}
	}
	for _, v := range []*Value{low, high} {
		switch {
		case v == nil:
		case types == JSONNumber:
			*v = Value{Number: v.Number, JSON: JSONNumber}
		default:
			*v = Value{Text: v.Text, JSON: JSONString}
		}
	}
}

// betweenDates widens the bounds to the spans that they stand for: after a day means from the next one on, up to a day includes all of it.
func (f boundField) betweenDates(r Range, low, high *Literal) (Cond, error) {
	if low != nil {
		start, end, err := f.date(*low)
		if err != nil {
			return nil, err
		}
		if !end.IsZero() && r.LowOpen {
			start, r.LowOpen = end, false
		}
		r.Low = &Value{Time: start}
	}
	if high != nil {
		start, end, err := f.date(*high)
		if err != nil {
			return nil, err
		}
		if !end.IsZero() && !r.HighOpen {
			start, r.HighOpen = end, true
		}
		r.High = &Value{Time: start}
	}
	return r, nil
}

// prefix returns the condition of STARTS WITH.
func (f boundField) prefix(n Comparison) (Cond, error) {
	l := n.Values[0]
	switch f.kind {
	case mapping.KindNumber, mapping.KindBool, mapping.KindDate:
		return nil, n.At.errorf("%s does not hold strings, so STARTS WITH does not apply to it", label(f.name))
	case mapping.KindUnmapped:
		return Prefix{Field: f.name, Kind: f.kind, Value: Value{Text: analysis.Fold(l.Text), JSON: JSONString}}, nil
	}
	v, err := f.value(l)
	if err != nil {
		return nil, err
	}
	return Prefix{Field: f.name, Kind: f.kind, Value: v}, nil
}
