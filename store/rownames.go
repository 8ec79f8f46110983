package store

import "strings"

// What stands for a lexeme in the rows of a block that are not about one word. No lexeme begins so.
const (
	// everyDocument has the postings of all documents.
	everyDocument = ""
	// lengthsOf and the name of a field has the field's lengths, and without a name those of all and the boosts.
	lengthsOf = "\x01"
	// keysOf and the name of a field has the beginnings of its keys, the numbers that it is ordered by.
	keysOf = "\x02"
	// positionsOf and a lexeme has the lexeme's positions.
	positionsOf = "\x03"
	// beginningsOf and a number has lexemes without postings. Alone it tells that the block has too many of them to be kept.
	beginningsOf = "\x04"
	// presentOf and the name of a field has those documents that have the field without a value.
	presentOf = "\x05"
)

// ofDocuments tells that a lexeme stands for documents and their measures, the order of their texts, or who has a field, rather than for
// a word.
func ofDocuments(lexeme string) bool {
	return lexeme == everyDocument || strings.HasPrefix(lexeme, lengthsOf) || strings.HasPrefix(lexeme, keysOf) || strings.HasPrefix(lexeme, presentOf)
}
