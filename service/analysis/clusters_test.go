package analysis_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service/analysis"
)

// The cached forms of characters, alone and with their marks, make the same words as folding each of them.
func TestKeptClustersMakeTheSameWords(t *testing.T) {
	t.Parallel()
	scripts := [][2]rune{
		{'0', '~'}, {'\u00a0', '\u024f'}, {'\u0370', '\u052f'}, {'\u0590', '\u06ff'}, {'\u0900', '\u0dff'}, {'\u0e00', '\u0eff'}, {'\u1000', '\u11ff'},
		{'\u1780', '\u17ff'}, {'\u1e00', '\u2fff'}, {'\u3000', '\u30ff'}, {'一', '\u9fff'}, {'가', '힣'}, {'\uf900', '\uffff'}, {'\U00010000', '\U0001ffff'},
		{'\U00020000', '\U0010ffff'},
	}
	marks := []rune("\u00ad\u0301\u0308\u0327\u0640\u064b\u093c\u093f\u094d\u09be\u0d3e\u0e31\u0e33\u0e48\u0eb3\u1161\u11a8\u200b\u200c\u200d\u20e3\u3099\ufe0f\uff9e™.' ") // signs are another matter
	random := rand.New(rand.NewPCG(3, 141))
	for range 40_000 {
		script := scripts[random.IntN(len(scripts))]
		var b strings.Builder
		for range 1 + random.IntN(8) {
			switch random.IntN(6) {
			case 0:
				script = scripts[random.IntN(len(scripts))]
			case 1, 2:
				b.WriteRune(marks[random.IntN(len(marks))])
			case 3:
				b.WriteByte("aE19\xff"[random.IntN(5)])
			default:
				b.WriteRune(script[0] + random.Int32N(script[1]-script[0]+1))
			}
		}
		if text := b.String(); !slices.Equal(analysis.Words(text), analysis.WordsAnew(text)) {
			t.Errorf("Words(%+q) = %+v, folded anew they are %+v", text, analysis.Words(text), analysis.WordsAnew(text))
		}
	}
}

// A nasal of Devanagari is looked for only where there is a virama, so nothing else may fold to one.
func TestNothingElseFoldsToVirama(t *testing.T) {
	t.Parallel()
	for r := range rune(0x20000) { // beyond these, only ideographs change when folded
		if r != analysis.Virama && strings.ContainsRune(analysis.Fold(string(r)), analysis.Virama) {
			t.Errorf("%U folds to %+q", r, analysis.Fold(string(r)))
		}
	}
}
