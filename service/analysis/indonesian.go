package analysis

import "strings"

// prefixed returns the forms of an Indonesian word with a prefix that takes the place of its first letter, or the word of such a form: tulis, menulis and
// penulis. The stemmer does not know the letter that is missing.
func prefixed(word string) (list []string) {
	for nasal := range strings.FieldsSeq("t:men k:meng s:meny p:mem t:pen k:peng s:peny p:pem") {
		first, prefix, _ := strings.Cut(nasal, ":")
		if rest, has := strings.CutPrefix(word, prefix); has && len(rest) > 2 {
			list = append(list, first+rest, first+strings.TrimSuffix(rest, "an"))
		}
		if rest, has := strings.CutPrefix(word, first); has && len(rest) > 2 {
			list = append(list, prefix+rest)
			if prefix[0] == 'p' {
				list = append(list, prefix+rest+"an")
			}
		}
	}
	// Before these letters, pe- changes nothing, but the stemmer takes per- and pem- for prefixes.
	if rest, has := strings.CutPrefix(word, "pe"); has && len(rest) > 3 && strings.IndexByte("lmr", rest[0]) >= 0 {
		return append(list, rest, strings.TrimSuffix(rest, "an"))
	}
	if len(word) > 3 && strings.IndexByte("lmr", word[0]) >= 0 {
		list = append(list, "pe"+word, "pe"+word+"an")
	}
	return list
}
