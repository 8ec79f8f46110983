package sqltext

import "fmt"

// Args collects the parameters of one statement.
type Args struct {
	// Values are the parameters, in the order of their places.
	Values []any
}

// Add appends a parameter and returns its place, $1 for the first, with the type that PostgreSQL shall take it for.
func (a *Args) Add(value any, sqlType string) string {
	a.Values = append(a.Values, value)
	return fmt.Sprintf("$%d::%s", len(a.Values), sqlType)
}
