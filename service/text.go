package service

import (
	"unicode"
	"unicode/utf8"
)

// sentence makes a sentence of an error's text: a capital first and a full stop last.
func sentence(err error) string {
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if last := text[len(text)-1]; last != '.' && last != '?' && last != '!' {
		text += "."
	}
	return text
}
