package service

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// highlight marks the words by which the hits were found. fields are the fields of each hit.
func (r *searchRun) highlight(ctx context.Context, hits Hits, fields [][]highlightField) error {
	specs := map[mapping.Analysis]highlight.Spec{}
	for _, f := range r.plan.Fields {
		if specs[f.Analysis].Matcher == nil {
			specs[f.Analysis] = spec(r.plan.Terms, f.Analysis)
		}
	}
	for i := range hits {
		hits[i].Highlight = map[string][]string{}
	}
	language := r.target.Index.Settings.Language
	var likely func(word string) bool
	if !r.plan.OnlyStopped { // otherwise, a field must be known to have no other words
		var err error
		if likely, err = r.service.store.Likely(ctx, language, stemmedLexemes(r.plan.Terms)); err != nil {
			return err
		}
	}
	for part := range partsOf(fields) {
		if err := r.highlightPart(ctx, hits, part, specs, likely); err != nil {
			return err
		}
	}
	return nil
}

// fieldOfHit is a field of the hit at an index of the page.
type fieldOfHit struct {
	highlightField

	hit int
}

// partsOf yields the fields of the hits of a page in parts of textAtOnce bytes or a little more.
func partsOf(fields [][]highlightField) iter.Seq[[]fieldOfHit] {
	return func(yield func([]fieldOfHit) bool) {
		var part []fieldOfHit
		size := 0
		for hit, list := range fields {
			for _, f := range list {
				part = append(part, fieldOfHit{f, hit})
				if size += f.values.Size(); size < textAtOnce {
					continue
				}
				if !yield(part) {
					return
				}
				part, size = nil, 0
			}
		}
		if len(part) > 0 {
			yield(part)
		}
	}
}

// highlightPart marks the words in some of the fields.
func (r *searchRun) highlightPart(ctx context.Context, hits Hits, part []fieldOfHit, specs map[mapping.Analysis]highlight.Spec, likely func(word string) bool) error {
	if err := ctx.Err(); err != nil { // nobody waits for the answer
		return err
	}
	values := make([]*highlight.FieldValues, len(part))
	for i, f := range part {
		values[i] = f.values
	}
	if words := highlight.NeededWords(values, likely); len(words) > 0 {
		lexemes, err := r.service.store.Lexemes(ctx, r.target.Index.Settings.Language, words)
		if err != nil {
			return err
		}
		highlight.Know(values, lexemes)
	}
	for _, f := range part {
		spec := specs[f.values.Analysis]
		spec.Separator = f.sep
		if marked := highlight.Field(f.values, spec); len(marked) > 0 {
			hits[f.hit].Highlight[f.name] = marked
			if err := Hold(ctx, sizeOfHighlight(map[string][]string{f.name: marked})); err != nil {
				return err
			}
		}
		if f.crowded {
			f.values.Forget()
		}
	}
	return nil
}

// spec returns the Spec that looks for the terms in fields of one analysis. Tags and levels are looked for whole by
// the query's word, their words by its stem, which may be another word: neither is marked for the other.
func spec(terms []Term, a mapping.Analysis) highlight.Spec {
	if a != mapping.Levels && a != mapping.TagWords {
		return highlight.Spec{Analysis: a, Matcher: matcher(terms, a, func(Alternative) bool { return true })}
	}
	whole := func(one Alternative) bool {
		mark, _ := analysis.Marked(one.Sequence[0].Text)
		return mark != ""
	}
	return highlight.Spec{Analysis: a, Matcher: matcher(terms, a, func(one Alternative) bool { return !whole(one) }), Wholes: matcher(terms, a, whole)}
}

// matcher returns a Matcher that looks for the alternatives that are wanted.
func matcher(terms []Term, a mapping.Analysis, wanted func(Alternative) bool) *highlight.Matcher {
	list := make([]highlight.Term, len(terms))
	for i, t := range terms {
		for _, alternative := range t.Alternatives[a] {
			if !wanted(alternative) {
				continue
			}
			var sequence highlight.Sequence
			for _, l := range alternative.Sequence {
				for range l.Gap - 1 {
					sequence = append(sequence, highlight.Lexeme{})
				}
				sequence = append(sequence, highlight.Lexeme{Text: unmarked(l.Text), Prefix: l.Prefix})
			}
			list[i] = append(list[i], sequence)
		}
	}
	return highlight.NewMatcher(list)
}

// stemmedLexemes returns the lexemes that stemmed fields are searched for.
func stemmedLexemes(terms []Term) []string {
	lexemes := map[string]bool{} // tens of thousands for many words with many synonyms
	for _, t := range terms {
		for analysis, alternatives := range t.Alternatives {
			if !analysis.Stems() {
				continue
			}
			for _, a := range alternatives {
				for _, l := range a.Sequence {
					lexemes[unmarked(l.Text)] = true
				}
			}
		}
	}
	return slices.Collect(maps.Keys(lexemes))
}

// unmarked returns a lexeme without the mark of whole values: a highlighter knows what it looks at. Stop words keep theirs: beside them stand stems.
func unmarked(lexeme string) string {
	if mark, text := analysis.Marked(lexeme); mark != analysis.StopMark {
		return text
	}
	return lexeme
}
