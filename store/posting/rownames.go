package posting

import "strings"

// Prefixes that stand in place of a lexeme in rows that do not belong to a lexeme. No lexeme begins with them.
const (
	// EveryDocument names the row of all documents of the block and their Measures.
	EveryDocument = ""
	// LengthsOf and a field's name name the row of the field's lengths.
	LengthsOf = "\x01"
	// KeysOf and a field's name name the row of the TextKeys of the field.
	KeysOf = "\x02"
	// PositionsOf and a lexeme name the row of the lexeme's positions.
	PositionsOf = "\x03"
	// BeginningsOf and a number name a row of lexemes without postings. Alone, it says that the block has too many of them to keep.
	BeginningsOf = "\x04"
	// PresentOf and a field's name name the row of the documents that have the field without a value.
	PresentOf = "\x05"
)

// OfDocuments reports whether a row name stands for documents and their measures, lengths or order, or for the presence of a field, rather than for a
// word.
func OfDocuments(lexeme string) bool {
	return lexeme == EveryDocument || strings.HasPrefix(lexeme, LengthsOf) || strings.HasPrefix(lexeme, KeysOf) || strings.HasPrefix(lexeme, PresentOf)
}
