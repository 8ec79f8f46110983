package table

import "github.com/rowansearch/rowan/store/sqltext"

// Words returns the table of the vocabulary.
func (r Relations) Words() string {
	return sqltext.Quote(r.Derived) + "." + sqltext.Quote(Fit(r.Name, "_words"))
}

// Recount returns the table of a vocabulary for which all documents are being counted again.
func (r Relations) Recount() string {
	return sqltext.Quote(r.Derived) + "." + sqltext.Quote(Fit(r.Name, "_recount"))
}

// Contributions returns the table of what each document has added to the suggestions.
func (r Relations) Contributions() string {
	return sqltext.Quote(r.Derived) + "." + sqltext.Quote(Fit(r.Name, "_suggested"))
}

// Suggestions returns the table of the suggestions.
func (r Relations) Suggestions() string {
	return sqltext.Quote(r.Derived) + "." + sqltext.Quote(Fit(r.Name, "_suggestions"))
}

// Progress returns the table that records the progress of the vocabulary and the suggestions.
func (r Relations) Progress() string {
	return sqltext.Quote(r.Derived) + "." + sqltext.Quote(Fit(r.Name, "_progress"))
}

// Following returns the tables of what follows the documents.
func (r Relations) Following() []string {
	return []string{r.Words(), r.Suggestions(), r.Contributions(), r.Progress()}
}

// Beside returns everything else that must exist: writes number documents by the sequence and log them.
func (r Relations) Beside() []string { return append(r.Following(), r.Sequence, r.Changes) }

// CreateFollowing returns the DDL of what follows the documents. counted says that there is no document that the log will not name.
func (s Shape) CreateFollowing(counted bool) []string {
	to := "0"
	if counted {
		to = "NULL"
	}
	statements := append(s.createWords(s.Words()),
		"CREATE TABLE "+s.Suggestions()+` (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  documents integer NOT NULL CHECK (documents > 0),
  spellings jsonb
)`,
		"CREATE INDEX ON "+s.Suggestions()+" (documents DESC, key)",
		suggestionIndex(s.Suggestions()),
		"COMMENT ON TABLE "+s.Suggestions()+" IS "+sqltext.Literal("Suggestions of "+s.Name+" with the number of documents that give them; spellings where these differ."),
		"CREATE TABLE "+s.Contributions()+" (_seq bigint PRIMARY KEY, suggestions text[] NOT NULL)",
		"COMMENT ON TABLE "+s.Contributions()+" IS "+sqltext.Literal("What each document of "+s.Name+" has added to the suggestions."),
		"CREATE TABLE "+s.Progress()+" (documents bigint NOT NULL, drift bigint NOT NULL, counted_to bigint, beside boolean NOT NULL, dealt_with bigint NOT NULL)",
		Publishable(s.Progress()),
		"COMMENT ON TABLE "+s.Progress()+" IS "+sqltext.Literal("How far the vocabulary of "+s.Name+" has got: documents counted, of these changed or gone since, and, while all are being counted, the last number that was (beside: into a table of its own). dealt_with grows with all that was done, from where no table of that name was before."),
		"INSERT INTO "+s.Progress()+" VALUES (0, 0, "+to+", false, "+sqltext.Moment+")")
	return statements
}

// DropFollowing returns the DDL that removes what follows the documents.
func (s Shape) DropFollowing() []string {
	var out []string
	for _, table := range append(s.Following(), s.Recount()) {
		out = append(out, "DROP TABLE IF EXISTS "+table)
	}
	return out
}

// RecountWords returns the DDL of a vocabulary beside that in use.
func (s Shape) RecountWords() []string {
	return append([]string{"DROP TABLE IF EXISTS " + s.Recount()}, s.createWords(s.Recount())...)
}

// SuggestionLexemes is the expression for the words of a suggestion, as their index has them.
const SuggestionLexemes = "to_tsvector('simple'::regconfig, rowan.words(key))"

// suggestionIndex returns the DDL of that index. Until the worker empties its pending list, which is limited to 1 MB, each lookup reads the list, for
// some milliseconds.
func suggestionIndex(table string) string {
	return "CREATE INDEX ON " + table + " USING gin ((" + SuggestionLexemes + ")) WITH (fastupdate = on, gin_pending_list_limit = 1024)"
}
