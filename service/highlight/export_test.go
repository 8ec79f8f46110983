package highlight

// FieldOf is Field for values that nobody has split into words yet.
func FieldOf(values []string, spec Spec) []string {
	return Field(&FieldValues{Values: values, Analysis: spec.Analysis}, spec)
}
