package analysis

import (
	"strings"
	"unicode/utf8"
)

// A single letter with ++ or # behind it is a word of its own, by a name of nothing but letters: C++ is cplusplus, C# csharp. That
// is what people write who cannot write the signs, too. Longer words say enough without theirs (Notepad++). It is rowan.signs.
const plusPlus, sharp = "plusplus", "sharp"

// Sign tells the name of the sign that follows a single letter, and how many bytes of what follows it takes; none if there is no
// sign there, or a letter behind # (/a#section).
func Sign(following string) (name string, size int) {
	if following == "" || following[0] < utf8.RuneSelf && following[0] != '+' && following[0] != '#' {
		return "", 0 // as a rule
	}
	first, size := folded(following)
	switch second, n := folded(following[size:]); {
	case first == "+" && strings.HasPrefix(second, "+"):
		return plusPlus, size + n
	case first == "#" && (second == "" || !isLetter(second[0])):
		return sharp, size
	case strings.HasPrefix(first, "#") && len(first) > 1: // what is joined to it is a word of its own
		for at, r := range following {
			if Fold(string(r)) == "#" {
				return sharp, at + utf8.RuneLen(r)
			}
		}
	}
	return "", 0
}

// folded is the first character of a text that is seen, with its marks, and where it ends.
func folded(text string) (character string, end int) {
	for end < len(text) && character == "" {
		start := end
		end = segment(text, start)
		character = Fold(asParted.Replace(text[start:end]))
	}
	return character, end
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// single tells that a word, or what there is of it, ends in a single letter.
func single(word []byte) bool {
	last := len(word) - 1
	return last >= 0 && isLetter(word[last]) && (last == 0 || !isWordOfASCII(word[last-1]))
}

func isWordOfASCII(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// HasSign tells that a word is the name of a letter with a sign.
func HasSign(word string) bool {
	return len(word) > 1 && isLetter(word[0]) && (word[1:] == plusPlus || word[1:] == sharp)
}

// signed tells that a word is written with a sign in its text, not by the name of one.
func (t Token) signed(text string) bool {
	return HasSign(t.Text) && Fold(text[t.Start:t.End]) != t.Text
}

// SignBegun returns the words of a text that ends within a sign, of the last one as much as there is: c+ is on the way to c++. There
// are none if it does not.
func SignBegun(text string) []string {
	words := Texts(text + "+")
	last := len(words) - 1
	if last < 0 || !strings.HasSuffix(text, "+") || !strings.HasSuffix(words[last], plusPlus) || strings.HasSuffix(text, "++") {
		return nil
	}
	words[last] = strings.TrimSuffix(words[last], "plus")
	return words
}
