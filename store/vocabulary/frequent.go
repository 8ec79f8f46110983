package vocabulary

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// Frequent holds the words of a vocabulary that are in FrequentFrom documents or more. Most words of queries are: what they may stand for is then
// known without the database. A nil Frequent knows no words.
type Frequent struct {
	documents map[string]int64 // with each
	ordered   []string         // the words, in byte order
	// least is the number of documents from which no word is left out.
	least int64
	// compounds are rarer words that consist of two frequent ones, which may be meant as them (meantAsOne); all is the number of documents.
	compounds map[string]int64
	all       int64
}

// maxFrequentWords bounds the number of words of an index: each takes about 200 bytes, with its lexemes.
const maxFrequentWords = 20000

// NewFrequent returns an empty list. Add the rows of FrequentSQL, then those of RarerSQL, and then call Settle.
func NewFrequent() *Frequent {
	return &Frequent{documents: map[string]int64{}, least: FrequentFrom, compounds: map[string]int64{}}
}

// FrequentSQL selects the frequent words of a vocabulary, those in the most documents first, each with the number of its documents and that of all
// documents.
func FrequentSQL(r table.Relations) sqltext.Statement {
	counted := "(SELECT documents FROM " + r.Progress() + ")"
	return sqltext.Statement{SQL: "SELECT word, documents, " + counted + " AS counted FROM " + r.Words() + " WHERE documents >= $1 AND " + counted + " >= $1 ORDER BY documents DESC LIMIT $2",
		Args: []any{FrequentFrom, maxFrequentWords}}
}

// Add adds a frequent word and sets the number of all documents.
func (f *Frequent) Add(word string, documents, all int64) {
	f.documents[word], f.all = documents, all
	if len(f.documents) == maxFrequentWords {
		f.least = documents + 1 // others may have as many
	}
}

// RarerSQL selects the words that are not among the frequent ones, but may be two of them as one.
func (f *Frequent) RarerSQL(r table.Relations) sqltext.Statement {
	return sqltext.Statement{SQL: "SELECT word, documents FROM " + r.Words() + " WHERE documents >= $1 AND documents < $2", Args: []any{leastMeant, f.least}}
}

// AddRarer adds a word that is not frequent, if two frequent ones may be meant as it.
func (f *Frequent) AddRarer(word string, documents int64) {
	for i := range word {
		if first, second := f.documents[word[:i]], f.documents[word[i:]]; first > 0 && second > 0 && meantAsOne(documents, first, second, f.all) {
			f.compounds[word] = documents
			return
		}
	}
}

// Settle must be called after all words are added.
func (f *Frequent) Settle() {
	f.ordered = slices.Sorted(maps.Keys(f.documents))
	f.dropRareCompounds()
}

// Words returns the frequent words, in byte order.
func (f *Frequent) Words() []string { return f.ordered }

// Weight returns about how much memory the words take, in bytes, without their lexemes.
func (f *Frequent) Weight() int { return 128 + 88*len(f.documents) + 72*len(f.compounds) }

// dropRareCompounds keeps the compounds in the most documents if there are very many.
func (f *Frequent) dropRareCompounds() {
	if len(f.compounds) <= maxFrequentWords {
		return
	}
	words := slices.SortedFunc(maps.Keys(f.compounds), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.compounds[b], f.compounds[a]), cmp.Compare(a, b))
	})
	for _, word := range words[maxFrequentWords:] {
		delete(f.compounds, word)
	}
}

// Together returns how many documents have two frequent words as one word that they may be meant as; 0 if there is none.
func (f *Frequent) Together(p service.WordPair) int64 { return f.meant(p, p.Joined()) }

// meant returns how many documents have a word, if two frequent words may be meant as it; otherwise 0.
func (f *Frequent) meant(p service.WordPair, word string) int64 {
	if n := f.Of(word); n > 0 {
		return n
	}
	first, second := f.Of(p.First), f.Of(p.Second)
	if n := f.compounds[word]; first > 0 && second > 0 && meantAsOne(n, first, second, f.all) {
		return n
	}
	return 0
}

// Covers reports whether the list tells what a frequent word means beside others: if it has the word, or no room for all frequent ones. Otherwise the
// word has become frequent since.
func (f *Frequent) Covers(word string) bool {
	return f != nil && (f.documents[word] > 0 || f.least > FrequentFrom)
}

// Of returns how many documents have a word that is known to be frequent; 0 for others.
func (f *Frequent) Of(word string) int64 {
	if f == nil {
		return 0
	}
	return f.documents[word]
}

// Begun returns how many documents have words with a prefix that are known to be frequent, added up over these words.
func (f *Frequent) Begun(prefix string) (sum int64) {
	if f == nil {
		return 0
	}
	for word, documents := range f.documents {
		if strings.HasPrefix(word, prefix) {
			sum += documents
		}
	}
	return sum
}

// Surely returns the number of documents from which a word is known to be frequent.
func (f *Frequent) Surely() int64 {
	if f == nil {
		return FrequentFrom
	}
	return f.least
}
