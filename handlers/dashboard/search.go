package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

const (
	previewPerPage = 10
	// proposedFacets is how many facets are counted until somebody says which.
	proposedFacets = 4
	shownValues    = 10 // of a facet
)

// searchForm is what the preview was asked.
type searchForm struct {
	In                                 string
	Query, Facets, Filter, Sort, Match string
	Explain                            bool
	Page                               int
	Chosen                             []choice
}

// choice is a value of a facet that was clicked.
type choice struct {
	Field string
	Value any
}

// Code is the choice as the form sends it.
func (c choice) Code() string {
	raw, err := json.Marshal([2]any{c.Field, c.Value})
	if err != nil {
		panic(err) // a value of JSON always encodes
	}
	return string(raw)
}

func decodeChoice(code string) (choice, bool) {
	dec := json.NewDecoder(strings.NewReader(code))
	dec.UseNumber()
	var parts []any
	if dec.Decode(&parts) != nil || len(parts) != 2 {
		return choice{}, false
	}
	field, ok := parts[0].(string)
	switch parts[1].(type) {
	case string, json.Number, bool:
		return choice{field, parts[1]}, ok
	}
	return choice{}, false
}

func (c choice) literal() filter.Literal {
	if s, ok := c.Value.(string); ok {
		return filter.Literal{Text: s, Quoted: true}
	}
	return filter.Literal{Text: fmt.Sprint(c.Value)}
}

type searchPage struct {
	searchForm
	// Indices and Searches are the names to choose from.
	Indices, Searches []string
	Results           *results
}

// results are the part of the page that changes with every key press.
type results struct {
	Problem   *problem
	Found     *service.SearchResponse
	Hits      []previewHit
	Facets    []previewFacet
	Curl      string
	Pages     pages
	Suggested []suggestion
	// Index is where the hits can be edited.
	Index string
	// Asked are the facets that were asked for, Fields the mapped properties that could be: both change with
	// the index.
	Asked, Fields string
}

type previewHit struct {
	service.Hit
	Place      int
	Highlights []highlightRow
	Text       string
	Words      []service.WordExplanation
}

type highlightRow struct {
	Field  string
	Values []string
}

type previewFacet struct {
	Name   string
	Values []facetRow
	More   int // values that are not shown
	Stats  *service.FacetStats
}

type facetRow struct {
	choice
	Count   int64
	Checked bool
}

type suggestion struct{ Text, Address string }

// Status says in a sentence what was found; screen readers speak it.
func (r *results) Status() string {
	switch {
	case r.Problem != nil:
		return "The search failed."
	case r.Found.Total == 0:
		return "Nothing was found."
	}
	return fmt.Sprintf("%s in %d ms.", plural(r.Found.Total, "document", "documents"), r.Found.ProcessingTimeMS)
}

// SomeWords tells that not all of the found documents have all words.
func (r *results) SomeWords() bool {
	return r.Found.Params.Match == service.MatchAny && r.Found.TotalAllWords < r.Found.Total && strings.TrimSpace(r.Found.Query) != ""
}

func (d *dashboard) readSearch(v *visit) (searchForm, []string, []string, *service.Index, error) {
	query := v.r.URL.Query()
	form := searchForm{In: query.Get("in"), Query: query.Get("q"), Facets: strings.TrimSpace(query.Get("facets")), Filter: strings.TrimSpace(query.Get("filter")),
		Sort: strings.TrimSpace(query.Get("sort")), Match: query.Get("match"), Explain: query.Get("explain") != "", Page: 1}
	if n, err := strconv.Atoi(query.Get("page")); err == nil && n > 1 {
		form.Page = n
	}
	for _, code := range query["facet"] {
		if c, ok := decodeChoice(code); ok {
			form.Chosen = append(form.Chosen, c)
		}
	}
	var indices, searches []string
	list, err := d.svc.Indices(v.ctx(), v.app(), "")
	if err != nil {
		return form, nil, nil, nil, err
	}
	for _, ix := range list {
		indices = append(indices, ix.Name)
	}
	defs, err := d.svc.SearchDefinitions(v.ctx(), v.app())
	if err != nil {
		return form, nil, nil, nil, err
	}
	if form.In == "" && len(indices) > 0 {
		form.In = indices[0]
	}
	index := form.In
	for _, def := range defs {
		if !slices.Contains(indices, def.Name) {
			searches = append(searches, def.Name)
		}
		if def.Name == form.In {
			index = def.Index
		}
	}
	for _, ix := range list {
		if ix.Name == index {
			if !query.Has("facets") && form.In == ix.Name {
				form.Facets = proposeFacets(ix)
			}
			return form, indices, searches, ix, nil
		}
	}
	return form, indices, searches, nil, nil
}

// proposeFacets names the fields whose values are most likely to be few and telling.
func proposeFacets(ix *service.Index) string {
	var names []string
	for _, t := range []mapping.Type{mapping.Category, mapping.Tags, mapping.Keyword, mapping.Bool} {
		for _, m := range ix.Mappings {
			if m.Type == t && len(names) < proposedFacets {
				names = append(names, filter.QuoteName(m.Name))
			}
		}
	}
	return strings.Join(names, ", ")
}

func (d *dashboard) showSearch(v *visit) error {
	form, indices, searches, ix, err := d.readSearch(v)
	if err != nil {
		return err
	}
	page := searchPage{searchForm: form, Indices: indices, Searches: searches}
	if form.In != "" {
		page.Results = d.preview(v, form, ix)
		page.Results.Pages = previewPages(v, page.Results)
	}
	return v.render("search", "Search preview", "search", page)
}

// showResults answers with the results alone, for the script.
func (d *dashboard) showResults(v *visit) error {
	form, _, _, ix, err := d.readSearch(v)
	if err != nil {
		return err
	}
	found := d.preview(v, form, ix)
	found.Pages = previewPages(v, found)
	return v.execute("search", "results", found)
}

// previewPages leads through the hits, on the page even when a script asked for the results alone.
func previewPages(v *visit, found *results) pages {
	if found.Found == nil {
		return pages{}
	}
	p := pagesOf(v, found.Found.Total, previewPerPage)
	for _, to := range []*string{&p.Previous, &p.Next} {
		*to = strings.Replace(*to, root+"/search/results", root+"/search", 1)
	}
	return p
}

func (d *dashboard) preview(v *visit, form searchForm, ix *service.Index) *results {
	r := &results{Asked: form.Facets}
	if ix != nil {
		r.Index = ix.Name
		names := make([]string, len(ix.Mappings))
		for i, m := range ix.Mappings {
			names[i] = filter.QuoteName(m.Name)
		}
		r.Fields = strings.Join(names, ", ")
	}
	expression := form.expression()
	perPage := previewPerPage
	req := service.SearchRequest{Query: form.Query, Page: &form.Page, PerPage: &perPage, Match: service.Match(form.Match), Explain: form.Explain,
		Disjunctive: form.disjunctive()}
	sent := sentRequest{Query: form.Query, Filter: expression, Facets: form.Facets, Disjunctive: req.Disjunctive, Sort: form.Sort, Match: form.Match, Explain: form.Explain, PerPage: perPage}
	if form.Page > 1 {
		sent.Page = form.Page
	}
	if form.Facets != "" || form.In == r.Index {
		req.Facets = &form.Facets
	}
	if form.Sort != "" {
		req.Sort = &form.Sort
	}
	if expression != "" {
		raw, err := json.Marshal(expression)
		if err != nil {
			panic(err) // a string always encodes
		}
		req.Filter.Raw = raw
	}
	r.Curl = sent.curl(v, form.In)
	found, err := d.svc.Search(v.ctx(), v.who, form.In, req)
	if err != nil {
		r.Problem = v.problemOf(err)
		return r
	}
	r.Found = found
	for i, h := range found.Hits {
		hit := previewHit{Hit: h, Place: (found.Page-1)*found.PerPage + i + 1, Text: indented(h.Body)}
		for _, field := range found.Params.Fields {
			if values := h.Highlight[field]; len(values) > 0 {
				hit.Highlights = append(hit.Highlights, highlightRow{field, values})
			}
		}
		for field, values := range h.Highlight {
			if !slices.Contains(found.Params.Fields, field) {
				hit.Highlights = append(hit.Highlights, highlightRow{field, values})
			}
		}
		slices.SortStableFunc(hit.Highlights, func(a, b highlightRow) int {
			// Those of the searched fields are in order already; the rest follows by name.
			x, y := slices.Contains(found.Params.Fields, a.Field), slices.Contains(found.Params.Fields, b.Field)
			switch {
			case x && y:
				return 0
			case x:
				return -1
			case y:
				return 1
			}
			return strings.Compare(a.Field, b.Field)
		})
		r.Hits = append(r.Hits, hit)
	}
	for _, name := range found.Params.Facets {
		r.Facets = append(r.Facets, form.facet(name, found))
	}
	for _, name := range form.chosenFields() {
		if !slices.Contains(found.Params.Facets, name) {
			r.Facets = append(r.Facets, form.facet(name, found))
		}
	}
	for _, text := range found.Autocomplete {
		query := v.r.URL.Query()
		query.Set("q", text)
		query.Del("page")
		r.Suggested = append(r.Suggested, suggestion{text, root + "/search?" + query.Encode()})
	}
	return r
}

// expression joins the filter that was typed with the values that were clicked.
func (f searchForm) expression() string {
	typed, err := filter.Parse(f.Filter)
	if err != nil || len(f.Chosen) == 0 {
		return f.Filter // alone, so that the columns in an error are those of what was typed
	}
	var parts []string
	if f.Filter != "" {
		part := f.Filter
		if _, or := typed.(filter.Disjunction); or {
			part = "(" + part + ")"
		}
		parts = append(parts, part)
	}
	for _, field := range f.chosenFields() {
		condition := filter.Comparison{Field: field, Op: filter.In}
		for _, c := range f.Chosen {
			if c.Field == field {
				condition.Values = append(condition.Values, c.literal())
			}
		}
		if len(condition.Values) == 1 {
			condition.Op = filter.Eq
		}
		parts = append(parts, condition.String())
	}
	return strings.Join(parts, " AND ")
}

func (f searchForm) chosenFields() []string {
	var fields []string
	for _, c := range f.Chosen {
		if !slices.Contains(fields, c.Field) {
			fields = append(fields, c.Field)
		}
	}
	return fields
}

// disjunctive names the clicked facets: they go on counting the values that could be clicked beside. Only what
// is counted can be.
func (f searchForm) disjunctive() []string {
	names, err := filter.ParseNames(f.Facets)
	if err != nil {
		return nil // the search will say so
	}
	var list []string
	for _, field := range f.chosenFields() {
		if slices.Contains(names, field) {
			list = append(list, field)
		}
	}
	return list
}

func (f searchForm) facet(name string, found *service.SearchResponse) previewFacet {
	facet := previewFacet{Name: name}
	chosen := map[string]choice{}
	for _, c := range f.Chosen {
		if c.Field == name {
			chosen[c.Code()] = c
		}
	}
	for _, value := range found.Facets[name] {
		row := facetRow{choice: choice{name, plainValue(value.Value)}, Count: value.Count}
		if _, row.Checked = chosen[row.Code()]; row.Checked {
			delete(chosen, row.Code())
		}
		if len(facet.Values) >= shownValues && !row.Checked {
			facet.More++
			continue
		}
		facet.Values = append(facet.Values, row)
	}
	// What was clicked and is found no more must stay, to be clicked away.
	for _, c := range f.Chosen {
		if _, missing := chosen[c.Code()]; missing {
			facet.Values = append(facet.Values, facetRow{choice: c, Checked: true})
			delete(chosen, c.Code())
		}
	}
	if stats, ok := found.FacetStats[name]; ok {
		facet.Stats = &stats
	}
	return facet
}

// sentRequest is the body of the same search over the API.
type sentRequest struct {
	Query       string   `json:"query"`
	Filter      string   `json:"filter,omitempty"`
	Facets      string   `json:"facets,omitempty"`
	Disjunctive []string `json:"disjunctive,omitempty"`
	Sort        string   `json:"sort,omitempty"`
	Match       string   `json:"match,omitempty"`
	Page        int      `json:"page,omitempty"`
	PerPage     int      `json:"per_page"`
	Explain     bool     `json:"explain,omitempty"`
}

// curl is the command line for the search. The key is a variable of the shell: we do not know it.
func (s sentRequest) curl(v *visit, name string) string {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // strings and numbers always encode
	}
	scheme := "http"
	if secure(v.r) {
		scheme = "https"
	}
	return "curl " + shellQuote(scheme+"://"+v.r.Host+"/v1/search/"+name) + " \\\n" +
		"  -u " + v.app() + ":\"$ROWAN_KEY\" \\\n" +
		"  -H 'Content-Type: application/json' \\\n" +
		"  -d " + shellQuote(strings.TrimSuffix(body.String(), "\n"))
}

// shellQuote makes one word of s for a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
