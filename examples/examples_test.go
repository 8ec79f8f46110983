package examples_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/examples"
	"github.com/rowansearch/rowan/service/mapping"
)

type film struct {
	ID            string   `json:"_id"`
	Title         string   `json:"title"`
	OriginalTitle string   `json:"original_title"`
	Year          int      `json:"year"`
	ReleaseDate   *string  `json:"release_date"`
	Directors     []string `json:"directors"`
	Genres        []string `json:"genres"`
	Countries     []string `json:"countries"`
	RunningTime   int      `json:"running_time"`
	Language      string   `json:"language"`
	Description   string   `json:"description"`
}

func TestFilms(t *testing.T) {
	t.Parallel()
	documents := examples.Films()
	if len(documents) < 300 {
		t.Errorf("%d films, want at least 300", len(documents))
	}
	seen := map[string]bool{}
	for i, document := range documents {
		var f film
		dec := json.NewDecoder(bytes.NewReader(document))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&f); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if seen[f.ID] {
			t.Errorf("line %d: duplicate _id %s", i+1, f.ID)
		}
		seen[f.ID] = true
		if strings.Trim(f.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || f.ID == "" || strings.HasPrefix(f.ID, "-") {
			t.Errorf("line %d: _id %q is not a slug", i+1, f.ID)
		}
		if f.Year < 1895 || f.Year > 2026 || f.RunningTime < 1 || f.RunningTime > 300 {
			t.Errorf("%s: year %d, %d minutes", f.ID, f.Year, f.RunningTime)
		}
		if f.ReleaseDate != nil {
			if day, err := time.Parse(time.DateOnly, *f.ReleaseDate); err != nil || day.Year() != f.Year {
				t.Errorf("%s: released on %s in %d", f.ID, *f.ReleaseDate, f.Year)
			}
		}
		texts := append([]string{f.Title, f.OriginalTitle, f.Language, f.Description}, slices.Concat(f.Directors, f.Genres, f.Countries)...)
		for _, text := range texts {
			if text == "" || text != strings.TrimSpace(text) {
				t.Errorf("%s: a text is empty or has surrounding white space: %q", f.ID, text)
			}
		}
		if len(f.Directors) == 0 || len(f.Genres) == 0 || len(f.Countries) == 0 || !strings.HasSuffix(f.Description, ".") {
			t.Errorf("%s: something is missing: %s", f.ID, document)
		}
	}
	if !slices.IsSortedFunc(documents, func(a, b json.RawMessage) int {
		var x, y film
		_, _ = json.Unmarshal(a, &x), json.Unmarshal(b, &y)
		return x.Year - y.Year
	}) {
		t.Error("the films are not sorted by year")
	}
}

func TestFilmMappings(t *testing.T) {
	t.Parallel()
	mappings, err := examples.FilmMappings()
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	for _, raw := range examples.Films() { // one that has every property
		if err := json.Unmarshal(raw, &document); err != nil {
			t.Fatal(err)
		}
		if document["release_date"] != nil {
			break
		}
	}
	delete(document, "_id")
	types := map[mapping.Type]bool{}
	for _, m := range mappings {
		if !m.Type.Known() {
			t.Errorf("%s: unknown type %q", m.Name, m.Type)
		}
		if _, ok := document[m.Name]; !ok {
			t.Errorf("no film has the mapped property %s", m.Name)
		}
		delete(document, m.Name)
		types[m.Type] = true
	}
	if len(document) > 0 {
		t.Errorf("properties without a mapping: %v", document)
	}
	if len(types) < 7 {
		t.Errorf("the mappings show only %d types", len(types))
	}
}
