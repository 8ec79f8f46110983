package posting

import "strings"

// What stands for a lexeme in the rows of a block that are not about one word. No lexeme begins so.
const (
	// EveryDocument has all documents of the block, and their Measures.
	EveryDocument = ""
	// LengthsOf and the name of a field has the field's lengths.
	LengthsOf = "\x01"
	// KeysOf and the name of a field has the beginnings of its keys, the numbers that it is ordered by.
	KeysOf = "\x02"
	// PositionsOf and a lexeme has the lexeme's positions.
	PositionsOf = "\x03"
	// BeginningsOf and a number has lexemes without postings. Alone it tells that the block has too many of them to be kept.
	BeginningsOf = "\x04"
	// PresentOf and the name of a field has those documents that have the field without a value.
	PresentOf = "\x05"
)

// OfDocuments tells that a lexeme stands for documents and their measures, the order of their texts, or who has a field, rather than for
// a word.
func OfDocuments(lexeme string) bool {
	return lexeme == EveryDocument || strings.HasPrefix(lexeme, LengthsOf) || strings.HasPrefix(lexeme, KeysOf) || strings.HasPrefix(lexeme, PresentOf)
}
