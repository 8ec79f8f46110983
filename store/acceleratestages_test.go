package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// Bounds exceed scores for a word that occurs hundreds of times in documents: documents with larger bounds than the cursor's score also come after
// it.
func TestWalkAmongWordsThatAreThereHundredsOfTimes(t *testing.T) {
	t.Parallel()
	st, checked, svc := newChecked(t, 100, 200)
	if err := svc.CreateIndex(t.Context(), "demo", "things", []mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "text", Type: mapping.LongText}}); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for i := range 90 {
		text := strings.Repeat("river ", 248+i%5) // from 250 on the count is not exact
		for n := range i {
			text += fmt.Sprintf("w%d ", n)
		}
		raw, err := json.Marshal(map[string]string{"title": []string{"stone", "stone river"}[i%2], "text": text})
		if err != nil {
			t.Fatal(err)
		}
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":%s}`, i, raw))
	}
	if _, err := svc.WriteBatch(t.Context(), "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
		t.Fatal(err)
	}
	if err := buildPostings(t.Context(), st, 100); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"river ", "stone river ", "riv"} {
		before, pages := checked.accelerated.Load(), int64(0)
		for req := (service.SearchRequest{Query: query, Match: service.MatchAll, PerPage: new(7)}); ; pages++ {
			resp, err := svc.Search(t.Context(), demo, "things", req)
			if err != nil {
				t.Fatal(err)
			}
			if req.Cursor = resp.Cursor; req.Cursor == "" {
				break
			}
		}
		if n := checked.accelerated.Load() - before; n < pages/2 {
			t.Errorf("%s: %d of %d pages were answered from postings", query, n, pages)
		}
	}
}
