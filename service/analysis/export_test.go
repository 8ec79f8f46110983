package analysis

// The character classes, for a test that compares them with those of the database.
const (
	WordClass  = wordClass
	Hangul     = hangul
	BigramBase = bigramBase
	BigramMark = bigramMark
)

// Virama is what foldsNasal looks for.
const Virama = virama

// Entities are the named characters of HTML that are known.
var Entities = entities

// WordsAnew returns the words of a text without using caches: it folds everything anew, and looks at the characters one by one.
func WordsAnew(text string) []Token {
	s := splitter{source: text}
	for i := 0; i < len(text); {
		end := segment(text, i)
		s.takeEach(clusterOf(text[i:end]).folded, i, end)
		i = end
	}
	s.flush()
	return s.tokens
}
