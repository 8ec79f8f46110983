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

// nasals makes anusvara of the nasal before a stop of its class: हिन्दी is हिंदी.
var nasals = func() *strings.Replacer {
	var pairs []string
	for _, c := range classes {
		for stop := c.first; stop <= c.last; stop++ {
			pairs = append(pairs, string([]rune{c.nasal, virama, stop}), string([]rune{anusvara, stop}))
		}
	}
	return strings.NewReplacer(pairs...)
}()

// nasalBegun makes anusvara of a nasal at the end of a text, too: who types हिन्दी has हिन् on the way, and the index हिंदी.
func nasalBegun(text string) string {
	folded := Fold(text)
	for _, c := range classes {
		if rest, ok := strings.CutSuffix(folded, string([]rune{c.nasal, virama})); ok {
			return rest + string(rune(anusvara))
		}
	}
	return folded
}

// foldsNasal tells that what ends before stop is a nasal which that makes an anusvara.
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
