package analysis

// The character classes, for a test that compares them with those of the database.
const (
	WordClass  = wordClass
	BigramBase = bigramBase
	BigramMark = bigramMark
)

// Entities are the named characters of HTML that are known.
var Entities = entities
