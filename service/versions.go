package service

import (
	"regexp"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// Versions are written with a v and without: v1.2.3 is the tag of the release 1.2.3.

// isVersion reports whether a word is the version of something: 2.31.0, v1.0.0-rc.1.
func isVersion(text string) bool { return version.MatchString(text) }

var version = regexp.MustCompile(`^[vV]?[0-9]+(?:\.[0-9]+)+(?:[.+-]?[A-Za-z0-9.+-]+)?$`)

// otherVersion returns a version without its v, or with one; "" for other words. A number with one point may be anything, such as a price.
func otherVersion(raw query.Term) string {
	switch {
	case raw.Phrase || !isVersion(raw.Text):
		return ""
	case raw.Text[0] == 'v' || raw.Text[0] == 'V':
		return raw.Text[1:]
	case strings.Count(raw.Text, ".") > 1:
		return "v" + raw.Text
	}
	return ""
}

// version adds the ways to find an identifier that is, or has, a version written the other way.
func (w *wording) version(a mapping.Analysis) {
	if !w.included || !w.planner.typos {
		return
	}
	other := otherVersion(w.raw)
	if other == "" {
		return
	}
	ways := func(prefix bool) [][]Lexeme {
		return [][]Lexeme{marked(analysis.PartMark, analysis.Whole(analysis.Fold(other)), prefix), partSequence(analysis.Texts(other), prefix)}
	}
	for _, sequence := range ways(false) {
		w.addSpelling(a, spellingFactor, sequence)
	}
	if w.begun() {
		for _, sequence := range ways(true) {
			w.addSpelling(a, spellingFactor*w.begunFactor(a), sequence)
		}
	}
}
