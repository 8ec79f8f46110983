package store

import "fmt"

// args collects the parameters of one statement.
type args struct{ values []any }

// add appends a parameter and returns its place, with the type that PostgreSQL shall take it for.
func (a *args) add(value any, sqlType string) string {
	a.values = append(a.values, value)
	return fmt.Sprintf("$%d::%s", len(a.values), sqlType)
}
