package service

import "context"

// State is what the answers of an index depend on besides the catalog: as long as it is the same, so is every
// answer. The zero State means unknown, and is the same as no other.
type State struct {
	// Logged is how many documents were written since the data derived from them was last brought up to date. DealtWith grows whenever it is.
	Logged, DealtWith int64
	// Server identifies the run of the primary that the answers come from.
	Server int64
	// Documents and AverageLength are the statistics from which scores are computed now.
	Documents     int64
	AverageLength float64
	// Counted is the state of the index from which they, and all counts of words, were taken, if the index is at
	// rest; "" while some are from a little earlier.
	Counted string
}

// Searcher runs searches.
type Searcher interface {
	Search(ctx context.Context, p *Plan) (*Found, error)
	// State returns the state of an index if version is that of the application's catalog, otherwise ErrStale.
	State(ctx context.Context, ix *Index, version int64) (State, error)
	// Lexemes returns the lexemes that the language makes of each word: none for a stop word, and none for words
	// beyond the first 50,000 that are not cached. words may contain the same word several times.
	Lexemes(ctx context.Context, language string, words []string) ([][]string, error)
	// Likely returns a function that is false for words that can have neither any of the sought lexemes nor one
	// that begins with them; nil if nothing is known about that.
	Likely(ctx context.Context, language string, sought []string) (likely func(word string) bool, err error)
	// Related returns words of the index that words of a query may stand for: words that are close to them, words
	// that begin with the last one, and words that documents write together or apart.
	Related(ctx context.Context, ix *Index, asked AskedWords) (*RelatedWords, error)
	// Suggest returns up to limit suggestions for q, the best first, if version is that of the application's catalog, otherwise ErrStale.
	// It need not check the version if there are none. The first whole of them have all words of q, the others only its last words.
	Suggest(ctx context.Context, ix *Index, version int64, q string, limit int) (list []string, whole int, err error)
	// Current returns ErrStale if version is not that of the application's catalog, or if the vocabulary of the
	// index has changed since it was seen: seen is RelatedWords.Seen, or "" if that does not matter.
	Current(ctx context.Context, ix *Index, version int64, seen string) error
}

// AskedWords are words of a query that may stand for others.
type AskedWords struct {
	// Words ask for the words close to them. Gone are words that no document has any more, whatever is cached about them.
	Words, Gone []string
	// Pairs ask whether the index has them as one word.
	Pairs []WordPair
	// Forms ask only whether the index has them, Lexemes whether documents have them as the stem of a word.
	Forms, Lexemes []string
	// Prefix, a folded word, asks for up to Limit words that begin with it; "" asks for none. Beside are the words that their documents must have, too.
	Prefix string
	Beside []string
	// Letters, of scripts without spaces, ask for the pairs of letters that have them: up to Limit that begin with each, and as many that end with it.
	Letters []string
	// Nouns, of two or more Korean syllables, ask for up to Limit compound words that have each within them (analysis.Within).
	Nouns []string
	// Heads ask for up to Limit compounds whose last part each is (analysis.Compounding).
	Heads []string
	// Initials ask for the names that documents have with them.
	Initials []Initials
	Limit    int
}

// RelatedWords are words of an index that words of a query may stand for.
type RelatedWords struct {
	// Near are the words close to each of the asked ones, nearest first, then most frequent; none for one that is
	// common enough to be meant.
	Near map[string][]NearWord
	// Known are those of the asked words that the index has, as far as the vocabulary knows: words of documents
	// that have changed or gone may be among them.
	Known map[string]bool
	// Lexemes are those of the asked lexemes that documents have.
	Lexemes map[string]bool
	// Joined are those of the asked pairs that the index has as one word, with the number of documents; two
	// frequent words without a hyphen only if the one word is frequent, too.
	Joined map[WordPair]int64
	// JoinedForms are other forms of the asked pairs that the index does not have as one word, by the same rule: datasets for data set.
	JoinedForms map[WordPair][]Completion
	// Going are up to five longer words that begin with the last of the asked pairs as one word, if its second word
	// is unfinished; those in the most documents first.
	Going []Completion
	// Parted are those of the asked words that the index has as two words, and hardly or not at all as one: the two that
	// are in the most documents, and a single letter with the rest before or after it. For the prefix, also up to three
	// of each kind that go on. For words that it does not have, also two words that share the letter between them.
	Parted map[string][]WordPair
	// Seldom are those of the asked words that are in few documents; for the prefix, words that go on from it count, too.
	Seldom map[string]bool
	// HalfStopped are the asked words, split beside a stop word, that the index does not have as one word but documents have as two, with a
	// hyphen or an apostrophe after a single letter (T-shirt): no phrase of a text can ask for a stop word.
	HalfStopped map[WordPair]bool
	// Completions are longer words that begin with the prefix; those in the most documents first. Whole is how many documents have the
	// prefix as a word. WholeShare is how rare the first completion is, as a share of how rare that word is; 0 if the prefix is no word.
	Completions []Completion
	Whole       int64
	WholeShare  float64
	// Enough reports whether Completions are what the prefix stands for: either they are all, or all would be too many. Otherwise
	// the lexemes themselves are searched for the prefix: there are more words, in few documents, or it is not known how many.
	Enough bool
	// Around are the pairs of letters that have each of the asked letters, those in the most documents first.
	Around map[string][]Completion
	// Compounds are the words that have each of the asked nouns within them, or each of the asked heads at their end, those in the most documents first.
	Compounds map[string][]Completion
	// Split are those of the asked words that no document has but that may be compounds, with the parts that documents have.
	Split map[string][2]string
	// Series are the words, if any, that each of the asked words may be that no document has: lord, of, the and rings for lordoftherings.
	Series map[string][]string
	// Beside are more lexemes that begin with the prefix, if Completions are not all: those in titles and names of
	// the documents that have the words beside it, if these are few.
	Beside []Completion
	// Initials are words that documents have for the asked initials, with the name beside them, as sequences: those in the most documents first.
	Initials map[Initials][][]Lexeme
	// Seen is the state of the vocabulary that they are from, if they were looked up for an earlier search, and
	// otherwise "". They must not be modified then.
	Seen string
}

// WordPair is two words of a query, one after the other or with a hyphen or other punctuation between them, that may be one word in documents.
type WordPair struct {
	First, Second string
	Hyphen        bool
	// Begun reports whether the second word is unfinished; for a word that is taken apart, whether it goes on from what the query has.
	Begun bool
	// Shared reports, for a word that is taken apart, whether its letter in the middle belongs to both: hardrive.
	Shared bool
}

// Joined returns the pair as one word.
func (p WordPair) Joined() string { return p.First + p.Second }

// NearWord is a word of an index that is close to a word of a query.
type NearWord struct {
	Word      string
	Distance  int
	Documents int64
	// Share is how rare it is, as a share, above 0 and at most 1, of how rare the query's word is. If the index does
	// not know the query's word, it is how likely this word is to be meant, compared with the others that are as close.
	Share float64
	// Begun reports whether only its beginning is as close: then the query's word must be unfinished, too.
	Begun bool
}

// Completion is a word of an index that begins like the last word of a query.
type Completion struct {
	Word string
	// Documents is about how many have it.
	Documents int64
}
