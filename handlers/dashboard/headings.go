package dashboard

import (
	"encoding/json"
	"html"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// head gives a hit its heading: the first mapped text that it has, because people know documents by that and not by their _id.
// What the heading shows whole is not shown again below it.
func (h *previewHit) head(mappings []mapping.Mapping) {
	var body map[string]json.RawMessage
	if json.Unmarshal(h.Body, &body) != nil {
		return
	}
	for _, m := range mappings {
		switch m.Type {
		case mapping.Sentence, mapping.Name, mapping.Completion, mapping.Text:
		default:
			continue
		}
		text := firstText(document.At(body, m.Name))
		if text == "" {
			continue
		}
		h.Heading = shortened(text, maxShown)
		for i, row := range h.Highlights {
			// Of long values, highlights are fragments, and of arrays those that match: they stay below.
			if row.Field != m.Name || oneLine(unmarked(row.Values[0])) != text {
				continue
			}
			h.Marked = row.Values[0]
			if len(row.Values) == 1 {
				h.Highlights = slices.Delete(h.Highlights, i, i+1)
			}
			break
		}
		return
	}
}

// firstText is a string, or the first of an array, on one line; "" where there is none.
func firstText(value json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		for _, element := range list {
			if text := firstText(element); text != "" {
				return text
			}
		}
		return ""
	}
	switch plain := plainValue(value).(type) {
	case string:
		return oneLine(plain)
	case json.Number:
		return plain.String()
	}
	return ""
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// unmarked is the text that a highlight was made of.
func unmarked(highlight string) string {
	return html.UnescapeString(strings.NewReplacer("<b>", "", "</b>", "").Replace(highlight))
}
