package analysis

import "strings"

// contractedWords are English contractions that people type without their apostrophe. Those that are also other words (ill, well, were, shed) are
// missing, except for the seldom used cant and wont.
var contractedWords = func() map[string]string {
	words := map[string]string{}
	for _, word := range strings.Fields("ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't needn't shouldn't wasn't weren't won't wouldn't " +
		"i'm i've it'll it's that'll that's they'd they'll they're they've we've you'd you'll you're you've could've should've would've " +
		"he's here's how'd how's let's she's there's what's when's where'd where's who'd who's why's y'all") {
		words[strings.ReplaceAll(word, "'", "")] = word
	}
	return words
}()

// withApostrophe spells an English contraction that lacks its apostrophe: don't for dont.
func withApostrophe(word string) string {
	if other, ok := contractedWords[word]; ok {
		return other
	}
	return word
}
