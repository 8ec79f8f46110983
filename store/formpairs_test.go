package store_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// formsFound are the minimum shares, by language, of the pairs of forms of a word in testdata/forms that find each other: about three hundredths less than
// with the stemmers of PostgreSQL 15. The words are everyday nouns and adjectives, and some verbs; some rules name words among them.
var formsFound = map[string]float64{
	"arabic": 0.87, "armenian": 0.93, "basque": 0.97, "catalan": 0.94, "danish": 0.94, "dutch": 0.82, "finnish": 0.92,
	"french": 0.93, "german": 0.92, "greek": 0.95, "hindi": 0.92, "hungarian": 0.95, "indonesian": 0.85, "irish": 0.97,
	"italian": 0.96, "lithuanian": 0.94, "nepali": 0.95, "norwegian": 0.97, "portuguese": 0.90, "romanian": 0.94, "russian": 0.93,
	"serbian": 0.89, "spanish": 0.92, "swedish": 0.94, "tamil": 0.86, "turkish": 0.96,
}

// Most forms of a word find each other, whatever the language's stemmer makes of them.
func TestFormsFindEachOther(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/forms/*.txt")
	if err != nil || len(files) != len(formsFound) {
		t.Fatalf("%d files for %d languages: %v", len(files), len(formsFound), err)
	}
	for _, file := range files {
		language := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			list, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := newSite(t)
			s.create(t, "words", "title text")
			if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "words", []byte(`{"language":"`+language+`"}`), true); err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(string(list))
			s.many(t, "words", len(words), func(i int) string {
				body, err := json.Marshal(map[string]string{"title": words[i]})
				if err != nil {
					t.Fatal(err)
				}
				return string(body)
			})
			var pairs, found float64
			var missed []string
			for line := range strings.Lines(string(list)) {
				forms := strings.Fields(line)
				for _, form := range forms {
					var titles []string
					for _, hit := range s.search(t, "words", forWords(form+" "), func(r *service.SearchRequest) { r.PerPage = new(100) }).Hits {
						var body struct{ Title string }
						if err := json.Unmarshal(hit.Body, &body); err != nil {
							t.Fatal(err)
						}
						titles = append(titles, body.Title)
					}
					for _, other := range forms {
						if other == form {
							continue
						}
						pairs++
						if slices.Contains(titles, other) {
							found++
						} else {
							missed = append(missed, form+"/"+other)
						}
					}
				}
			}
			share := found / pairs
			if floor, known := formsFound[language]; !known || share < floor {
				t.Errorf("%.3f of %.0f pairs find each other, want %.2f: not %v", share, pairs, floor, missed)
			}
		})
	}
}
