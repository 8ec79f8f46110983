package service

import (
	"slices"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// In languages that write compounds as one word, a query's word also means the compounds of the index whose last part it is: Schrank means
// Kleiderschrank. A compound that no document has means its parts.

// maxHeads bounds the words of a query whose compounds are looked up.
const maxHeads = 8

// askCompounds asks for the compounds of a word.
func (t *termPlanner) askCompounds(word string, asked *AskedWords) {
	if analysis.CompoundingOf(t.ix.Settings.Language) != nil && len(asked.Heads) < maxHeads {
		asked.Heads = append(asked.Heads, word)
	}
}

// compounds adds the compounds of the word.
func (w *wording) compounds(a mapping.Analysis) {
	t, word := w.planner, inflected(w.raw)
	if !w.included || w.begun() && t.onlyBegins(word) {
		return
	}
	for _, c := range t.related.Compounds[word] {
		w.put(a, Alternative{Sequence: t.sequenceOf(c.Word, a), Factor: compoundFactor, Documents: c.Documents})
	}
}

// onlyBegins reports whether documents have the last word of the query in no form, but longer words that begin with it.
func (t *termPlanner) onlyBegins(word string) bool {
	isForm := func(c Completion) bool { return t.sameStem(c.Word, word) }
	return t.related.Whole == 0 && len(t.related.Completions) > 0 && !slices.ContainsFunc(t.related.Completions, isForm)
}

// split is a compound of the query whose parts are searched.
type split struct {
	compound query.Term
	parts    [2]string
}

// leastApart is the minimum number of letters of the parts of a word that need not be next to each other: shorter ones are in too many words by chance
// (car and pet in carpet). leastBeside is that of a word beside a stop word.
const leastApart, leastBeside = 4, 3

// twoWords returns the two words that a word may be that the index does not have: dellprinter. One may be a stop word, unless the word is alone:
// gamesof thrones, but not feather. ok is false if there are none.
func (t *termPlanner) twoWords(word string, alone bool) (parts [2]string, ok bool) {
	if word == "" || t.unsplit.Known[word] {
		return parts, false
	}
	for _, p := range t.unsplit.Parted[word] {
		parts = [2]string{p.First, p.Second}
		long := min(utf8.RuneCountInString(p.First), utf8.RuneCountInString(p.Second)) >= leastApart
		if stopped := slices.IndexFunc(parts[:], t.mayBeStopped); stopped >= 0 {
			rest := parts[1-stopped]
			long = !alone && !t.mayBeStopped(rest) && utf8.RuneCountInString(rest) >= leastBeside
		}
		if long && !p.Begun && !p.Shared {
			return parts, true
		}
	}
	return [2]string{}, false
}

// splitCompounds replaces the compounds that no document has by their parts: Hundefutter by Hunde and Futter. A further page has those of the first.
func (t *termPlanner) splitCompounds(q query.Query) query.Query {
	found := t.related.Split
	if t.after != nil {
		found = t.after.Split
	}
	var clauses []query.Clause
	place := 0
	for _, clause := range q.Clauses {
		raw := clause.Any[0]
		word := singleWord(raw)
		parts, ok := found[word]
		if !ok {
			parts, ok = t.apart[word]
		}
		if ok && len(clause.Any) == 1 && len(t.synonyms[place]) == 0 && !t.stopped(word) {
			t.split[raw.Start] = split{raw, parts}
			for _, part := range parts {
				clauses = append(clauses, query.Clause{Any: []query.Term{{Text: part, Start: raw.Start, End: raw.End}}})
			}
		} else {
			clauses = append(clauses, clause)
		}
		place += len(clause.Any)
	}
	q.Clauses = clauses
	return q
}

// applySplit restores what fields that are not searched for words are searched for, such as keywords and identifiers: they may have the compound, and
// the vocabulary has only words of texts.
func (t *termPlanner) applySplit(raw query.Term, part *Term) {
	of, ok := t.split[raw.Start]
	if !ok {
		return
	}
	written := t.term(of.compound, true)
	for a := range t.analyses {
		if a != mapping.Plain && !a.Stems() {
			part.Alternatives[a] = written.Alternatives[a]
		}
	}
}
