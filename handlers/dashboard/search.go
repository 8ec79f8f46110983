package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

const (
	previewPerPage = 10
	// proposedFacets is how many facets are counted until somebody chooses some.
	proposedFacets = 4
	shownValues    = 10 // of a facet
)

// searchForm is what the search preview was asked.
type searchForm struct {
	In                                 string
	Query, Facets, Filter, Sort, Match string
	Explain                            bool
	Page                               int
	Chosen                             []choice
}

// choice is a chosen value of a facet.
type choice struct {
	Field string
	Value any
}

// Code returns the choice as the form sends it.
func (c choice) Code() string { return string(encoded([2]any{c.Field, c.Value})) }

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

// searchForm reads the form from the address.
func (v *visit) searchForm() searchForm {
	query := v.r.URL.Query()
	form := searchForm{In: query.Get("in"), Query: query.Get("q"), Facets: strings.TrimSpace(query.Get("facets")), Filter: strings.TrimSpace(query.Get("filter")),
		Sort: strings.TrimSpace(query.Get("sort")), Match: query.Get("match"), Explain: query.Get("explain") != "", Page: v.pageNumber()}
	for _, code := range query["facet"] {
		if c, ok := decodeChoice(code); ok {
			form.Chosen = append(form.Chosen, c)
		}
	}
	return form
}

// searchPage returns the page as far as it does not depend on what is found, and the index that is searched; nil if there is none. The form gets
// an index to search, and facets of it, if the address has none.
func (v *visit) searchPage() (page searchPage, searched *service.Index, err error) {
	page = searchPage{searchForm: v.searchForm()}
	list, err := v.d.svc.Indices(v.ctx(), v.app(), "")
	if err != nil {
		return page, nil, err
	}
	defs, err := v.d.svc.SearchDefinitions(v.ctx(), v.app())
	if err != nil {
		return page, nil, err
	}
	page.Indices = namesOf(list)
	if page.In == "" && len(list) > 0 {
		page.In = list[0].Name
	}
	index := page.In
	for _, def := range defs {
		page.Searches = append(page.Searches, def.Name)
		if def.Name == page.In {
			index = def.Index
		}
	}
	if at := slices.Index(page.Indices, index); at >= 0 {
		searched = list[at]
		if !v.r.URL.Query().Has("facets") && page.In == searched.Name {
			page.Facets = proposeFacets(searched)
		}
	}
	return page, searched, nil
}

// proposeFacets returns the names of the fields most likely to have few, meaningful values.
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
	page, ix, err := v.searchPage()
	if err != nil {
		return err
	}
	if page.In != "" {
		page.Results = d.preview(v, page.searchForm, ix)
	}
	return v.render("search", "Search preview", "search", page)
}

// showResults answers with only the results, for the script.
func (d *dashboard) showResults(v *visit) error {
	page, ix, err := v.searchPage()
	if err != nil {
		return err
	}
	return v.execute("search", "update", d.preview(v, page.searchForm, ix))
}

// previewPages returns the links through the hits. They lead to the page, even when a script asked for only the results.
func previewPages(v *visit, total int64) pages {
	p := pagesOf(v, total, previewPerPage)
	for _, to := range []*string{&p.Previous, &p.Next} {
		*to = strings.Replace(*to, root+"/search/results", root+"/search", 1)
	}
	return p
}

// expression joins the typed filter with the chosen values.
func (f searchForm) expression() string {
	typed, err := filter.Parse(f.Filter)
	if err != nil || len(f.Chosen) == 0 {
		return f.Filter // unchanged, so that the columns in an error are those of the typed filter
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

// disjunctive returns the facets with chosen values: they go on counting the values that could be chosen
// besides. Only facets that are counted can be disjunctive.
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
