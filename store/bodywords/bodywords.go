// Package bodywords finds the words in the bodies of documents that queries may misspell or of which they may contain a prefix.
package bodywords

import (
	"bytes"
	"encoding/json"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// Finder finds, in the bodies of documents, the words that may be mistyped: those of fields whose type tolerates typos, and of strings without a
// mapping. It relies on PostgreSQL's output of a jsonb being valid JSON and parses no more of it than necessary, to keep up while an index is being
// loaded.
type Finder struct {
	modes map[string]textMode // by dotted name
	// word is called for each folded word; the bytes are only valid until it returns.
	word func(word []byte)

	data []byte
	pos  int
	path []byte
	fold []byte
}

// textMode says what to do with the strings of a property.
type textMode int

const (
	textUnmapped textMode = iota // not mapped; properties below it may be
	textIgnored
	textPlain
	textHTML
)

// NewFinder returns a Finder for an index with these mappings, for use by one goroutine. word is called for each folded word; its bytes are only
// valid until it returns.
func NewFinder(mappings []mapping.Mapping, word func([]byte)) *Finder {
	f := &Finder{modes: map[string]textMode{"boost": textIgnored, "autocomplete": textIgnored}, word: word}
	for _, m := range mappings {
		switch info := m.Type.Info(); {
		case !info.Typos:
			f.modes[m.Name] = textIgnored
		case info.Analysis == mapping.StemmedHTML:
			f.modes[m.Name] = textHTML
		default:
			f.modes[m.Name] = textPlain
		}
	}
	return f
}

// Find reads one body.
func (f *Finder) Find(body []byte) {
	f.data, f.pos, f.path = body, 0, f.path[:0]
	f.value(textUnmapped)
}

// skipSpace moves to the next significant character and returns it; 0 at the end.
func (f *Finder) skipSpace() byte {
	for f.pos < len(f.data) {
		if c := f.data[f.pos]; c != ' ' && c != ',' && c != ':' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		f.pos++
	}
	return 0
}

// value reads one value.
func (f *Finder) value(mode textMode) {
	switch f.skipSpace() {
	case '"':
		raw, escaped := f.rawString()
		if mode != textIgnored {
			f.text(unquoted(raw, escaped), mode)
		}
	case '{':
		f.pos++
		for {
			if c := f.skipSpace(); c != '"' {
				f.pos++
				return
			}
			raw, escaped := f.rawString()
			before := len(f.path)
			below := mode
			if mode == textUnmapped {
				if before > 0 {
					f.path = append(f.path, '.')
				}
				f.path = append(f.path, unquoted(raw, escaped)...)
				below = f.modes[string(f.path)]
			}
			f.value(below)
			f.path = f.path[:before]
		}
	case '[':
		f.pos++
		for {
			if c := f.skipSpace(); c == ']' || c == 0 {
				f.pos++
				return
			}
			f.value(mode)
		}
	default:
		// A number, true, false or null.
		for f.pos++; f.pos < len(f.data); f.pos++ {
			if c := f.data[f.pos]; c == ',' || c == ']' || c == '}' {
				return
			}
		}
	}
}

// rawString reads a string without unescaping it.
func (f *Finder) rawString() (raw []byte, escaped bool) {
	start := f.pos + 1
	end := start
	for {
		n := bytes.IndexByte(f.data[end:], '"')
		if n < 0 {
			f.pos = len(f.data)
			return nil, false
		}
		end += n
		backslashes := 0
		for end-backslashes > start && f.data[end-backslashes-1] == '\\' {
			backslashes++
		}
		end++
		if backslashes%2 == 0 {
			break
		}
	}
	f.pos = end
	raw = f.data[start : end-1]
	return raw, bytes.IndexByte(raw, '\\') >= 0
}

func unquoted(raw []byte, escaped bool) []byte {
	if !escaped {
		return raw
	}
	var s string
	if json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &s) != nil {
		return nil
	}
	return []byte(s)
}

// text calls f.word for the words of a text. In ASCII these are its runs of letters and digits; package analysis handles everything else.
func (f *Finder) text(text []byte, mode textMode) {
	if mode == textHTML {
		text = []byte(analysis.PlainHTML(string(text)))
	}
	for _, c := range text {
		if c >= utf8.RuneSelf {
			for _, token := range analysis.Words(string(text)) {
				if len(token.Text) >= MinWord && len(token.Text) <= maxWord && Completed(token.Text) {
					f.word([]byte(token.Text))
				}
			}
			return
		}
	}
	f.fold = append(f.fold[:0], text...)
	start := 0
	for i := 0; i <= len(f.fold); i++ {
		if i < len(f.fold) {
			c := f.fold[i]
			if c >= 'A' && c <= 'Z' {
				f.fold[i] = c | 0x20
				continue
			}
			if c >= 'a' && c <= 'z' {
				continue
			}
			if c >= '0' && c <= '9' {
				continue
			}
		}
		switch {
		case i == start+1 && f.fold[start] >= 'a':
			if name, size := analysis.Sign(string(f.fold[i:min(i+longestSign, len(f.fold))])); size > 0 {
				f.word([]byte(string(f.fold[start]) + name))
				i += size - 1
			}
		case i-start >= MinWord && i-start <= maxWord && f.fold[start] >= 'a':
			f.word(f.fold[start:i])
		}
		start = i + 1
	}
}

// longestSign is how many bytes of an ASCII text decide whether there is a sign: both of ++, or # and a letter that may follow it.
const longestSign = 2

// MinWord and maxWord are the minimum and maximum lengths in bytes of the words in a vocabulary. A single letter is not completed to longer words,
// and anything longer than maxWord is not a word.
const MinWord, maxWord = 2, 100

// Completed reports whether a vocabulary has the words with this prefix: it has those that begin with a letter.
func Completed(prefix string) bool {
	first, _ := utf8.DecodeRuneInString(prefix)
	return unicode.IsLetter(first)
}
