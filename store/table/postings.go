package table

import (
	"slices"

	"github.com/rowansearch/rowan/store/sqltext"
)

// PostingsSet selects tables of an index's postings.
type PostingsSet string

const (
	// PostingsInUse are the tables that searches read.
	PostingsInUse PostingsSet = ""
	// PostingsRenewed are the tables that are built beside those in use, with the same log.
	PostingsRenewed PostingsSet = "new"
	// PostingsOfNext are those for the table that a rebuild fills, with a log of their own.
	PostingsOfNext PostingsSet = "next"
)

// WithPostings returns the relations with another set of tables of postings.
func (r Relations) WithPostings(set PostingsSet) Relations {
	r.Set = set
	return r
}

// Touched returns the table that logs what was written since blocks were built.
func (r Relations) Touched() string { return r.tableOfPostings(logKind) }

// Postings returns the table of the documents that have each common lexeme.
func (r Relations) Postings() string { return r.tableOfPostings("postings") }

// Counts returns the table of how many documents of each block have each counted lexeme.
func (r Relations) Counts() string { return r.tableOfPostings("counts") }

// Values returns the table of the values of fields.
func (r Relations) Values() string { return r.tableOfPostings("values") }

// logKind is the log among the tables of the postings, kindsOfPostings the others.
const logKind = "touched"

var kindsOfPostings = []string{"postings", "counts", "values"}

func (r Relations) tableOfPostings(kind string) string {
	return sqltext.Quote(r.Derived) + "." + sqltext.Quote(r.OfPostings(kind))
}

// OfPostings returns the name of a table of the postings, unquoted and without its schema.
func (r Relations) OfPostings(kind string) string {
	set := r.Set
	if kind == logKind && set == PostingsRenewed {
		set = PostingsInUse
	}
	return Fit(r.Name, "_"+string(set)+kind)
}

// Accelerator returns the tables of the postings and their log.
func (r Relations) Accelerator() []string {
	return []string{r.Touched(), r.Postings(), r.Counts(), r.Values()}
}

// CreateLog returns the DDL of the log of what was written since blocks were built.
func (s Shape) CreateLog() []string {
	return []string{
		"CREATE TABLE " + s.Touched() + " (_seq bigint NOT NULL)",
		Publishable(s.Touched()),
		"COMMENT ON TABLE " + s.Touched() + " IS " + sqltext.Literal("Numbers of the documents of "+s.Name+" written since their block was built."),
	}
}

// CreatePostings returns the DDL of the tables from which searches for common words are answered.
func (s Shape) CreatePostings() []string {
	comment := func(table, text string) string { return "COMMENT ON TABLE " + table + " IS " + sqltext.Literal(text) }
	return []string{
		"CREATE TABLE " + s.Postings() + ` (
  lexeme text COLLATE "C" NOT NULL,
  block integer NOT NULL,
  documents integer NOT NULL,
  postings bytea NOT NULL,
  ` + s.postingsKey("postings") + ` (lexeme, block)
) WITH (toast_tuple_target = 8160)`,
		// Stored uncompressed, and in line if they fit on a page: decompressing them, or assembling them from pieces of 2 kB, would take longer than
		// reading them.
		"ALTER TABLE " + s.Postings() + " ALTER postings SET STORAGE EXTERNAL",
		comment(s.Postings(), "For each common lexeme of "+s.Name+" and each block of numbers: which documents have it, and how often it is in each field of each. The empty lexeme is that of all documents, with their lengths and boosts; \\x01 and a field stand for the lengths of the field, \\x02 and a field for the order of its texts, or of its values where these are too many to be kept, \\x03 and a lexeme for its positions, \\x05 and a field for the documents that have it without a value."),
		"CREATE TABLE " + s.Counts() + ` (
  block integer NOT NULL,
  documents integer[] NOT NULL,
  ` + s.postingsKey("counts") + ` (block)
)`,
		comment(s.Counts(), "For each block of numbers: how many of the documents of "+s.Name+" have each lexeme of counted in rowan.accelerators."),
		"CREATE TABLE " + s.Values() + ` (
  field text COLLATE "C" NOT NULL,
  block integer NOT NULL,
  sets bytea NOT NULL,
  ` + s.postingsKey("values") + ` (field, block)
)`,
		"ALTER TABLE " + s.Values() + " ALTER sets SET STORAGE EXTERNAL",
		comment(s.Values(), "For each field of "+s.Name+" whose values repeat and each block of numbers: its values, and which of them each document has."),
	}
}

// postingsKey returns the DDL of the primary key of a table of the postings, without its columns.
func (r Relations) postingsKey(kind string) string {
	return "CONSTRAINT " + sqltext.Quote(r.nameOfKey(kind)) + " PRIMARY KEY"
}

func (r Relations) nameOfKey(kind string) string { return indexName(r.OfPostings(kind), "key") }

// DropAccelerator returns the DDL that removes the postings, their log, and what may be being built beside them.
func (s Shape) DropAccelerator() []string {
	return slices.Concat([]string{"DROP TABLE IF EXISTS " + s.Touched()}, s.DropPostings(), s.WithPostings(PostingsRenewed).DropPostings())
}

// DropPostings returns the DDL that removes the tables of the postings, but not the log.
func (r Relations) DropPostings() []string {
	var out []string
	for _, kind := range kindsOfPostings {
		out = append(out, "DROP TABLE IF EXISTS "+r.tableOfPostings(kind))
	}
	return out
}

// TakePostings returns the DDL that gives a set of tables the names of those in use, which must have been dropped.
func (r Relations) TakePostings(set PostingsSet) []string {
	of := r.WithPostings(set)
	var out []string
	for _, kind := range kindsOfPostings {
		table := of.tableOfPostings(kind)
		out = append(out, "ALTER TABLE "+table+" RENAME CONSTRAINT "+sqltext.Quote(of.nameOfKey(kind))+" TO "+sqltext.Quote(r.nameOfKey(kind)),
			"ALTER TABLE "+table+" RENAME TO "+sqltext.Quote(r.OfPostings(kind)))
	}
	if of.Touched() != r.Touched() {
		out = append(out, "ALTER TABLE "+of.Touched()+" RENAME TO "+sqltext.Quote(r.OfPostings(logKind)))
	}
	return out
}

// DropNextPostings returns the DDL that removes the postings of the table that a rebuild fills.
func (r Relations) DropNextPostings() []string {
	r = r.WithPostings(PostingsOfNext)
	return append(r.DropPostings(), "DROP TABLE IF EXISTS "+r.Touched())
}
