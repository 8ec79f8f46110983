package handlers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// Every answer has a Content-Length, however long it is.
func TestAnswersHaveALength(t *testing.T) {
	t.Parallel()
	const body = `{"a":"<é>","b":[1,2,3]}`
	api := humachi.New(chi.NewRouter(), documentConfig())
	for _, size := range []int{0, 1, 1000} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			w := httptest.NewRecorder()
			held := &heldAnswer{humaContext: humachi.NewContext(nil, httptest.NewRequest(method, "/", nil), w)}
			held.SetStatus(http.StatusCreated)
			if held.Status() != http.StatusCreated {
				t.Errorf("the status that is kept back is %d", held.Status())
			}
			if size > 0 {
				if err := api.Marshal(held, jsonType, json.RawMessage("["+strings.Repeat(body+",", size-1)+body+"]")); err != nil {
					t.Fatal(err)
				}
			}
			held.send()
			if w.Code != http.StatusCreated || held.Status() != http.StatusCreated {
				t.Errorf("status %d", w.Code)
			}
			if got := w.Header().Get("Content-Length"); size > 0 && got != strconv.Itoa(w.Body.Len()) {
				t.Errorf("%s of %d: said to have %q of %d bytes", method, size, got, w.Body.Len())
			}
		}
	}
}

// An answer is encoded as the library would, with hits in rank order.
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
