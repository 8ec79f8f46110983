package highlight

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// maxPart is the size in bytes of the largest part that is looked at. The index leaves out parts of more than 2,000
// bytes after folding, which leaves at least a quarter of the bytes.
const maxPart = 8_000

// maxLevels is how many levels of a category the index has (rowan.tsv_levels). All levels above each together take the square of their number.
const maxLevels = 100

// part is a stretch of a value that is one lexeme as a whole, possibly in several spellings.
type part struct {
	extent
	lexemes []string
}

// parts are the parts of a value. leaves stand side by side, in order; wider ones contain others, shortest first.
type parts struct{ leaves, wider []part }

// partMarks adds the matches of whole parts to the marks of words, and returns all marks in order, none of which contains another. If a term
// looks for the beginning of a part, the part is marked only if nothing in it is: in `Audio > Cables`, au marks Audio and not the whole.
func (s Spec) partMarks(text string, words []mark) []mark {
	p := s.parts(text)
	marks := slices.Clone(words)
	for _, leaf := range p.leaves {
		if m := s.match(leaf, words, nil); m.terms != 0 {
			marks = append(marks, m)
		}
	}
	sortMarks(marks)
	var wider []mark
	for _, w := range p.wider {
		if m := s.match(w, marks, wider); m.terms != 0 {
			wider = append(wider, m)
		}
	}
	marks = append(marks, wider...)
	if len(marks) == 0 {
		marks = s.foldedMark(text)
	}
	sortMarks(marks)
	return withoutNested(marks)
}

// match returns the mark of a part, without terms if it does not match. Inner marks are sorted and none contains another; wider has only a few.
func (s Spec) match(p part, inner, wider []mark) mark {
	m := mark{start: p.start, end: p.end}
	for _, l := range p.lexemes {
		m.terms |= s.wholes().exact(l)
	}
	if m.terms != 0 || contains(p.extent, inner) || slices.ContainsFunc(wider, p.holds) {
		return m
	}
	for _, l := range p.lexemes {
		m.terms |= s.wholes().begun(l)
	}
	return m
}

func (e extent) holds(m mark) bool { return e.start <= m.start && m.end <= e.end }

func contains(e extent, sorted []mark) bool {
	i, _ := slices.BinarySearchFunc(sorted, e.start, func(m mark, start int) int { return cmp.Compare(m.start, start) })
	return i < len(sorted) && e.holds(sorted[i])
}

// foldedMark marks all of a text whose parts appear only when it is folded: 'a／b' has a slash then.
func (s Spec) foldedMark(text string) []mark {
	if len(text) > maxPart {
		return nil
	}
	switch s.Analysis {
	case mapping.Levels, mapping.EmailParts, mapping.PathSegments:
	default:
		return nil // it has no separators
	}
	all := mark{start: 0, end: len(text)}
	p := s.parts(foldWhole(text))
	for _, one := range slices.Concat(p.leaves, p.wider) {
		all.terms |= s.match(one, nil, nil).terms
	}
	if all.terms == 0 {
		return nil
	}
	return []mark{all}
}

func sortMarks(marks []mark) {
	slices.SortFunc(marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
}

// withoutNested merges marks into those that contain them. In the result, starts and ends are both ascending.
func withoutNested(sorted []mark) []mark {
	var kept []mark
	for _, m := range sorted {
		if n := len(kept); n > 0 && m.end <= kept[n-1].end {
			kept[n-1].terms |= m.terms
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// foldWhole returns the lexeme of a whole value.
func foldWhole(text string) string { return analysis.Whole(analysis.Fold(text)) }

// hasParts reports whether an analysis makes lexemes of whole values.
func hasParts(a mapping.Analysis) bool {
	switch a {
	case mapping.IdentifierParts, mapping.Levels, mapping.TagWords, mapping.Whole, mapping.WholeExact,
		mapping.EmailParts, mapping.PathSegments, mapping.Digits:
		return true
	default:
		return false
	}
}

// parts splits a value as the index does.
func (s Spec) parts(text string) parts {
	all := extent{0, len(text)}
	switch s.Analysis {
	case mapping.Levels:
		return levels(text, s.Separator)
	case mapping.EmailParts:
		return emailParts(text)
	case mapping.PathSegments:
		return pathSegments(text)
	case mapping.Digits:
		return parts{leaves: []part{{all, analysis.Digits(text)}}}
	case mapping.WholeExact:
		return parts{leaves: []part{{all, []string{analysis.Whole(text)}}}}
	case mapping.IdentifierParts:
		if len(text) > maxPart {
			return parts{}
		}
		return parts{leaves: []part{{all, analysis.IdentifierWholes(text)}}}
	default:
		return parts{leaves: foldedParts(text, all)}
	}
}

// foldedParts returns the parts that are not empty, without the spaces around them.
func foldedParts(text string, extents ...extent) []part {
	var result []part
	for _, e := range extents {
		for e.start < e.end && text[e.start] == ' ' {
			e.start++
		}
		for e.start < e.end && text[e.end-1] == ' ' {
			e.end--
		}
		if e.start < e.end && e.end-e.start <= maxPart {
			result = append(result, part{e, []string{foldWhole(text[e.start:e.end])}})
		}
	}
	return result
}

// split returns the stretches of text[start:end] between separators.
func split(text, separator string, start, end int) []extent {
	var result []extent
	for {
		i := strings.Index(text[start:end], separator)
		if i < 0 || separator == "" {
			return append(result, extent{start, end})
		}
		result = append(result, extent{start, start + i})
		start += i + len(separator)
	}
}

// levels returns each level alone, and with all levels above it.
func levels(text, separator string) parts {
	p := parts{leaves: foldedParts(text, split(text, separator, 0, len(text))...)}
	p.leaves = p.leaves[:min(len(p.leaves), maxLevels)]
	for _, leaf := range p.leaves[min(1, len(p.leaves)):] {
		p.wider = append(p.wider, foldedParts(text, extent{p.leaves[0].start, leaf.end})...)
	}
	return p
}

// emailParts returns the local part and the labels of the domain as leaves, the domain and the whole as wider parts.
func emailParts(text string) parts {
	all := extent{0, len(text)}
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return parts{leaves: foldedParts(text, all)}
	}
	local, labels := extent{0, at}, split(text, ".", at+1, len(text))
	return parts{
		leaves: foldedParts(text, append([]extent{local}, labels...)...),
		wider:  foldedParts(text, extent{at + 1, len(text)}, all),
	}
}

// pathSegments returns the segments as leaves, and the whole without slashes at its end as a wider part.
func pathSegments(text string) parts {
	whole := strings.TrimRight(strings.TrimRight(text, " "), "/")
	if whole == "" {
		whole = text
	}
	return parts{
		leaves: foldedParts(text, split(text, "/", 0, len(text))...),
		wider:  foldedParts(text, extent{0, len(whole)}),
	}
}
