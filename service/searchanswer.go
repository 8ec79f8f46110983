package service

import (
	"context"

	"github.com/rowansearch/rowan/service/highlight"
)

// respondInTime makes the response from what was found, within the time limit: highlighting texts of many megabytes takes seconds.
func (r *searchRun) respondInTime(ctx context.Context, found *Found) (*SearchResponse, error) {
	return inTime(ctx, r.service, r.start, " while its hits were being highlighted. Request fewer hits (per_page).", func(ctx context.Context) (*SearchResponse, error) {
		return r.respond(ctx, found)
	})
}

// respond makes the response from what was found.
func (r *searchRun) respond(ctx context.Context, found *Found) (*SearchResponse, error) {
	resp := &SearchResponse{
		Hits: make(Hits, len(found.Hits)), IDs: make([]string, len(found.Hits)),
		Total: found.Total, TotalAllWords: found.TotalAllWords,
		Query: r.req.Query, Page: r.page, PerPage: r.perPage, Index: r.target.Index.Name, Search: r.name, Sort: r.sort,
		Facets: found.Facets, FacetStats: found.Stats,
		Filter: r.req.Filter.Raw, Filters: r.req.Filters.Raw,
	}
	resp.Params = EffectiveParams{Match: found.Match, Page: r.page, PerPage: r.perPage, Sort: r.sort, Facets: r.plan.Facets,
		Fields: []string{}, TypoTolerance: r.typos}
	if resp.Params.Facets == nil {
		resp.Params.Facets = []string{}
	}
	for _, f := range r.plan.Fields {
		if f.Name != "" {
			resp.Params.Fields = append(resp.Params.Fields, f.Name)
		}
	}
	if n := len(found.Hits); n > 0 && n == r.perPage {
		var err error
		if resp.Cursor, err = r.next(found).encode(); err != nil {
			return nil, err
		}
	} else if r.perPage == 0 {
		resp.Cursor = r.req.Cursor // no hit was passed
	}
	shown := found.Hits
	var fields [][]highlightField
	if len(r.plan.Terms) > 0 {
		words := highlight.TakeWords()
		defer words.GiveBack()
		var err error
		if fields, err = r.fieldsOf(shown, words); err != nil {
			return nil, err
		}
		if len(r.plan.Sort) == 0 {
			shown, fields = exactFirst(r.query.Text, shown, fields)
		}
	}
	for i, h := range shown {
		resp.IDs[i] = h.Document.ID
		resp.Hits[i] = Hit{Document: h.Document, Score: h.Score}
		if r.plan.Explain {
			resp.Hits[i].Explanation = r.explain(h, found.Rarities)
			if err := Hold(ctx, resp.Hits[i].Explanation.size()); err != nil {
				return nil, err
			}
		}
	}
	if len(r.plan.Terms) > 0 && len(resp.Hits) > 0 {
		if err := r.highlight(ctx, resp.Hits, fields); err != nil {
			return nil, err
		}
	}
	return resp, nil
}

func (r *searchRun) explain(h FoundHit, rarities []float64) *Explanation {
	e := &Explanation{Score: h.Score, Boost: h.Boost, Adjacent: h.Adjacent, Words: []WordExplanation{}}
	for i, w := range h.Words {
		term := r.plan.Terms[i]
		word := WordExplanation{Word: term.Text, Rarity: rarities[i], Repeats: term.Repeats, Share: term.Share(), Frequency: w.Saturated, TitleBonus: TitleBonus * w.Bonus, Fields: map[string]float64{}}
		word.Score = term.Share() * rarities[i] * float64(term.Repeats) * (w.Saturated + TitleBonus*w.Bonus)
		for j, f := range r.plan.Fields {
			if w.Fields[j] > 0 {
				name := f.Name
				if name == "" {
					name = "*"
				}
				word.Fields[name] = w.Fields[j]
			}
		}
		e.Words = append(e.Words, word)
	}
	return e
}
