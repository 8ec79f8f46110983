package highlight

// FieldOf is Field for values that have not been split into words yet; lexemes returns the lexemes of a word.
func FieldOf(values []string, spec Spec, lexemes func(word string) []string) []string {
	fields := []*FieldValues{{Values: values, Analysis: spec.Analysis}}
	var list [][]string
	for _, w := range NeededWords(fields, nil) {
		list = append(list, lexemes(w))
	}
	Know(fields, list)
	return Field(fields[0], spec)
}

// The bounds of what is looked at.
const (
	MaxBytes  = maxBytes
	MaxMarkup = maxMarkup
)
