package store_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// The comparison key of a value of 512 characters is that of longer values, too.
func TestFilterByValuesThatFillTheirKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "sku keyword", "title name")
	s.many(t, "things", 60, func(int) string { return `{"sku":"z","title":"common"}` })
	s.put(t, "things", "long", `{"sku":"`+strings.Repeat("x", 600)+`","title":"common"}`, "exact", `{"sku":"`+strings.Repeat("y", 512)+`","title":"common"}`)
	for _, way := range []string{"from the table", "from postings"} {
		for value, want := range map[string]string{
			strings.Repeat("x", 512): "", strings.Repeat("x", 600): "long", strings.Repeat("y", 512): "exact", strings.Repeat("y", 513): "",
		} {
			if got := s.found(t, "things", forWords("common "), filtered(`sku = "`+value+`"`)); got != want {
				t.Errorf("%s %d times %s finds %q, want %q", way, len(value), value[:1], got, want)
			}
		}
		s.buildPostings(t)
	}
}

// Boosts for which single precision is too small are ranked all the same.
func TestTinyBoosts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(6, 15, 40)
	s.create(t, "things", "title name")
	s.many(t, "things", 90, func(i int) string { return fmt.Sprintf(`{"title":"quantum","boost":%ge-50}`, float64(i+1)) })
	s.buildPostings(t)
	resp := s.search(t, "things", forWords("quantum "), func(r *service.SearchRequest) { r.PerPage = new(3) })
	if got := strings.Join(resp.IDs, " "); got != "000089 000088 000087" {
		t.Errorf("the first three are %s", got)
	}
}

// A hyphenated word is as rare while nothing follows it as with a space after it.
func TestHyphenatedWordsAreAsRareBegun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title sentence")
	s.many(t, "things", 200, func(i int) string {
		return fmt.Sprintf(`{"title":"%s %d"}`, []string{"man made", "man", "made", "man"}[i%4], i)
	})
	s.buildPostings(t)
	rarity := func(query string) float64 {
		resp := s.search(t, "things", forWords(query), func(r *service.SearchRequest) { r.Explain = true })
		if resp.Total != 50 {
			t.Fatalf("%q finds %d", query, resp.Total)
		}
		return resp.Hits[0].Explanation.Words[0].Rarity
	}
	if begun, finished := rarity("man-made"), rarity("man-made "); math.Abs(begun-finished) > 1e-3 {
		t.Errorf("man-made has rarity %g, with a space after it %g", begun, finished)
	}
}

// Names that answers have of their own cannot be written through psql, either.
func TestReservedNamesInRows(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name")
	s.put(t, "things", "a", `{"title":"x"}`)
	for _, sql := range []string{
		`UPDATE app_demo.things SET _body = _body || '{"_id":"b","_score":5}'`,
		`INSERT INTO app_demo.things (_id, _body) VALUES ('b', '{"_highlight":"<script>"}')`,
	} {
		if _, err := s.db.Pool.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "begin with _") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, err := s.db.Pool.Exec(t.Context(), `UPDATE app_demo.things SET _body = '{"title":"y","nested":{"_x":1}}'`); err != nil {
		t.Error(err)
	}
}
