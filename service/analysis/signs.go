package analysis

import (
	"strings"
	"unicode/utf8"
)

// A single letter followed by ++ or # is a word of its own, under a name that has only letters: C++ is cplusplus, C# is csharp. People who
// cannot write the signs write the same. Longer words say enough without their signs (Notepad++). rowan.signs does this in the database.
const plusPlus, sharp = "plusplus", "sharp"

// Sign returns the name of the sign at the beginning of following, which follows a single letter, and its length in
// bytes; "" and 0 if there is no sign, or a letter after # (/a#section).
func Sign(following string) (name string, size int) {
	if following == "" || following[0] < utf8.RuneSelf && following[0] != '+' && following[0] != '#' {
		return "", 0 // the common case
	}
	first, size := folded(following)
	switch second, n := folded(following[size:]); {
	case first == "+" && strings.HasPrefix(second, "+"):
		return plusPlus, size + n
	case first == "#" && (second == "" || !isLetter(second[0])):
		return sharp, size
	case strings.HasPrefix(first, "#") && len(first) > 1: // what is joined to the sign is a word of its own
		for at, r := range following {
			if Fold(string(r)) == "#" {
				return sharp, at + utf8.RuneLen(r)
			}
		}
	}
	return "", 0
}

// folded returns the first visible character of a text, with its marks and folded, and where it ends.
func folded(text string) (character string, end int) {
	for end < len(text) && character == "" {
		start := end
		end = segment(text, start)
		character = Fold(asParted.Replace(text[start:end]))
	}
	return character, end
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// single reports whether a word, as far as it has been read, ends in a single letter.
func single(word []byte) bool {
	last := len(word) - 1
	return last >= 0 && isLetter(word[last]) && (last == 0 || !isWordOfASCII(word[last-1]))
}

func isWordOfASCII(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// HasSign reports whether a word is the name of a letter with a sign.
func HasSign(word string) bool {
	return len(word) > 1 && isLetter(word[0]) && (word[1:] == plusPlus || word[1:] == sharp)
}

// signed reports whether a word is written with a sign in its text, not by the name of the sign.
func (t Token) signed(text string) bool {
	return HasSign(t.Text) && Fold(text[t.Start:t.End]) != t.Text
}

// SignBegun returns the words of a text that ends within a sign, the last one as far as it is there: c+ is on the
// way to c++. It returns none if the text does not end so.
func SignBegun(text string) []string {
	words := Texts(text + "+")
	last := len(words) - 1
	if last < 0 || !strings.HasSuffix(text, "+") || !strings.HasSuffix(words[last], plusPlus) || strings.HasSuffix(text, "++") {
		return nil
	}
	words[last] = strings.TrimSuffix(words[last], "plus")
	return words
}
