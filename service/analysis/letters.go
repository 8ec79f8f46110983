package analysis

import "unicode/utf8"

// IsPaired reports whether a word is a pair of letters of a script without spaces, or one such letter that stands alone. The script of a letter does not
// tell: ー belongs to none.
func IsPaired(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return isBigramBase(r)
}

// Letters returns the letters, with their marks, of a word of a script without spaces: one, or the two of a pair. Other words have none.
func Letters(word string) (list []string) {
	start := 0
	for i, r := range word {
		switch {
		case isBigramMark(r) && i > 0:
			continue
		case !isBigramBase(r):
			return nil
		case i > 0:
			list = append(list, word[start:i])
			start = i
		}
	}
	if word == "" {
		return nil
	}
	return append(list, word[start:])
}

// FirstLetter returns how many bytes of a text its first letter takes, with its marks.
func FirstLetter(text string) int {
	if text == "" {
		return 0
	}
	return segment(text, 0)
}
