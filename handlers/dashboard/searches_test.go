package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service"
)

var seenField = regexp.MustCompile(`name="seen" value="([^"]+)"`)

func TestSearchLife(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	stored := func() service.SearchDefinition {
		t.Helper()
		def, err := b.svc.SearchDefinition(t.Context(), app, "recent")
		if err != nil {
			t.Fatal(err)
		}
		return def
	}
	c.post("/dashboard/searches", "name", "recent", "index", "films", "fields", "title: 3\r\n\r\ndescription", "facets", "language\nyear",
		"filter", "year >= 1970", "sort", "-year", "match", "all", "per_page", "5", "typo_tolerance", "1").
		wantRedirect(t, "/dashboard/searches/recent?done=search-defined")
	five := 5
	want := service.SearchDefinition{Name: "recent", Index: "films", PerPage: &five, Fields: map[string]float64{"title": 3, "description": 1},
		Facets: []string{"language", "year"}, Filter: []byte(`"year >= 1970"`), Sort: "-year", Match: service.MatchAll}
	if diff := cmp.Diff(want, stored()); diff != "" {
		t.Error(diff)
	}
	page := c.get("/dashboard/searches/recent?done=search-defined")
	page.want(t, http.StatusOK, "The search was defined.", "\ndescription: 1\ntitle: 3</textarea>", "\nlanguage\nyear</textarea>", "\nyear &gt;= 1970</textarea>",
		`value="-year"`, "<option selected>all</option>", `value="5"`, `value="1" checked`, "/dashboard/search?in=recent")
	c.get("/dashboard/searches").want(t, http.StatusOK, ">recent</a>", ">french</a>", "2 fields", "language, year", "year &gt;= 1970")
	c.get("/dashboard/search?in=recent").want(t, http.StatusOK, "1 document in ", "alien")

	// Fields missing from the form are not stored as something else.
	seen := seenField.FindStringSubmatch(page.body)[1]
	c.post("/dashboard/searches/recent", "seen", seen, "index", "films", "filter", `{"language": ["French", "English"]}`).
		wantRedirect(t, "/dashboard/searches/recent?done=search-saved")
	no := false
	want = service.SearchDefinition{Name: "recent", Index: "films", Facets: []string{}, Filter: []byte(`{"language": ["French", "English"]}`), TypoTolerance: &no}
	if diff := cmp.Diff(want, stored()); diff != "" {
		t.Error(diff)
	}
	page = c.get("/dashboard/searches/recent")
	page.want(t, http.StatusOK, `{&#34;language&#34;: [&#34;French&#34;, &#34;English&#34;]}</textarea>`, `name="typo_tolerance" value="1"> `)

	// Saving what somebody else has changed meanwhile is refused once, and then possible.
	late := []string{"index", "films", "sort", "title"}
	c.post("/dashboard/searches/recent", append([]string{"seen", seen}, late...)...).want(t, http.StatusUnprocessableEntity, "changed by somebody else in the meantime", `value="title"`)
	seen = seenField.FindStringSubmatch(page.body)[1]
	c.post("/dashboard/searches/recent", append([]string{"seen", seen}, late...)...).wantRedirect(t, "/dashboard/searches/recent?done=search-saved")

	c.get("/dashboard/searches/recent/delete").want(t, http.StatusOK, "<strong>films</strong> and its documents stay")
	c.post("/dashboard/searches/recent/delete").wantRedirect(t, "/dashboard/searches?done=search-deleted")
	c.post("/dashboard/searches/recent/delete").want(t, http.StatusNotFound, "recent")
	c.post("/dashboard/searches/recent", late...).want(t, http.StatusNotFound, "recent")
	// What was typed is not lost with the search.
	c.post("/dashboard/searches/recent", append([]string{"seen", seen}, late...)...).
		want(t, http.StatusNotFound, "The search was deleted in the meantime.", `value="title"`, `action="/dashboard/searches"`, `name="name" type="text" value="recent"`)
	c.get("/dashboard/searches/recent").want(t, http.StatusNotFound, "recent")
	c.get("/dashboard/searches?done=search-deleted").want(t, http.StatusOK, "The search was deleted.", ">french</a>")
}

// Each fault is shown beside its field, and nothing that was filled in is lost.
func TestSearchFaults(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	for name, test := range map[string]struct {
		field, value string
		want         []string
	}{
		"no name":             {"name", "", []string{`id="name-fault">`}},
		"bad name":            {"name", "no good!", []string{`id="name-fault">`, `value="no good!"`}},
		"name of a search":    {"name", "french", []string{`id="name-fault">is taken`, "edit that search"}},
		"name of an index":    {"name", "films", []string{`id="name-fault">is taken`, "There is an index"}},
		"bad index":           {"index", "_", []string{`id="index-fault">`}},
		"weight":              {"fields", "title: 3\n\nyear: much", []string{`id="fields-fault">fields, line 3: must be a property, a colon and a number`, "year: much</textarea>"}},
		"too much weight":     {"fields", "title: 3\nyear: 1001", []string{`id="fields-fault">fields, line 2: must be 0.001 to 1000`}},
		"no weight at all":    {"fields", "title: NaN", []string{`id="fields-fault">fields, line 1: must be 0.001 to 1000`}},
		"twice":               {"fields", "title: 3\ntitle: 2", []string{`id="fields-fault">fields, line 2: is listed twice`}},
		"no field":            {"fields", "title\n_id", []string{`id="fields-fault">fields, line 2: must be the name of a property`}},
		"no string":           {"fields", `"title: 3`, []string{`id="fields-fault">fields, line 1: looks like JSON, but is not valid JSON`}},
		"facet":               {"facets", "year\n\n_score", []string{`id="facets-fault">facets, line 3: must be the name of a property`, "_score</textarea>"}},
		"facet as a string":   {"facets", `"year`, []string{`id="facets-fault">facets, line 1: looks like JSON, but is not valid JSON`}},
		"filter":              {"filter", "year >", []string{`id="filter-fault">column 7: expected a value`, "The filter cannot be used", "\nyear &gt;</textarea>"}},
		"filter of a type":    {"filter", "year = soon", []string{`id="filter-fault">`}},
		"filter object":       {"filter", `{"year":`, []string{`id="filter-fault">`, "{&#34;year&#34;:</textarea>"}},
		"operator of objects": {"filter", `{"year":{"near":1}}`, []string{`id="filter-fault">filter.year`}},
		"sort":                {"sort", "year,,", []string{`id="sort-fault">`, `value="year,,"`}},
		"match":               {"match", "most", []string{`id="match-fault">must be all, any or auto`}},
		"per page":            {"per_page", "1001", []string{`id="per_page-fault">must be 0 to 1000`, `value="1001"`}},
		"per page as a word":  {"per_page", "ten", []string{`id="per_page-fault">must be 0 to 1000`, `value="ten"`}},
	} {
		form := map[string]string{"name": "recent", "index": "films"}
		form[test.field] = test.value
		var pairs []string
		for field, value := range form {
			pairs = append(pairs, field, value)
		}
		a := c.post("/dashboard/searches", pairs...)
		if a.status != http.StatusUnprocessableEntity && a.status != http.StatusConflict {
			t.Errorf("%s: %d to %q", name, a.status, a.location)
			continue
		}
		for _, text := range append(test.want, `aria-invalid="true"`, test.field+"-fault") {
			if !strings.Contains(a.body, text) {
				t.Errorf("%s: %q is missing in\n%s", name, text, a.body)
			}
		}
		if test.field == "filter" && strings.Contains(a.body, "<li><code>filter") {
			t.Errorf("%s: the fault is told twice above the form", name)
		}
		if n := strings.Count(a.body, `aria-invalid="true"`); n != 1 {
			t.Errorf("%s: %d fields are marked", name, n)
		}
	}
	if _, err := b.svc.SearchDefinition(t.Context(), app, "recent"); service.ErrorCode(err) != service.CodeSearchNotFound {
		t.Errorf("a faulty search was stored: %v", err)
	}
}

// A search may be defined before its index; the list says that the index is missing.
func TestSearchWithoutIndex(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.signedIn()
	c.get("/dashboard/searches").want(t, http.StatusOK, "No defined search yet")
	c.post("/dashboard/searches", "name", "new", "index", "later", "filter", "anything = 1").wantRedirect(t, "/dashboard/searches/new?done=search-defined")
	c.get("/dashboard/searches").want(t, http.StatusOK, "later <span class=\"badge bad\">missing</span>")
	c.get("/dashboard/searches/new").want(t, http.StatusOK, "<h1>Search new</h1>", `value="later"`)
}
