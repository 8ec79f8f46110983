package highlight

import (
	"html"
	"strings"
)

// mark is a matched stretch of a text, in bytes, with the terms that it matches.
type mark struct {
	start, end int
	terms      termSet
}

// extent is a stretch of a text, in bytes.
type extent struct{ start, end int }

const ellipsis = "…"

// render returns a stretch of the value as HTML. Marks are sorted; those that overlap or touch become one, so that
// adjacent pairs of letters in scripts without spaces get one mark.
func (v value) render(of extent, marks []mark) string {
	var b strings.Builder
	b.Grow(of.end - of.start + 64)
	if of.start > 0 {
		b.WriteString(ellipsis)
	}
	at := of.start
	for i := 0; i < len(marks); {
		start, end := max(marks[i].start, of.start), marks[i].end
		for i++; i < len(marks) && marks[i].start <= end; i++ {
			end = max(end, marks[i].end)
		}
		end = min(end, of.end)
		if start >= end {
			continue
		}
		b.WriteString(html.EscapeString(v.text[at:start]))
		b.WriteString("<b>")
		b.WriteString(html.EscapeString(v.text[start:end]))
		b.WriteString("</b>")
		at = end
	}
	b.WriteString(html.EscapeString(v.text[at:of.end]))
	if of.end < len(v.text) || v.cut {
		b.WriteString(ellipsis)
	}
	return b.String()
}
