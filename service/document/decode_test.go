package document

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Any document is decoded and compacted as encoding/json does it.
func TestDecodeEqualsTheLibrary(t *testing.T) {
	t.Parallel()
	leaf := rapid.OneOf(rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just[any](nil), rapid.Just[any]("tab\tquote\" \\ é 😀"), rapid.Just[any](`\`), rapid.Just[any](`\\"`))
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.String(), value(depth-1), 0, 3), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(rapid.MapOfN(rapid.String(), value(3), 0, 4).Draw(t, "document"))
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		got, err := Decode(raw)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%s: %v\n%s", raw, err, diff)
		}
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, raw, " ", "\t"); err != nil {
			t.Fatal(err)
		}
		if compact := AppendCompact(nil, spaced.Bytes()); !bytes.Equal(compact, raw) {
			t.Fatalf("%s became %s", raw, compact)
		}
	})
}

func TestDecodeRefusesWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "[]", "null", `{"a":}`, `{"a":1`, `{"a":1} x`, `{"a":tru}`} {
		if got, err := Decode([]byte(body)); err == nil {
			t.Errorf("%s: got %v", body, got)
		}
	}
}

// What is written through psql may be nested more deeply than what clients may send.
func TestDeepDocumentsAreDecoded(t *testing.T) {
	t.Parallel()
	const levels = 5000
	body := `{"a":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}"
	if _, err := Decode([]byte(body)); err != nil {
		t.Error(err)
	}
}
