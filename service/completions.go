package service

import "slices"

// completed is what a last word that may go on is searched for besides itself: the words of the index that begin
// with it, or their lexemes where words are stemmed. Where these words are not known, it is all lexemes that begin
// with it.
func (t *termPlanner) completed(words []string, stemmed bool) []Alternative {
	last := words[len(words)-1]
	before := plainSequence(words[:len(words)-1], false)
	if stemmed {
		before = t.stemSequence(words[:len(words)-1])
	}
	with := func(l Lexeme) []Lexeme { return append(slices.Clone(before), l) }
	if !t.related.Enough || last != t.prefix {
		if tooLong(Lexeme{Text: last}) {
			return nil
		}
		every := Alternative{Sequence: with(Lexeme{Text: last, Prefix: true}), Factor: prefixFactor}
		if list := t.related.Completions; last == t.prefix && len(list) > 0 && len(before) == 0 {
			every.Documents = list[0].Documents
		}
		return []Alternative{every}
	}
	var list []Alternative
	place := map[string]int{}
	for _, c := range t.related.Completions {
		lexeme := c.Word
		own := c.Word == last
		if stemmed {
			stems := t.stems[c.Word]
			if len(stems) == 0 {
				continue
			}
			lexeme = stems[0]
			own = slices.Contains(t.stems[last], lexeme)
		}
		if own || tooLong(Lexeme{Text: lexeme}) {
			continue // found as it is written
		}
		documents := c.Documents
		if len(before) > 0 {
			documents = 0 // known is only how many have the last word
		}
		if i, ok := place[lexeme]; ok {
			list[i].Documents = max(list[i].Documents, documents)
			continue
		}
		place[lexeme] = len(list)
		list = append(list, Alternative{Sequence: with(Lexeme{Text: lexeme}), Factor: prefixFactor, Documents: documents})
	}
	return list
}
