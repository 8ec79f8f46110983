package service

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// searchRun is one search on its way from the request to the response.
type searchRun struct {
	service *Service
	target  *Target
	req     SearchRequest
	name    string
	who     Principal
	start   time.Time

	plan    Plan
	query   query.Query
	page    int
	perPage int
	sort    string
	typos   bool
	of      uint32 // hash of what was asked for: see asked

	unplanned Plan                   // the plan without terms
	known     func(word string) bool // whether the vocabulary has a word that is searched for
	related   *RelatedWords          // what words of the query may stand for, as suggestions for it take them
	gone      []string               // those for which that is no longer true
	twoWords  func(word string, alone bool) (parts [2]string, ok bool)
	apart     map[string][2]string // words that found nothing, and are searched as two
	split     map[string][2]string // compounds that are planned as their parts: they remain so on further pages, even if documents have them by then
	giveUp    func()               // forgets the memory counted for documents that were found before
	shares    func() *WordShares   // for the cursor
}

// prepare makes the plan.
func (r *searchRun) prepare(ctx context.Context, who Principal) error {
	r.who = who
	def := r.target.Search
	if def == nil {
		def = &SearchDefinition{}
	}
	ix := r.target.Index
	r.plan = Plan{Index: ix, Version: r.target.Version, Match: MatchAuto, Threshold: rarityShare, Explain: r.req.Explain}
	if err := r.pages(def); err != nil {
		return err
	}
	if err := r.fields(def); err != nil {
		return err
	}
	for _, m := range []Match{def.Match, r.req.Match} {
		if m != "" {
			r.plan.Match = m
		}
	}
	if r.plan.Match == MatchAny {
		r.plan.Threshold = 0
	}
	if err := r.facets(def); err != nil {
		return err
	}
	if err := r.filters(def); err != nil {
		return err
	}
	r.sort = def.Sort
	if r.req.Sort != nil {
		r.sort = *r.req.Sort
	}
	var err error
	if r.plan.Sort, err = filter.ParseSort(r.sort, r.kindOf); err != nil {
		what, place := "The sort expression", "body.sort"
		if r.req.Sort == nil {
			what, place = def.part("sort expression"), "sort of the search"
		}
		return expressionError(CodeInvalidSort, what, place, r.sort, err)
	}
	if id := slices.IndexFunc(r.plan.Sort, func(k filter.SortKey) bool { return k.ID }); id >= 0 {
		r.plan.Sort = r.plan.Sort[:id+1] // no two hits have the same id
	}
	r.typos = def.tolerant()
	r.of = r.asked(def)
	r.query = query.Parse(r.req.Query)
	finishContractions(r.query.Clauses, ix.Settings.Language)
	if err := r.cursor(); err != nil {
		return err
	}
	if r.plan.After != nil {
		r.gone = r.plan.After.Gone
	}
	return r.planTerms(ctx)
}

// planTerms plans the words of the query.
func (r *searchRun) planTerms(ctx context.Context) error {
	r.unplanned = r.plan
	planner := &termPlanner{store: r.service.store, ix: r.target.Index, fields: r.plan.Fields, typos: r.typos, after: r.plan.After, gone: r.gone, apart: r.apart, words: r.service.wordSettings(r.target.Index)}
	err := planner.plan(ctx, r.query, &r.plan)
	r.known, r.twoWords, r.related, r.split = planner.known, planner.twoWords, planner.unsplit, map[string][2]string{}
	for _, of := range planner.split {
		r.split[singleWord(of.compound)] = of.parts
	}
	if err != nil {
		return err
	}
	r.shares = planner.shares
	r.plan.Sort = withoutScores(r.plan.Sort, len(r.plan.Terms) > 0)
	return nil
}

// withoutScores leaves out the score keys that do not change an order: a single key that puts the best scores first
// or, if nothing is searched for, every score key but a last one that puts the lowest boost first.
func withoutScores(sort []filter.SortKey, searched bool) []filter.SortKey {
	best := func(k filter.SortKey) bool { return k.Score && k.Desc }
	if len(sort) == 1 && best(sort[0]) {
		return nil
	}
	if searched || len(sort) == 0 {
		return sort
	}
	last := len(sort) - 1
	kept := slices.DeleteFunc(slices.Clone(sort[:last]), func(k filter.SortKey) bool { return k.Score })
	if !best(sort[last]) {
		kept = append(kept, sort[last])
	}
	return kept
}

// find runs the search. If no document has all of its words, words that may be two are searched as two, provided that documents have all words then.
func (r *searchRun) find(ctx context.Context) (*Found, error) {
	r.giveUp = Held(ctx)
	found, err := r.findRuns(ctx)
	if err != nil || found.TotalAllWords > 0 || r.plan.After != nil {
		return found, err
	}
	apart := map[string][2]string{}
	for _, clause := range r.query.Clauses {
		if word := singleWord(clause.Any[0]); len(clause.Any) == 1 {
			if parts, ok := r.twoWords(word, len(r.query.Clauses) == 1); ok {
				apart[word] = parts
			}
		}
	}
	if len(apart) == 0 {
		return found, nil
	}
	r.apart = apart
	if found.Total == 0 && r.unplanned.Match == MatchAuto {
		r.unplanned.Match = MatchAll // one of the two says too little
	}
	if found, err = r.again(ctx); err != nil || found.TotalAllWords > 0 {
		return found, err
	}
	r.apart = nil
	return r.again(ctx)
}

// findRuns runs the search. Several words without a space, and phrases whose quote was never closed, are taken apart if
// no document has them, or if the search finds nothing.
func (r *searchRun) findRuns(ctx context.Context) (*Found, error) {
	found, err := r.findWhole(ctx)
	if err != nil || r.plan.After != nil {
		return found, err
	}
	whole := len(r.gone)
	eachRun(r.query, func(place int, parts []query.Term) {
		text := r.query.Clauses[place].Any[0].Text
		missing := func(t Term) bool { return t.Missing && t.Text == text }
		if (found.Total == 0 || slices.ContainsFunc(r.plan.Terms, missing)) && slices.ContainsFunc(parts, saysSomething) && !slices.Contains(r.gone, text) {
			r.gone = append(r.gone, text)
		}
	})
	if len(r.gone) == whole {
		return found, nil
	}
	if found, err = r.again(ctx); err != nil {
		return nil, err
	}
	apart := len(r.gone)
	eachRun(r.query, func(place int, parts []query.Term) {
		text := r.query.Clauses[place].Any[0].Text
		if at := slices.Index(r.gone[whole:], text); at >= 0 && !slices.ContainsFunc(telling(parts), r.says) {
			r.gone = slices.Delete(r.gone, whole+at, whole+at+1)
		}
	})
	if len(r.gone) == apart {
		return found, nil
	}
	return r.again(ctx)
}

// says reports whether documents have a part of a word that was taken apart, and it is not just a letter or a short
// number, which are everywhere: l'escargot is not l.
func (r *searchRun) says(part query.Term) bool {
	return saysSomething(part) && slices.ContainsFunc(r.plan.Terms, func(t Term) bool { return !t.Missing && analysis.Fold(t.Text) == analysis.Fold(part.Text) })
}

// findWhole runs the search. A word that the vocabulary knows only from documents that have changed since is
// planned again, as one that the index does not know.
func (r *searchRun) findWhole(ctx context.Context) (*Found, error) {
	found, err := r.service.store.Search(ctx, &r.plan)
	if err != nil || r.plan.After != nil {
		return found, err
	}
	gone := r.missing(func(t Term) bool { return t.Missing })
	if len(gone) == 0 && found.Total == 0 && r.plan.Filter == nil && len(r.missing(func(Term) bool { return true })) > 0 {
		// The number of documents with each word may be cached from a time when there were some.
		r.unplanned.Recount = true
		if found, err = r.again(ctx); err != nil {
			return nil, err
		}
		if gone = r.missing(func(t Term) bool { return t.Missing }); len(gone) == 0 && found.Total == 0 && len(r.plan.Terms) == 1 {
			// Documents may have what its parts are, but not next to each other.
			gone = r.missing(func(Term) bool { return true })
		}
	}
	if len(gone) == 0 {
		return found, nil
	}
	r.gone = gone
	return r.again(ctx)
}

// missing returns the words of the query that the vocabulary has, whose terms fulfil is.
func (r *searchRun) missing(is func(t Term) bool) (list []string) {
	for _, t := range r.plan.Terms {
		if words := analysis.Texts(t.Text); len(words) == 1 && r.known(words[0]) && is(t) {
			list = append(list, words[0])
		}
	}
	return list
}

// again plans the words anew and runs the search, within the time limit of both: a search may run several times.
func (r *searchRun) again(ctx context.Context) (*Found, error) {
	r.giveUp()
	r.plan = r.unplanned
	return inTime(ctx, r.service, r.start, ". Request fewer facets, or narrow the search with a filter.", func(ctx context.Context) (*Found, error) {
		if err := r.planTerms(ctx); err != nil {
			return nil, err
		}
		return r.service.store.Search(ctx, &r.plan)
	})
}

// maxPage keeps the offset of a page within 63 bits.
const maxPage = 1 << 40

func (r *searchRun) pages(def *SearchDefinition) error {
	fault := Errorf(CodeInvalidRequest, "The page cannot be shown.")
	if r.req.Page != nil && *r.req.Page < 1 {
		fault.With(FieldError{Location: "body.page", Message: "must be 1 or more", Value: *r.req.Page})
	}
	if r.req.Page != nil && *r.req.Page > maxPage {
		fault.With(FieldError{Location: "body.page", Message: "is too large", Value: *r.req.Page})
	}
	if r.req.PerPage != nil && *r.req.PerPage < 0 {
		fault.With(FieldError{Location: "body.per_page", Message: "must be 0 to 1000", Value: *r.req.PerPage})
	}
	if len(fault.Fields) > 0 {
		return fault
	}
	r.page, r.perPage = 1, r.target.PerPage
	if def.PerPage != nil {
		r.perPage = *def.PerPage
	}
	if r.req.PerPage != nil {
		r.perPage = *r.req.PerPage
	}
	if r.req.Page != nil {
		r.page = *r.req.Page
	}
	r.perPage = min(r.perPage, MaxPerPage)
	r.plan.Limit = r.perPage
	r.plan.Offset = (r.page - 1) * r.perPage
	return nil
}

func (r *searchRun) kindOf(name string) mapping.Kind { return kindOf(r.target.Index, name) }

func kindOf(ix *Index, name string) mapping.Kind {
	if m, ok := ix.Mapping(name); ok {
		return m.Type.Info().Kind
	}
	return mapping.KindUnmapped
}

// part names a part of a definition in a message: the index may have other mappings than the definition was checked against.
func (d *SearchDefinition) part(of string) string {
	return fmt.Sprintf("The %s of the search %q", of, d.Name)
}
