package service

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// Ties are shown in the order of how many words hits have as written, with or without accents, but stay as they
// were found for the cursor that continues after the last.
func TestExactFirst(t *testing.T) {
	t.Parallel()
	var found []FoundHit
	var fields [][]highlightField
	for _, d := range []struct {
		id, text string
		score    float64
	}{{"a", "ship", 3}, {"b", "ship", 2}, {"c", "ships", 2}, {"d", "ships ahoy", 2}, {"e", "ships", 1}} {
		found = append(found, FoundHit{Document: Document{ID: d.id}, Score: d.score})
		fields = append(fields, []highlightField{{name: "title", values: &highlight.FieldValues{Values: []string{d.text}, Analysis: mapping.Stemmed}}})
	}
	for _, text := range []string{"Mur peint", "Mûr", "Mu\u0302r à point", "murs"} {
		found = append(found, FoundHit{Document: Document{ID: string(rune('a' + len(found)))}, Score: 0.5})
		fields = append(fields, []highlightField{{name: "title", values: &highlight.FieldValues{Values: []string{text}, Analysis: mapping.Stemmed}}})
	}
	ids := func(hits []FoundHit) (list []string) {
		for _, h := range hits {
			list = append(list, h.Document.ID)
		}
		return list
	}
	shown, of := exactFirst("ahoy ships", found, fields)
	if diff := cmp.Diff([]string{"a", "d", "c", "b", "e", "f", "g", "h", "i"}, ids(shown)); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, ids(found)); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	for i, hit := range shown {
		if at := int(hit.Document.ID[0] - 'a'); of[i][0].values != fields[at][0].values {
			t.Errorf("the fields of %s are those of another", hit.Document.ID)
		}
	}
	for query, want := range map[string][]string{"MÛR": {"g", "h", "f", "i"}, "mur": {"f", "g", "h", "i"}, "murs": {"i", "f", "g", "h"}} {
		shown, _ := exactFirst(query, found, fields)
		if diff := cmp.Diff(want, ids(shown[5:])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// Words that fold alike count each for itself, and each once, however often the query has them.
func TestExactFirstOfWordsFoldedAlike(t *testing.T) {
	t.Parallel()
	var found []FoundHit
	var fields [][]highlightField
	for _, text := range []string{"mur", "mûr", "mur mûr", "12.50", "mur mur"} {
		found = append(found, FoundHit{Document: Document{ID: text}})
		fields = append(fields, []highlightField{{values: &highlight.FieldValues{Values: []string{text}, Analysis: mapping.Stemmed}}})
	}
	shown, _ := exactFirst("mur mûr mur 12.5", found, fields)
	var ids []string
	for _, h := range shown {
		ids = append(ids, h.Document.ID)
	}
	if diff := cmp.Diff([]string{"mur mûr", "mur", "mûr", "mur mur", "12.50"}, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of hits with the same words, those come first that have more of them one after the other, as in the query: a title
// that is the query comes before one that merely begins or ends like it. Words of two values do not follow each other.
func TestExactFirstOfWordsInOrder(t *testing.T) {
	t.Parallel()
	var found []FoundHit
	var fields [][]highlightField
	for _, values := range [][]string{{"garden", "of stones"}, {"stones of garden"}, {"of stones, garden"}, {"Garden of Stones"}} {
		found = append(found, FoundHit{Document: Document{ID: strings.Join(values, "|")}})
		fields = append(fields, []highlightField{{values: &highlight.FieldValues{Values: values, Analysis: mapping.Stemmed}}})
	}
	shown, _ := exactFirst("garden of stones", found, fields)
	var ids []string
	for _, h := range shown {
		ids = append(ids, h.Document.ID)
	}
	if diff := cmp.Diff([]string{"Garden of Stones", "garden|of stones", "of stones, garden", "stones of garden"}, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
