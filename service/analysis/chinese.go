package analysis

import (
	_ "embed" // chinese.txt
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed chinese.txt
var chineseTable string

// chineseVariants maps a Chinese character to all of its forms, itself included: the simplified one first, then the traditional ones.
var chineseVariants = sync.OnceValue(func() map[rune][]rune {
	variants := map[rune][]rune{}
	for line := range strings.Lines(chineseTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		group := []rune(strings.TrimSpace(line))
		for _, r := range group {
			// A character may be both a simplified form and a traditional one (苧). The line that it begins wins.
			if _, known := variants[r]; !known || r == group[0] {
				variants[r] = group
			}
		}
	}
	return variants
})

const (
	// maxVariedLetters is the length in characters up to which every combination of forms is returned. A longer text is only returned as
	// simplified and as traditional Chinese.
	maxVariedLetters = 2
	// maxChineseSpellings bounds the combinations.
	maxChineseSpellings = 8
)

// ChineseSpellings returns the other spellings of a text in simplified and traditional Chinese, folded: 電腦 for 电脑. One simplified character may
// stand for several traditional ones (发 for 發 and 髮), so a text of one or two characters has up to eight, the most likely first.
func ChineseSpellings(text string) (list []string) {
	if !strings.ContainsFunc(text, isHan) {
		return nil
	}
	text = Fold(text)
	variants := chineseVariants()
	spellings := []string{""}
	if utf8.RuneCountInString(text) > maxVariedLetters {
		spellings = []string{"", ""} // simplified, traditional
	}
	each := len(spellings) == 1
	for _, r := range text {
		group := variants[r]
		switch {
		case group == nil:
			group = []rune{r, r}
		case !each && r != group[0]:
			group = []rune{group[0], r} // it is traditional already
		}
		if !each {
			spellings[0] += string(group[0])
			spellings[1] += string(group[1])
			continue
		}
		var longer []string
		for _, before := range spellings {
			for _, other := range group {
				longer = append(longer, before+string(other))
			}
		}
		spellings = longer
	}
	for _, spelling := range spellings {
		if spelling != text && !slices.Contains(list, spelling) && len(list) < maxChineseSpellings {
			list = append(list, spelling)
		}
	}
	return list
}

// isHan reports whether r is in the range of the table's characters.
func isHan(r rune) bool { return r >= 0x3400 && r <= 0x9fff }
