package analysis

import "strings"

const (
	chandrabindu = 0x901
	anusvara     = 0x902
	nukta        = 0x93c
	virama       = 0x94d
)

// classes are the stops of Devanagari, from the first to the last, with the nasal of each class.
var classes = []struct{ first, last, nasal rune }{
	{'क', 'घ', 'ङ'}, {'च', 'झ', 'ञ'}, {'ट', 'ढ', 'ण'}, {'त', 'ध', 'न'}, {'प', 'भ', 'म'},
}

// nasals replaces the nasal before a stop of its class by anusvara: हिन्दी becomes हिंदी.
var nasals = func() *strings.Replacer {
	var pairs []string
	for _, c := range classes {
		for stop := c.first; stop <= c.last; stop++ {
			pairs = append(pairs, string([]rune{c.nasal, virama, stop}), string([]rune{anusvara, stop}))
		}
	}
	return strings.NewReplacer(pairs...)
}()

// nasalBegun also replaces a nasal at the end of a text by anusvara: on the way to हिन्दी somebody has typed हिन्, and the index has हिंदी.
func nasalBegun(text string) string {
	folded := Fold(text)
	for _, c := range classes {
		if rest, ok := strings.CutSuffix(folded, string([]rune{c.nasal, virama})); ok {
			return rest + string(rune(anusvara))
		}
	}
	return folded
}

// foldsNasal reports whether before ends in a nasal that becomes anusvara before stop.
func foldsNasal(before string, stop rune) bool {
	if stop < classes[0].first || stop > classes[len(classes)-1].last || !strings.ContainsRune(before, virama) {
		return false // nothing else folds to virama
	}
	for _, c := range classes {
		if stop >= c.first && stop <= c.last {
			return strings.HasSuffix(Fold(before), string([]rune{c.nasal, virama}))
		}
	}
	return false
}
