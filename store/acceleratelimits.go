package store

import (
	"time"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
)

// accelerationLimits say what is accelerated; tests lower them.
type accelerationLimits struct {
	// documents is the size from which an index is accelerated: in smaller ones a search ranks all that there is in a few
	// milliseconds. lexemes is how many lexemes have postings at most.
	documents, lexemes int
	// frequency is the number of documents from which a lexeme has postings, a lower one in indices of few blocks: frequencyInBlock
	// for each block. Postings of fewer documents would hardly save a look at these.
	frequency, frequencyInBlock int
	// counted is the number of documents from which the builder counts those of a lexeme without postings: fewer are
	// counted by the search that asks for them.
	counted int
	// blockSize is the number of documents in a block.
	blockSize int
	// changed is the number of documents up to which a search looks at those themselves that are not as their block has
	// them; where it expects more, up to the share changedShare of these, but at most mostChanged.
	changed, changedShare, mostChanged int
	// remembered is the number of looks at logged documents from which the lexemes of few are remembered.
	remembered int
	// expected is the number of documents with all words from which the postings are used, if each word were in any
	// document as likely as in another: to rank fewer takes less than to read postings. rarest is the number of
	// documents with the rarest word from which they are used all the same: the index goes through all of these.
	expected, rarest float64
	// postingsARow is how many documents of a word PostgreSQL goes through in the search index in the time in which it reads a
	// row and looks for a word in it: 13 ns and 4 µs. With half or twice as many, rare searches took as long.
	postingsARow float64
	// together is the number of documents up to which those that may have a phrase are looked at one by one, although the
	// index could find it.
	together int
	// placed is the number of documents of a block with a lexeme above which its positions are stored, and of those that may have a
	// phrase above which they are read.
	placed int
	// rebuild is the number of log rows from which blocks are rebuilt, restingRebuild that where none has come for resting:
	// each of them is looked at by every search.
	rebuild, restingRebuild int
	resting                 time.Duration
	// rest is for how many times as long as a block has taken none is built anew while there is more to come than searches look at.
	rest int
	// sparse is the share of the numbers of a block below which its documents are moved, one in so many; sparseBlocks is how many such blocks
	// there are before that begins.
	sparse, sparseBlocks int
	// stages are how many candidates are ranked before the last hit of the page is compared with the next bound. What the
	// last does not settle goes the plain way. kept is how many candidates are found at once.
	stages []int
	kept   int
	// values is the number of distinct values of a field in a block up to which they are kept: blockvalues.MaxValues at the most.
	values int
	// begun is the number of documents above which those with the beginning of a word are counted from postings.
	begun int64
	// occurrences is how many of the lexemes without postings are kept of a block.
	occurrences int
	// tied is the number of documents with the last value of a page, in the order of a field, above which it is looked at how they are
	// ordered among themselves; where these are to be ranked it is less (fewTied).
	tied int
	// walkedAtOnce is how many rows of an index on ids are read at once, mostWalked how many in all: ids may go with what is
	// searched for, and the first be far.
	walkedAtOnce, mostWalked int
	// unproven is the number of documents above which a page is taken as it is after the last stage.
	unproven int
}

// standardLimits are those of every store but those of tests.
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
	begun:            searchsql.FewDocuments,
	occurrences:      posting.MaxOccurrences,
	tied:             4000,
	walkedAtOnce:     4000,
	mostWalked:       20000,
	unproven:         20000,
}

// frequencyOf is the number of documents from which a lexeme has postings, in an index whose last document has this number.
func (l accelerationLimits) frequencyOf(last int64) int64 {
	blocks := last/int64(l.blockSize) + 1
	return min(int64(l.frequency), blocks*int64(l.frequencyInBlock))
}
