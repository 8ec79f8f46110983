package filter

import (
	"time"

	"github.com/rowansearch/rowan/service/mapping"
)

// Cond is a filter that fits its index: fields have kinds, values are converted, dates are spans. A Cond
// is either true or false for a document, never unknown: if a field is null or missing, everything but Not is false.
//
// The elements of a field are the value itself or, of an array, each item of it. Nulls, objects, and
// arrays inside arrays are elements that no comparison holds for.
type Cond interface{ isCond() }

// And holds if all of its members hold; an empty one is true.
type And []Cond

// Or holds if any of its members holds; an empty one is false.
type Or []Cond

// Not is the complement of its condition, even if the field is null or missing.
type Not struct{ Cond Cond }

// Exists holds if the field is present, not null and not an empty array. Field is never _id.
type Exists struct {
	Field string
	Kind  mapping.Kind
}

// Equal holds if any element of the field equals any of the values, of which there is at least one. On a field of
// KindLevels, what lies below a value equals it, too: see NormalizeLevels.
type Equal struct {
	Field  string
	Kind   mapping.Kind
	Values []Value
}

// Range holds if one element of the field is between the bounds; a nil bound means none, and at most one is nil. An open bound is itself
// outside. A Range with Low above High never holds. The kind is neither KindBool nor KindPresence. On KindLevels the whole normalized value is
// compared with Text. On KindUnmapped both bounds have the same JSON type, a number or a string, and only elements of that type can be inside.
type Range struct {
	Field             string
	Kind              mapping.Kind
	Low, High         *Value
	LowOpen, HighOpen bool
}

// Prefix holds if one element of the field begins with the text of the value. The kind is one of strings, or KindUnmapped,
// for which only strings can begin with something. On KindLevels the whole normalized value is compared with Text as it is.
type Prefix struct {
	Field string
	Kind  mapping.Kind
	Value Value
}

func (And) isCond()    {}
func (Or) isCond()     {}
func (Not) isCond()    {}
func (Exists) isCond() {}
func (Equal) isCond()  {}
func (Range) isCond()  {}
func (Prefix) isCond() {}

// Value is a value to compare with. Which of its members are set depends on the kind of the field.
type Value struct {
	// Text is set for all kinds of strings and for KindUnmapped: folded as by rowan.fold, except for KindExact and KindID as it
	// was written. For an Equal of KindLevels, NormalizeLevels must still be applied, with the separator of the field's type.
	Text string
	// Number is an exact decimal as decimal.Canonical writes it; set for KindNumber, and for KindUnmapped if JSON has JSONNumber.
	Number string
	// Time is set for KindDate: UTC, whole microseconds.
	Time time.Time
	// Bool is set for KindBool, and for KindUnmapped if JSON has JSONBool.
	Bool bool
	// JSON is set for KindUnmapped: the types of the elements that the value may equal.
	JSON JSONTypes
}

// JSONTypes is a set of JSON types.
type JSONTypes uint8

// The JSON types of values.
const (
	// JSONString elements compare with Text, folded.
	JSONString JSONTypes = 1 << iota
	// JSONNumber elements compare with Number.
	JSONNumber
	// JSONBool elements compare with Bool.
	JSONBool
)

// Has reports whether all of types are in the set.
func (s JSONTypes) Has(types JSONTypes) bool { return s&types == types }
