package highlight

import "strings"

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
		escape(&b, v.text[at:start])
		b.WriteString("<b>")
		escape(&b, v.text[start:end])
		b.WriteString("</b>")
		at = end
	}
	escape(&b, v.text[at:of.end])
	if of.end < len(v.text) || v.cut {
		b.WriteString(ellipsis)
	}
	return b.String()
}

// escape writes text so that it is safe in HTML, including attributes.
func escape(b *strings.Builder, text string) {
	from := 0
	for i := range len(text) {
		var entity string
		switch text[i] {
		case '&':
			entity = "&amp;"
		case '<':
			entity = "&lt;"
		case '>':
			entity = "&gt;"
		case '"':
			entity = "&#34;"
		case '\'':
			entity = "&#39;"
		default:
			continue
		}
		b.WriteString(text[from:i])
		b.WriteString(entity)
		from = i + 1
	}
	b.WriteString(text[from:])
}
