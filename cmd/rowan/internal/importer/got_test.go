package importer

import (
	"strings"
	"testing"
)

func TestGot(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]any{
		"":                             nil,
		`, got "no date"`:              "no date",
		`, got ""`:                     "",
		`, got "a\nb <c>"`:             "a\nb <c>",
		`, got 2.5`:                    2.5,
		`, got 2147483648`:             2147483648.0,
		`, got 1.2345678901234567e+19`: 12345678901234567890.0,
		`, got false`:                  false,
		`, got {"a":[1]}`:              map[string]any{"a": []any{1.0}},
		`, got "` + strings.Repeat("ä", 58) + "…":      strings.Repeat("ä", 70),
		`, got {"a":"` + strings.Repeat("b", 53) + "…": `{"a":"` + strings.Repeat("b", 190) + "…",
	} {
		if got := got(value); got != want {
			t.Errorf("got(%v) is %q, want %q", value, got, want)
		}
	}
}
