// Package filter is the filter language of a search, with its two spellings (a string and a JSON
// object), and the sort and facet expressions that share its way of writing field names.
//
// A filter goes through two steps. Parse and ParseObject make a tree of Nodes, which knows only what was
// written. Bind checks the tree against the kinds of the fields and makes a Cond of it: every value
// converted, every date widened to the span that it stands for, ready to be turned into a query.
//
// The package knows neither SQL nor HTTP, nor anything of an index but the kind of a field.
package filter

import "fmt"

// Limits of one filter.
const (
	// MaxConditions is how many comparisons a filter may have. A list of values is one comparison.
	MaxConditions = 200
	// MaxValues is how many values one IN list may have.
	MaxValues = 1000
	// MaxAllValues is how many values all lists may have together: each may be a parameter, of which a statement has
	// 65,535.
	MaxAllValues = 10000
	// MaxDepth is how deep parentheses and NOT may nest.
	MaxDepth = 50
)

// IDField is the name under which a document's identifier is filtered and sorted.
const IDField = "_id"

// Pos is where something stands in a filter: a column of a string, or a path into an object.
type Pos struct {
	// Column counts characters from 1; 0 in an object.
	Column int
	path   *step // nil in a string
}

// Error is what is wrong with a filter, a sort expression or a list of names.
type Error struct {
	// Column counts characters from 1; 0 when the fault is in an object.
	Column int
	// Path points into an object: filter.price.gte; empty when the fault is in a string.
	Path string
	// Message says what was expected and what was found, for the person who wrote the filter.
	Message string
}

func (e *Error) Error() string {
	switch {
	case e.Path != "":
		return e.Path + ": " + e.Message
	case e.Column > 0:
		return fmt.Sprintf("column %d: %s", e.Column, e.Message)
	}
	return e.Message
}

func (p Pos) errorf(format string, args ...any) *Error {
	return &Error{Column: p.Column, Path: p.path.String(), Message: fmt.Sprintf(format, args...)}
}
