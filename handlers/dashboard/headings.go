package dashboard

import (
	"encoding/json"
	"html"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// head sets the heading of a hit to its first mapped text, because people know documents by that and not by their _id. A
// highlight that the heading shows completely is not repeated below it.
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
		if text == "" || text != visible(text) {
			continue
		}
		h.Heading = shortened(text, maxShown)
		for i, row := range h.Highlights {
			// Highlights of long values are fragments, and those of arrays are the matching elements: they stay below.
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

// firstText returns a string, or the first one in an array, on one line; "" if there is none.
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

// unmarked returns the text that a highlight was made from.
func unmarked(highlight string) string {
	return html.UnescapeString(strings.NewReplacer("<b>", "", "</b>", "").Replace(highlight))
}
