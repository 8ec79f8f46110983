package service

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestCompactEqualsTheLibrary(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`\`, `\\`, `"`, `\"`, `a\`, ` "a": 1, `, "tab\t", ""}))
	rapid.Check(t, func(t *rapid.T) {
		document := rapid.MapOf(text, rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Int(), func(n int) any { return n }),
			rapid.Map(rapid.SliceOf(text), func(l []string) any { return l }))).Draw(t, "document")
		spaced, err := json.MarshalIndent(document, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := json.Compact(&want, spaced); err != nil {
			t.Fatal(err)
		}
		if got := appendCompact(nil, spaced); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("got %s, want %s", got, want.Bytes())
		}
	})
}
