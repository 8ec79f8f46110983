package vocabulary

import (
	"slices"

	"github.com/rowansearch/rowan/service"
)

// Found is the answer to a question.
type Found struct {
	Documents []int64              // with each of the asked words
	Near      [][]service.NearWord // words close to each, nearest first
	All       int64                // number of all documents
	// Completions are the words with the prefix. Many reports whether there are too many to search for all, Enough whether they are complete or too
	// many.
	Completions  []service.Completion
	Many, Enough bool
	Whole        int64 // documents that have the prefix as a word
	Joined       map[service.WordPair]int64
	PairForms    map[service.WordPair][]service.Completion // possible other forms of pairs that are not joined
	Parted       map[string][]service.WordPair
	Going        []service.Completion
	Seldom       map[string]bool
	KnownForms   map[string]bool                 // those of the asked forms that exist
	Around       map[string][]service.Completion // pairs with each of the asked letters
	Compounds    map[string][]service.Completion // words that contain each of the asked nouns
	Split        map[string][2]string            // parts of asked words
	Series       map[string][]string             // several words that asked words may be
	Logged       int                             // length of the change log
	Followed     bool                            // the words of all documents in the log were read
	State        string                          // of the vocabulary: see StateSQL
	regular      []bool                          // which of the asked words the index has but for a regular -s
	log          *Logged
}

// WholeShare returns how rare the prefix's most frequent completion is, as a share of how rare the prefix is as a word; 0 if it is not a word, or has
// no completions.
func (found *Found) WholeShare() float64 {
	if found.Whole == 0 || len(found.Completions) == 0 {
		return 0
	}
	return min(1, nearShare(found.Whole, found.Completions[0].Documents, found.All))
}

// Row is a row of a question's statement. The meaning of its columns depends on its kind.
type Row struct {
	kind, place        int
	word               string
	documents, besides int64
	n                  int
}

// Columns returns the destinations for scanning the columns of a row.
func (r *Row) Columns() []any {
	return []any{&r.kind, &r.place, &r.word, &r.documents, &r.besides, &r.n}
}

// Lookup collects the rows of a question's statement, and determines the answer.
type Lookup struct {
	*Question
	Found
	written *writtenWords
	// candidates are those for each of the words, from index 1; those at 0 are for all words.
	candidates [][]service.NearWord
	begun      int64 // documents with words that begin with the prefix, added up over these words
}

// Lookup starts a lookup. The log must have been read in the snapshot of the statement, or before.
func (q *Question) Lookup(log *Logged) *Lookup {
	return &Lookup{
		Question: q,
		Found: Found{Documents: make([]int64, len(q.Words)), Near: make([][]service.NearWord, len(q.Words)), regular: make([]bool, len(q.Words)), log: log,
			Seldom: map[string]bool{}, KnownForms: map[string]bool{}, Around: map[string][]service.Completion{}, Compounds: map[string][]service.Completion{}, Split: map[string][2]string{}},
		written:    newWrittenWords(log),
		candidates: make([][]service.NearWord, len(q.Words)+1),
	}
}

// Take adds a row.
func (l *Lookup) Take(r Row) {
	switch r.kind {
	case rowVocabulary:
		l.Logged, l.All, l.State = max(r.n, l.log.Rows), r.documents, r.word
	case rowAsked:
		l.Documents[r.place-1] = r.documents
	case rowNear, rowAnyNear:
		l.candidates[r.place] = append(l.candidates[r.place], service.NearWord{Word: r.word, Documents: r.documents})
	case rowBegun:
		l.Completions = append(l.Completions, service.Completion{Word: r.word, Documents: r.documents})
		l.begun = r.besides
	case rowPrefix:
		l.Whole = r.documents
	case rowOfPair:
		l.written.documents[r.word] = r.documents
	case rowPart:
		l.written.part(l.Words[r.place-1], r.word, r.documents, r.besides)
	case rowPartShared:
		l.written.partShared(l.Words[r.place-1], r.word, r.documents, r.besides)
	case rowPairForm:
		l.written.addForm(l.Pairs[r.place-1], r.word, r.documents)
	case rowForm:
		l.KnownForms[r.word] = r.documents > 0
	case rowAround:
		l.addAround(l.Letters[r.place-1], r.word, r.documents)
	case rowCompound:
		l.addCompound(l.Nouns[r.place-1], r.word, r.documents)
	case rowGoing:
		l.Going = append(l.Going, service.Completion{Word: r.word, Documents: r.documents})
	case rowPartGoing:
		l.written.partGoing(r.n, r.word, r.documents)
	}
}

// Settle adds the words of the log, and decides what each word may mean. It is called after all rows are taken.
func (l *Lookup) Settle() *Found {
	l.Followed = l.log.Whole && l.Logged == l.log.Rows
	if l.Prefix != "" {
		var more int64
		l.Completions, more = l.log.addBegun(l.Prefix, l.Completions, l.Limit)
		l.begun += more
		l.Whole += l.log.Words[l.Prefix]
	}
	l.Many = l.begun > l.ManyBegun
	if l.Many {
		l.Completions = FrequentAmong(l.Completions, l.begun, l.Common)
	}
	l.Enough = l.Many || len(l.Completions) < l.Limit
	for _, w := range l.Forms {
		if _, logged := l.log.Words[w]; logged { // even 0 times: in a changed document
			l.KnownForms[w] = true
		}
	}
	wrong := l.wrong()
	for i, w := range l.Words {
		l.Documents[i] += l.log.Words[w]
		list := l.log.addNear(w, w == wrong, slices.Concat(l.candidates[i+1], l.candidates[0]))
		l.Near[i] = nearest(w, l.Documents[i], l.All, list)
		l.regular[i] = regular(w, list)
		// A word that documents have is not taken for a typo: otherwise, finishing it would find less.
		if w == wrong && l.Documents[i] == 0 {
			l.Near[i] = append(l.Near[i], beginningNear(w, l.begun, list)...)
		}
		if l.Documents[i] == 0 {
			l.Near[i] = append(l.Near[i], l.nearWithoutEnding(w)...)
		}
		var begun int64
		if w == l.Prefix {
			begun = l.begun
		}
		l.written.settle(w, l.Documents[i], begun, w == l.Prefix)
		if writtenAs(l.Documents[i], begun) < FrequentFrom {
			l.Seldom[w] = true
		}
	}
	l.settleAround()
	l.settleCompounds()
	l.Joined, l.Parted = l.joinedPairs(), l.written.parted(l.Gone)
	l.PairForms = l.formsOfPairs()
	l.Going = l.goingOn()
	return &l.Found
}
