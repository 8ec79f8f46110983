package sqltext

import "fmt"

// Args collects the parameters of one statement.
type Args struct {
	// Values are the parameters in order.
	Values []any
}

// Add appends a parameter and returns its placeholder, $1 for the first, with a cast to the given type.
func (a *Args) Add(value any, sqlType string) string {
	a.Values = append(a.Values, value)
	return fmt.Sprintf("$%d::%s", len(a.Values), sqlType)
}
