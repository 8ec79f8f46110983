package dashboard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/filter"
)

// results are the part of the page that changes with every key press.
type results struct {
	Problem   *problem
	Found     *service.SearchResponse
	Hits      []previewHit
	Facets    []previewFacet
	Curl      string
	Pages     pages
	Suggested []suggestion
	// Index is the index in which the hits can be edited.
	Index string
	// Asked are the facets that were asked for, Fields the mapped properties that can be asked for. Both
	// change with the index.
	Asked, Fields string
}

type previewHit struct {
	service.Hit
	Place int
	// Heading is what people call the document; Marked is the same as a highlight. Both may be empty.
	Heading, Marked string
	Highlights      []highlightRow
	Text            string
	Words           []service.WordExplanation
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

// Status describes the result in a sentence, which screen readers speak.
func (r *results) Status() string {
	switch {
	case r.Problem != nil:
		return "The search failed."
	case r.Found.Total == 0:
		return "Nothing was found."
	}
	return fmt.Sprintf("%s in %d ms.", plural(r.Found.Total, "document", "documents"), r.Found.ProcessingTimeMS)
}

// FacetNames returns the names of the facets, as a list to read.
func (r *results) FacetNames() string {
	names := make([]string, len(r.Facets))
	for i, facet := range r.Facets {
		names[i] = facet.Name
	}
	return strings.Join(names, ", ")
}

// Narrowed reports whether values of facets are chosen.
func (r *results) Narrowed() bool {
	return slices.ContainsFunc(r.Facets, func(f previewFacet) bool {
		return slices.ContainsFunc(f.Values, func(row facetRow) bool { return row.Checked })
	})
}

// SomeWords reports whether some of the found documents lack words of the query.
func (r *results) SomeWords() bool {
	return r.Found.Params.Match == service.MatchAny && r.Found.TotalAllWords < r.Found.Total && strings.TrimSpace(r.Found.Query) != ""
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
	req := form.request(r.Index)
	found, err := d.svc.Search(v.ctx(), v.who, form.In, req)
	if err == nil && len(found.Hits) == 0 && found.Total > 0 {
		*req.Page = pagesOf(v, found.Total, *req.PerPage).Page // a page beyond the last one shows the last one
		found, err = d.svc.Search(v.ctx(), v.who, form.In, req)
	}
	sent := sentRequest{Query: form.Query, Filter: form.expression(), Facets: form.Facets, Disjunctive: req.Disjunctive, Sort: form.Sort, Match: form.Match, Explain: form.Explain, PerPage: *req.PerPage}
	if *req.Page > 1 {
		sent.Page = *req.Page
	}
	r.Curl = sent.curl(v, form.In)
	if err != nil {
		r.Problem = v.problemOf(err)
		return r
	}
	r.Found, r.Pages = found, previewPages(v, found.Total)
	for i, h := range found.Hits {
		hit := previewHit{Hit: h, Place: (found.Page-1)*found.PerPage + i + 1, Text: shortened(indented(h.Body), maxPreview), Highlights: highlightRows(h.Highlight, found.Params.Fields)}
		if ix != nil {
			hit.head(ix.Mappings)
		}
		r.Hits = append(r.Hits, hit)
	}
	r.Facets = form.facets(found)
	r.Suggested = suggestions(v, form.Query, found.Autocomplete)
	return r
}

// request returns the search that the form asks for; index is the index that is searched, or "". If the form has no facets,
// a search under the name of the index counts none, and a defined search counts its own.
func (f searchForm) request(index string) service.SearchRequest {
	perPage := previewPerPage
	req := service.SearchRequest{Query: f.Query, Page: &f.Page, PerPage: &perPage, Match: service.Match(f.Match), Explain: f.Explain,
		Disjunctive: f.disjunctive(), Unrecorded: true}
	if f.Facets != "" || f.In == index {
		req.Facets.Expression = &f.Facets
	}
	if f.Sort != "" {
		req.Sort = &f.Sort
	}
	if expression := f.expression(); expression != "" {
		req.Filter.Raw = encoded(expression)
	}
	return req
}

// highlightRows returns the highlights of a hit: first those of the searched fields in their order, then the others by name.
func highlightRows(highlights map[string][]string, searched []string) []highlightRow {
	var rows []highlightRow
	for _, field := range searched {
		if values := highlights[field]; len(values) > 0 {
			rows = append(rows, highlightRow{field, values})
		}
	}
	for _, field := range slices.Sorted(maps.Keys(highlights)) {
		if !slices.Contains(searched, field) {
			rows = append(rows, highlightRow{field, highlights[field]})
		}
	}
	return rows
}

// suggestions returns links that complete the query. A suggestion equal to the query leads nowhere, and is left out.
func suggestions(v *visit, query string, texts []string) []suggestion {
	var out []suggestion
	for _, text := range texts {
		if strings.EqualFold(text, strings.TrimSpace(query)) {
			continue
		}
		params := v.r.URL.Query()
		params.Set("q", text)
		params.Del("page")
		out = append(out, suggestion{text, root + "/search?" + params.Encode()})
	}
	return out
}

// facets returns the facets that were counted, and those with chosen values.
func (f searchForm) facets(found *service.SearchResponse) []previewFacet {
	var out []previewFacet
	for _, name := range found.Params.Facets {
		out = append(out, f.facet(name, found))
	}
	for _, name := range f.chosenFields() {
		if !slices.Contains(found.Params.Facets, name) {
			out = append(out, f.facet(name, found))
		}
	}
	return out
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
	// A chosen value that is no longer found must stay, so that it can be unchosen.
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
