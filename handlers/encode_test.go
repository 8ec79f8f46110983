package handlers

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// An answer is what the library would write, hits in rank order.
func TestAnswersAreEncodedAsByTheLibrary(t *testing.T) {
	t.Parallel()
	document := service.Document{ID: "a<b>", Body: json.RawMessage(`{"title": "<x> & \u2028 \"", "n": [1, 2]}`)}
	for _, result := range []searchResult{
		{Hits: hits{}, IDs: []string{}, Filter: sentFilter(`"a = 1"`)},
		{Hits: hits{{Document: document, Score: 1.5, Highlight: map[string][]string{"title": {"<b>x</b>"}}}, {Document: service.Document{ID: "0", Body: json.RawMessage(`{}`)}}},
			IDs: []string{"a<b>", "0"}, Total: 2, Query: "<", Cursor: "c", Facets: map[string][]service.FacetValue{"f": {{Value: 1, Count: 2}}}},
	} {
		var want, got bytes.Buffer
		if err := huma.DefaultJSONFormat.Marshal(&want, result); err != nil {
			t.Fatal(err)
		}
		if err := answerFormat.Marshal(&got, result); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Error(diff)
		}
	}
}
