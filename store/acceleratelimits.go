package store

import (
	"time"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
)

// accelerationLimits determine what is accelerated and how; tests lower them.
type accelerationLimits struct {
	// documents is the minimum number of documents for an index to be accelerated: in a smaller one, a search ranks everything in a few milliseconds.
	// lexemes is the maximum number of lexemes with postings.
	documents, lexemes int
	// frequency is the minimum number of documents for a lexeme to have postings. In indices of few blocks it is lower: frequencyInBlock for each block.
	// Postings for fewer documents would hardly be faster than examining these.
	frequency, frequencyInBlock int
	// counted is the minimum number of documents for a lexeme without postings to be counted by the builder. Fewer are counted by the search that asks.
	counted int
	// blockSize is the number of documents in a block.
	blockSize int
	// changed is the maximum number of changed documents, those not as their block has them, that a search examines itself. If it expects more than
	// changed*changedShare matches, the limit is 1/changedShare of these, up to mostChanged.
	changed, changedShare, mostChanged int
	// remembered is how many logged documents must have been examined before the lexemes of logged documents are remembered.
	remembered int
	// expected is the minimum number of documents expected to have all words, assuming that words are independent, for postings to be used: ranking
	// fewer is faster than reading postings. With rarest or more documents for the rarest word, postings are used all the same, because the index would
	// go through all of these.
	expected, rarest float64
	// postingsARow is how many documents of a word PostgreSQL goes through in the search index in the time in which it reads a row and looks for a word
	// in it: 13 ns and 4 µs. With half or twice this value, rare searches took as long.
	postingsARow float64
	// together is the maximum number of documents that may have a phrase to be examined one by one even if the index could find it.
	together int
	// placed is the number of a block's documents with a lexeme that must be exceeded for its positions to be stored, and the number of candidates for a
	// phrase that must be exceeded for positions to be read.
	placed int
	// rebuild is the number of log rows at which blocks are rebuilt, because every search examines each of them. restingRebuild replaces it once no row
	// has been added for resting.
	rebuild, restingRebuild int
	resting                 time.Duration
	// rest is the pause after building a block, in multiples of the time that it took, while the log is longer than searches examine and still growing.
	rest int
	// sparse and sparseBlocks start the renumbering of documents: it begins once sparseBlocks blocks have less than 1/sparse of their documents.
	sparse, sparseBlocks int
	// stages are how many candidates are ranked before the last hit of the page is compared with the next bound. If the last stage does not prove the
	// page, the plain statement answers. kept is how many candidates are found at once.
	stages []int
	kept   int
	// values is the maximum number of distinct values of a field in a block for them to be kept, at most blockvalues.MaxValues.
	values int
	// keys is about how many keys of documents, of all facets together, are collected to count facets from the order of their fields: each takes 8 bytes
	// until the answer is complete.
	keys int
	// facetValues is about how many distinct values, of all facets together, are counted: each takes some hundred bytes until the answer is complete.
	facetValues int
	// begun is the number of documents with a prefix above which they are counted from postings.
	begun int64
	// occurrences is the maximum number of occurrences, in a block, of lexemes without postings that are kept.
	occurrences int
	// tied is the maximum number of documents with the last value of a page sorted by a field for which their order among themselves does not matter. It
	// is lower if that order requires ranking (fewTied).
	tied int
	// walkedAtOnce is how many rows of an index on ids are read at once, mostWalked how many in total: ids may correlate with the query, and the first
	// match may be far away.
	walkedAtOnce, mostWalked int
	// unproven is the number of documents above which a page is accepted unproven after the last stage.
	unproven int
}

// standardLimits are the limits of every store outside tests.
var standardLimits = accelerationLimits{
	documents:        1000,
	lexemes:          16384,
	frequency:        250,
	frequencyInBlock: 20,
	counted:          50,
	blockSize:        32768,
	changed:          3000,
	changedShare:     10,
	mostChanged:      20000,
	remembered:       50,
	expected:         20,
	rarest:           3000,
	postingsARow:     300,
	together:         2000,
	placed:           128,
	rebuild:          300,
	restingRebuild:   30,
	resting:          time.Minute,
	rest:             4,
	sparse:           8,
	sparseBlocks:     8,
	stages:           []int{30, 150, 600, 4000},
	kept:             150,
	values:           blockvalues.MaxValues,
	keys:             4 << 20,
	facetValues:      1 << 20,
	begun:            searchsql.FewDocuments,
	occurrences:      posting.MaxOccurrences,
	tied:             4000,
	walkedAtOnce:     4000,
	mostWalked:       20000,
	unproven:         20000,
}

// frequencyOf returns the minimum number of documents for a lexeme to have postings, in an index whose last document has the given number.
func (l accelerationLimits) frequencyOf(last int64) int64 {
	blocks := last/int64(l.blockSize) + 1
	return min(int64(l.frequency), blocks*int64(l.frequencyInBlock))
}
