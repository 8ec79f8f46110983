package store

import (
	"slices"

	"github.com/rowansearch/rowan/store/sqltext"
)

func (r relations) hasPostingsSQL() string {
	return "SELECT EXISTS (SELECT FROM " + r.postings() + ")"
}

// postingsSet tells which tables of an index's postings are meant.
type postingsSet string

const (
	postingsInUse   postingsSet = ""     // those that searches read
	postingsRenewed postingsSet = "new"  // those that are built beside them, with the same log
	postingsOfNext  postingsSet = "next" // those of the table that a rebuild fills, with a log of their own
)

// withPostings are the relations with other tables of postings.
func (r relations) withPostings(set postingsSet) relations {
	r.set = set
	return r
}

func (r relations) touched() string  { return r.tableOfPostings(logKind) }
func (r relations) postings() string { return r.tableOfPostings("postings") }
func (r relations) counts() string   { return r.tableOfPostings("counts") }
func (r relations) values() string   { return r.tableOfPostings("values") }

// logKind is the log among the tables of the postings, kindsOfPostings the others.
const logKind = "touched"

var kindsOfPostings = []string{"postings", "counts", "values"}

func (r relations) tableOfPostings(kind string) string {
	return sqltext.Quote(r.derived) + "." + sqltext.Quote(r.ofPostings(kind))
}

// ofPostings names a table of the postings.
func (r relations) ofPostings(kind string) string {
	set := r.set
	if kind == logKind && set == postingsRenewed {
		set = postingsInUse
	}
	return fit(r.name, "_"+string(set)+kind)
}

// accelerator are the tables of the postings, with their log.
func (r relations) accelerator() []string {
	return []string{r.touched(), r.postings(), r.counts(), r.values()}
}

// createLog is the DDL of the log of what has been written since blocks were built.
func (s shape) createLog() []string {
	return []string{
		"CREATE TABLE " + s.touched() + " (_seq bigint NOT NULL)",
		publishable(s.touched()),
		"COMMENT ON TABLE " + s.touched() + " IS " + sqltext.Literal("Numbers of the documents of "+s.name+" written since their block was built."),
	}
}

// createPostings is the DDL of what searches for common words are answered from.
func (s shape) createPostings() []string {
	comment := func(table, text string) string { return "COMMENT ON TABLE " + table + " IS " + sqltext.Literal(text) }
	return []string{
		"CREATE TABLE " + s.postings() + ` (
  lexeme text COLLATE "C" NOT NULL,
  block integer NOT NULL,
  documents integer NOT NULL,
  postings bytea NOT NULL,
  ` + s.postingsKey("postings") + ` (lexeme, block)
) WITH (toast_tuple_target = 8160)`,
		// Stored as they are, and in line where they fit on a page: to unpack them, or to put them together from pieces of
		// 2 kB, would take longer than to read them.
		"ALTER TABLE " + s.postings() + " ALTER postings SET STORAGE EXTERNAL",
		comment(s.postings(), "For each common lexeme of "+s.name+" and each block of numbers: which documents have it, and how often it is in each field of each. The empty lexeme is that of all documents, with their lengths and boosts; \\x01 and a field stand for the lengths of the field, \\x02 and a field for the order of its texts, or of its values where these are too many to be kept, \\x03 and a lexeme for its positions, \\x05 and a field for the documents that have it without a value."),
		"CREATE TABLE " + s.counts() + ` (
  block integer NOT NULL,
  documents integer[] NOT NULL,
  ` + s.postingsKey("counts") + ` (block)
)`,
		comment(s.counts(), "For each block of numbers: how many of the documents of "+s.name+" have each lexeme of counted in rowan.accelerators."),
		"CREATE TABLE " + s.values() + ` (
  field text COLLATE "C" NOT NULL,
  block integer NOT NULL,
  sets bytea NOT NULL,
  ` + s.postingsKey("values") + ` (field, block)
)`,
		"ALTER TABLE " + s.values() + " ALTER sets SET STORAGE EXTERNAL",
		comment(s.values(), "For each field of "+s.name+" whose values repeat and each block of numbers: its values, and which of them each document has."),
	}
}

// postingsKey is the DDL of the primary key of one of the tables of the postings, but for its columns.
func (r relations) postingsKey(kind string) string {
	return "CONSTRAINT " + sqltext.Quote(r.nameOfKey(kind)) + " PRIMARY KEY"
}

func (r relations) nameOfKey(kind string) string { return indexName(r.ofPostings(kind), "key") }

// dropAccelerator is the DDL that removes it, and what may be being built beside it.
func (s shape) dropAccelerator() []string {
	return slices.Concat([]string{"DROP TABLE IF EXISTS " + s.touched()}, s.dropPostings(), s.withPostings(postingsRenewed).dropPostings())
}
