package sqltext

// Statement is SQL with its parameters.
type Statement struct {
	SQL  string
	Args []any
	// Prepared tells that the text is that of many searches, and its best plan the same for all of them: a
	// connection that has prepared it need not read and plan it again, which takes longer than to run it for a
	// rare word.
	Prepared bool
}
