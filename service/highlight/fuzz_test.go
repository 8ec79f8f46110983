package highlight_test

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzField looks for the words of one text in another, in every analysis.
func FuzzField(f *testing.F) {
	f.Add("Three <b>ships</b> & a boat", "ship|boat")
	f.Add("Audio > Cables", "audio_>_cables cab*")
	f.Add("東京大学 "+strings.Repeat("学生", 150), "東京 京大|学生")
	f.Add("jo@example.com", "example ?")
	f.Add("/a／b//", "b")
	f.Add("caf\u0065\u0301 👩\u200d👧 &eacute; ﬁ", "cafe|f*")
	f.Fuzz(func(t *testing.T, text, query string) {
		if !utf8.ValidString(text) || !utf8.ValidString(query) {
			t.Skip("strings of documents and queries are valid UTF-8")
		}
		m := terms(strings.Split(query, "|")...)
		for _, a := range analyses {
			for _, values := range [][]string{{text}, {text + strings.Repeat(" and", 60) + text, text}} {
				checkHighlights(t, a, values, field(a, m, values...))
			}
		}
	})
}
