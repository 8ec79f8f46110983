package store_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// A value of 512 characters has the same comparison key as longer values.
func TestFilterByValuesThatFillTheirKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "sku keyword", "genre category", "folder path", "title name")
	s.many(t, "things", 60, func(int) string { return `{"sku":"z","genre":"z","folder":"z","title":"common"}` })
	xs, ys, zs := strings.Repeat("x", 600), strings.Repeat("y", 512), strings.Repeat("z", 700)
	s.put(t, "things", "long", `{"sku":"`+xs+`","genre":"A > `+xs+` > B","folder":"/`+xs+`/b","title":"common"}`,
		"exact", `{"sku":"`+ys+`","genre":"`+ys+`","folder":"`+ys+`","title":"common"}`,
		"two", `{"sku":["a","`+strings.ToUpper(zs)+`"],"genre":["a","`+zs+` > C"],"folder":["a","`+zs+`/c"],"title":"common"}`)
	for _, way := range []string{"from the table", "from postings"} {
		for filter, want := range map[string]string{
			`sku = ` + xs[:512]: "", `sku = ` + xs: "long", `sku = ` + ys: "exact", `sku = ` + ys + "y": "", `sku = ` + zs: "two", `sku = ` + zs[1:]: "",
			`sku STARTS WITH ` + xs[:512]: "long", `sku STARTS WITH ` + xs: "long", `sku STARTS WITH ` + xs + "x": "", `sku STARTS WITH ` + ys + "y": "",
			`sku STARTS WITH ` + zs[1:]: "two", `sku STARTS WITH ` + zs + "!": "",
			`genre = "A > ` + xs + `"`: "long", `genre = "A > ` + xs + ` > C"`: "", `genre = "A > ` + xs[1:] + `"`: "", `genre = ` + ys + "y": "", `genre = ` + zs: "two",
			`genre STARTS WITH "A > ` + xs + ` > "`: "long", `genre STARTS WITH "A > ` + xs + `x"`: "", `genre STARTS WITH "` + zs + ` > C"`: "two", `genre STARTS WITH "` + zs + ` > D"`: "",
			`folder = /` + xs: "long", `folder = /` + xs + "/c": "", `folder = /` + xs[1:]: "", `folder = ` + zs: "two",
			`folder STARTS WITH /` + xs + "/": "long", `folder STARTS WITH /` + xs + "x": "", `folder STARTS WITH ` + zs + "/c": "two", `folder STARTS WITH ` + zs + "/d": "",
		} {
			if got := s.found(t, "things", forWords("common "), filtered(filter)); got != want {
				t.Errorf("%s %.24s… (%d) finds %q, want %q", way, filter, len(filter), got, want)
			}
		}
		s.buildPostings(t)
	}
}

// Boosts too small for single precision are still ranked.
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

	// In some blocks, but not in the first and the last.
	s.create(t, "others", "title name")
	s.many(t, "others", 640, func(i int) string {
		boost := 1.0
		if i >= 64 && i < 576 {
			boost = float64(i) * 1e-50
		}
		return fmt.Sprintf(`{"title":"quantum","boost":%g}`, boost)
	})
	if err := buildPostingsOf(t.Context(), s.Store, "others", 100); err != nil {
		t.Fatal(err)
	}
	resp = s.search(t, "others", forWords("quantum "), func(r *service.SearchRequest) { r.Page, r.PerPage = new(44), new(3) })
	if got := strings.Join(resp.IDs, " "); got != "000574 000573 000572" {
		t.Errorf("the hits 130 to 132 are %s", got)
	}
}

// A hyphenated word has the same rarity whether or not a space follows it.
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
		resp := s.search(t, "things", forWords(query), explained)
		if resp.Total != 50 {
			t.Fatalf("%q finds %d", query, resp.Total)
		}
		return resp.Hits[0].Explanation.Words[0].Rarity
	}
	if begun, finished := rarity("man-made"), rarity("man-made "); math.Abs(begun-finished) > 1e-3 {
		t.Errorf("man-made has rarity %g, with a space after it %g", begun, finished)
	}
}

// Reserved names cannot be written through psql, either.
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
