package importer

import (
	"math"
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service/document"
)

// shownValue is how many characters of a bad value are shown: enough to find it, on one line.
const shownValue = 60

// got returns the value that a fault is about, as JSON, so that a string can be told from a number.
func got(value any) string {
	if value == nil {
		return "" // no value, or null
	}
	var text string
	switch v := value.(type) {
	case float64:
		if text = encoded(v); math.Abs(v) > 1<<53 {
			text = strconv.FormatFloat(v, 'e', -1, 64) // without last digits that the record does not have
		}
	case string:
		// The server shortens a very long value to the beginning of its JSON with an ellipsis.
		if text = v; !strings.HasSuffix(v, "…") || !strings.ContainsAny(v[:1], `"{[`) {
			text = encoded(v)
		}
	default:
		text = encoded(v)
	}
	if shown := []rune(text); len(shown) > shownValue {
		text = string(shown[:shownValue-1]) + "…"
	}
	return ", got " + text
}

func encoded(value any) string {
	text, _ := document.Encode(value) // it was read from JSON
	return string(text)
}
