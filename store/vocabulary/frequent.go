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

// Frequent are the words of a vocabulary that are in many documents: FrequentFrom and more. A query's words mostly are: what
// they may stand for is then known without the database. Where they are not known there is none, nil.
type Frequent struct {
	documents map[string]int64 // that have each
	ordered   []string         // the words, as bytes are ordered
	// least is how many documents a word has at the least that is not left out.
	least int64
	// compounds are rarer words that are two of these together, which the two may be meant as (meantAsOne); all is how many documents
	// there are.
	compounds map[string]int64
	all       int64
}

// maxFrequentWords bounds the words of an index: about 200 bytes each, with their lexemes.
const maxFrequentWords = 20000

// NewFrequent makes an empty list. Add the rows of FrequentSQL, then those of RarerSQL, and then call Settle.
func NewFrequent() *Frequent {
	return &Frequent{documents: map[string]int64{}, least: FrequentFrom, compounds: map[string]int64{}}
}

// FrequentSQL selects the frequent words of a vocabulary, with how many documents have each, and how many documents there are: those in the most
// documents first.
func FrequentSQL(r table.Relations) sqltext.Statement {
	counted := "(SELECT documents FROM " + r.Progress() + ")"
	return sqltext.Statement{SQL: "SELECT word, documents, " + counted + " AS counted FROM " + r.Words() + " WHERE documents >= $1 AND " + counted + " >= $1 ORDER BY documents DESC LIMIT $2",
		Args: []any{FrequentFrom, maxFrequentWords}}
}

// Add takes a frequent word, and how many documents there are in all.
func (f *Frequent) Add(word string, documents, all int64) {
	f.documents[word], f.all = documents, all
	if len(f.documents) == maxFrequentWords {
		f.least = documents + 1 // others may have as many
	}
}

// RarerSQL selects the words that are not among the frequent ones, but may be two of these as one.
func (f *Frequent) RarerSQL(r table.Relations) sqltext.Statement {
	return sqltext.Statement{SQL: "SELECT word, documents FROM " + r.Words() + " WHERE documents >= $1 AND documents < $2", Args: []any{leastMeant, f.least}}
}

// AddRarer takes a word that is not frequent, if two frequent ones may be meant as it.
func (f *Frequent) AddRarer(word string, documents int64) {
	for i := range word {
		if first, second := f.documents[word[:i]], f.documents[word[i:]]; first > 0 && second > 0 && meantAsOne(documents, first, second, f.all) {
			f.compounds[word] = documents
			return
		}
	}
}

// Settle is called when all words are there.
func (f *Frequent) Settle() {
	f.ordered = slices.Sorted(maps.Keys(f.documents))
	f.dropRareCompounds()
}

// Words are the frequent words, in any order.
func (f *Frequent) Words() []string { return f.ordered }

// Weight is about what the words take of memory, in bytes, without their lexemes.
func (f *Frequent) Weight() int { return 128 + 88*len(f.documents) + 72*len(f.compounds) }

// dropRareCompounds leaves those in the most documents, if they are very many.
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

// Together is how many documents have two frequent words as one that they may be meant as; 0 if there is none.
func (f *Frequent) Together(p service.WordPair) int64 { return f.meant(p, p.Joined()) }

// meant is how many documents have a word that two frequent ones may be meant as; 0 if they are not.
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

// Of is how many documents have a word that is known to be frequent; 0 for others.
func (f *Frequent) Of(word string) int64 {
	if f == nil {
		return 0
	}
	return f.documents[word]
}

// Begun is how many documents have words that are known to be frequent and begin with prefix, counted once for each word.
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

// Surely is from how many documents a word is known to be frequent.
func (f *Frequent) Surely() int64 {
	if f == nil {
		return FrequentFrom
	}
	return f.least
}
