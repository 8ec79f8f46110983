package analysis

import "strings"

// withoutMutation returns an Irish word as it is without a change of its first letter: bhróg and mbróg are bróg.
func withoutMutation(word string) string {
	for eclipsed := range strings.FieldsSeq("bhf:f mb:b gc:c nd:d ng:g bp:p dt:t ts:s") {
		before, after, _ := strings.Cut(eclipsed, ":")
		if rest, has := strings.CutPrefix(word, before); has && len(rest) > 1 {
			return after + rest
		}
	}
	if len(word) > 3 && word[1] == 'h' && strings.IndexByte("bcdfgmpst", word[0]) >= 0 {
		return word[:1] + word[2:]
	}
	return word
}
