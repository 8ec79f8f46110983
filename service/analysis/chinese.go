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

// chineseVariants maps a character of Chinese to all that it may be written as, itself included: the simplified form first, then the
// traditional ones.
var chineseVariants = sync.OnceValue(func() map[rune][]rune {
	variants := map[rune][]rune{}
	for line := range strings.Lines(chineseTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		group := []rune(strings.TrimSpace(line))
		for _, r := range group {
			// A character may be the simplified form of one and a traditional form itself (苧): the simplified one says more.
			if _, known := variants[r]; !known || r == group[0] {
				variants[r] = group
			}
		}
	}
	return variants
})

const (
	// maxVariedLetters is how many letters a text has at most for all of its spellings to be returned. Of a longer one, these are the
	// one in simplified and the one in traditional Chinese.
	maxVariedLetters = 2
	// maxChineseSpellings bounds them.
	maxChineseSpellings = 8
)

// ChineseSpellings returns how else a text is written in simplified and traditional Chinese, folded: 電腦 for 电脑. One simplified character may
// stand for several traditional ones (发 for 發 and 髮), so of one or two letters these are up to eight texts, the likeliest first.
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
			group = []rune{group[0], r} // it is traditional as it is
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

// isHan tells of a character that Chinese is written in, among those of the table.
func isHan(r rune) bool { return r >= 0x3400 && r <= 0x9fff }
