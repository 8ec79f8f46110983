package dashboard

import (
	"encoding/json"
	"fmt"
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
	// Index is where the hits can be edited.
	Index string
	// Asked are the facets that were asked for, Fields the mapped properties that could be: both change with
	// the index.
	Asked, Fields string
}

type previewHit struct {
	service.Hit
	Place int
	// Heading is what the document is called; Marked is the same as a highlight. Both may be empty.
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

// FacetNames are the names of the facets, as a list to read.
func (r *results) FacetNames() string {
	names := make([]string, len(r.Facets))
	for i, facet := range r.Facets {
		names[i] = facet.Name
	}
	return strings.Join(names, ", ")
}

// Narrowed tells that values of facets are chosen.
func (r *results) Narrowed() bool {
	return slices.ContainsFunc(r.Facets, func(f previewFacet) bool {
		return slices.ContainsFunc(f.Values, func(row facetRow) bool { return row.Checked })
	})
}

// SomeWords tells that not all of the found documents have all words.
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
	expression := form.expression()
	perPage := previewPerPage
	req := service.SearchRequest{Query: form.Query, Page: &form.Page, PerPage: &perPage, Match: service.Match(form.Match), Explain: form.Explain,
		Disjunctive: form.disjunctive(), Unrecorded: true}
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
	found, err := d.svc.Search(v.ctx(), v.who, form.In, req)
	if err == nil && len(found.Hits) == 0 && found.Total > 0 {
		form.Page = pagesOf(v, found.Total, perPage).Page // beyond the last page: the last one
		found, err = d.svc.Search(v.ctx(), v.who, form.In, req)
	}
	sent := sentRequest{Query: form.Query, Filter: expression, Facets: form.Facets, Disjunctive: req.Disjunctive, Sort: form.Sort, Match: form.Match, Explain: form.Explain, PerPage: perPage}
	if form.Page > 1 {
		sent.Page = form.Page
	}
	r.Curl = sent.curl(v, form.In)
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
		if ix != nil {
			hit.head(ix.Mappings)
		}
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
		if strings.EqualFold(text, strings.TrimSpace(form.Query)) {
			continue // it leads nowhere
		}
		query := v.r.URL.Query()
		query.Set("q", text)
		query.Del("page")
		r.Suggested = append(r.Suggested, suggestion{text, root + "/search?" + query.Encode()})
	}
	return r
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
