package sqltext

// Statement is SQL with its parameters.
type Statement struct {
	SQL  string
	Args []any
	// Prepared says that many searches share the text, and that its best plan is the same for all of them. A connection then prepares and plans it once;
	// doing so each time takes longer than running it for a rare word.
	Prepared bool
}
