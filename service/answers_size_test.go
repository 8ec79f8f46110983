package service

import (
	"encoding/json"
	"strings"
	"testing"
)

// A remembered answer weighs as much as it takes, whatever takes it: a number may have 131,072 digits.
func TestSizeOfAnswers(t *testing.T) {
	t.Parallel()
	const much = 100_000
	long := strings.Repeat("9", much)
	for name, r := range map[string]SearchResponse{
		"statistics": {FacetStats: map[string]FacetStats{"n": {Min: json.RawMessage(long), Max: json.RawMessage("1"), Avg: json.RawMessage("1")}}},
		"values":     {Facets: map[string][]FacetValue{"n": {{Value: json.RawMessage(long)}}}},
		"sort":       {Sort: long},
		"highlights": {Hits: Hits{{Highlight: map[string][]string{"tags": make([]string, much/sizeOfString)}}}},
		"suggested":  {Hits: Hits{{Document: Document{Autocomplete: make([]string, much/sizeOfString)}}}},
	} {
		if size := r.size(); size < much-sizeOfString || size > 2*much {
			t.Errorf("%s: %d", name, size)
		}
	}
}
