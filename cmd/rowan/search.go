package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/document"
)

type searchCommand struct {
	Search string   `arg:"" help:"Index or defined search."`
	Query  []string `arg:"" optional:"" help:"What to search for, such as black hole -hawking. Default: everything is found."`
	serverFlags
	Key     string   `env:"ROWAN_SEARCH_KEY,ROWAN_ADMIN_KEY" placeholder:"KEY" help:"Search key or admin key."`
	Filter  string   `help:"Filter, such as 'year >= 2000 AND genres = Drama'."`
	Facets  string   `help:"Facets to count, separated by commas."`
	Sort    string   `help:"Order, such as -year,title."`
	Match   string   `enum:"all,any,auto,default" default:"default" help:"Which documents are found: those with all words, any, or auto."`
	Page    int      `default:"1" help:"Page (${default})."`
	PerPage *int     `placeholder:"HITS" help:"Hits per page. Default: that of the defined search or of the application."`
	Fields  []string `placeholder:"NAME" help:"Properties to show. Default: title or name, what the request sorts and filters by, and some short ones."`
	JSON    bool     `name:"json" help:"Print the server's answer as it is."`
}

// Run searches and prints the hits.
func (c *searchCommand) Run(ctx context.Context, term terminal) error {
	api, err := c.client(c.Key, "search")
	if err != nil {
		return err
	}
	request := map[string]any{"query": strings.Join(c.Query, " "), "page": c.Page}
	if c.PerPage != nil {
		request["per_page"] = *c.PerPage
	}
	for name, value := range map[string]string{"filter": c.Filter, "facets": c.Facets, "sort": c.Sort, "match": c.Match} {
		if value != "" && (name != "match" || value != "default") {
			request[name] = value
		}
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	answer, err := api.SearchWithBodyWithResponse(ctx, c.Search, "application/json", bytes.NewReader(body))
	if err != nil {
		return c.unanswered(err)
	}
	if answer.JSON200 == nil {
		return notRowan(answer.Status())
	}
	if c.JSON {
		return term.printf("%s\n", bytes.TrimSpace(answer.Body))
	}
	var result searchResult
	if err := json.Unmarshal(answer.Body, &result); err != nil {
		return fmt.Errorf("the answer of the server cannot be read: %w", err)
	}
	return term.printf("%s", c.table(result))
}

// searchResult is the part of an answer that is shown.
type searchResult struct {
	IDs    []string                              `json:"ids"`
	Hits   map[string]map[string]json.RawMessage `json:"hits"`
	Total  int64                                 `json:"total"`
	TimeMS int64                                 `json:"processing_time_ms"`
	Params struct {
		Sort string `json:"sort"`
	} `json:"params"`
	Facets map[string][]facetValue `json:"facets"`
}

type facetValue struct {
	Value json.RawMessage `json:"value"`
	Count int64           `json:"count"`
}

// table returns the hits and the facets as text.
func (c *searchCommand) table(result searchResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s found, %d shown, in %d ms\n", grouped(result.Total), len(result.IDs), result.TimeMS)
	if len(result.IDs) > 0 {
		c.writeHits(&b, result)
	}
	writeFacets(&b, result.Facets)
	return b.String()
}

func (c *searchCommand) writeHits(b *strings.Builder, result searchResult) {
	fields := c.Fields
	if len(fields) == 0 {
		fields = c.showableFields(result)
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	heads := []string{"_score", "_id"}
	for _, field := range fields {
		heads = append(heads, oneLine(field))
	}
	_, _ = fmt.Fprintf(w, "\n%s\n", strings.Join(heads, "\t"))
	for _, id := range result.IDs {
		hit := result.Hits[id]
		cells := []string{cell(hit["_score"]), shorten(id, 40)}
		for _, field := range fields {
			cells = append(cells, cell(document.At(hit, field)))
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush() // a builder takes everything
}

func writeFacets(b *strings.Builder, facets map[string][]facetValue) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(facets)) {
		_, _ = fmt.Fprintf(w, "\n%s\n", oneLine(name))
		for _, value := range facets[name] {
			_, _ = fmt.Fprintf(w, "  %s\t%s\n", cell(value.Value), grouped(value.Count))
		}
	}
	_ = w.Flush() // a builder takes everything
}

// cell formats a JSON value for a table.
func cell(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return shorten(text, 60)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		texts := make([]string, len(list))
		for i, element := range list {
			texts[i] = cell(element)
		}
		return shorten(strings.Join(texts, ", "), 60)
	}
	return shorten(string(raw), 60)
}

// oneLine returns a text on one line, without characters that a terminal would take for commands: somebody else may have stored it.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}

// shorten cuts s to n characters, on one line.
func shorten(s string, n int) string {
	s = oneLine(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
