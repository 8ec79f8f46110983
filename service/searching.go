package service

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

const (
	maxFacets      = 50
	maxSearches    = 20
	maxSuggestions = 10
	// rarityShare is the share of a query's rarity that the found words of a document must carry for
	// match=auto: it leaves out documents that have only the commonest words of a long query.
	rarityShare = 0.1
)

// Search runs a search under the name of a defined search or of an index. Error codes: search_not_found,
// index_not_found, key_not_allowed, invalid_request, invalid_filter, invalid_sort, invalid_facets,
// search_timeout, too_many_requests.
func (s *Service) Search(ctx context.Context, who Principal, name string, req SearchRequest) (*SearchResponse, error) {
	leave, err := s.searching.enter(ctx, who.Application, 1)
	if err != nil {
		s.tell(ctx, refusedSearch(who, name, req, err))
		return nil, err
	}
	defer leave()
	return s.search(ctx, who, name, req)
}

func refusedSearch(who Principal, name string, req SearchRequest, err error) Searched {
	return Searched{Application: who.Application, Search: name, Query: req.Query, Unrecorded: req.Unrecorded, Refused: true, Err: err}
}

// tell tells the observers of a search that has ended.
func (s *Service) tell(ctx context.Context, ended Searched) {
	for _, o := range s.config.Observers {
		o.Searched(ctx, ended)
	}
}

// search is Search for those that have been let in.
func (s *Service) search(ctx context.Context, who Principal, name string, req SearchRequest) (*SearchResponse, error) {
	start := time.Now()
	var resp *SearchResponse
	ended := Searched{Application: who.Application, Search: name, Query: req.Query, Unrecorded: req.Unrecorded}
	ctx, span := s.span(ctx, "search", who.Application)
	defer func() {
		s.tell(ctx, ended)
		if span.IsRecording() {
			span.SetAttributes(attribute.String("rowan.index", ended.Index), attribute.Int64("rowan.total", ended.Total), attribute.String("rowan.match", string(ended.Match)))
		}
		endSpan(span, ended.Err)
	}()
	explain := func(tell func(plan string)) { tell("") }
	if s.config.SlowSearch > 0 && s.config.Watcher != nil {
		ctx, explain = s.config.Watcher.Watch(ctx)
	}
	err := repeat(ctx, who.Application, name, s.store.Target, func(target *Target) error {
		if err := allowed(who, name, target); err != nil {
			return err
		}
		ended.Index = target.Index.Name
		run := &searchRun{service: s, target: target, req: req, name: name}
		if err := run.prepare(ctx, who); err != nil {
			return err
		}
		suggestions := run.suggestions(ctx)
		found, err := s.store.Search(ctx, &run.plan)
		if err != nil {
			return err
		}
		if resp, err = run.respond(ctx, found); err != nil {
			return err
		}
		resp.Autocomplete, err = suggestions()
		return err
	})
	took := time.Since(start)
	ended.Took, ended.Err = took, err
	if err != nil {
		if ErrorCode(err) == CodeSearchTimeout {
			s.logSlow(ctx, ended, explain)
		}
		return nil, err
	}
	ended.Match, ended.Total, ended.Facets, ended.Page = resp.Params.Match, resp.Total, len(resp.Params.Facets), resp.Page
	ended.Continued = resp.Page > 1 || req.Cursor != ""
	resp.ProcessingTimeMS = took.Milliseconds()
	s.logSlow(ctx, ended, explain)
	return resp, nil
}

// logSlow logs a search if it was slow, with the plan of its longest statement where the database tells it.
func (s *Service) logSlow(ctx context.Context, ended Searched, explain func(tell func(plan string))) {
	if s.config.SlowSearch <= 0 || ended.Took < s.config.SlowSearch {
		return
	}
	attrs := []any{"application", ended.Application, "search", ended.Search, "index", ended.Index, "total", ended.Total, "match", ended.Match,
		"facets", ended.Facets, "duration_ms", ended.Took.Milliseconds()}
	if ended.Err != nil {
		attrs = append(attrs, "code", ErrorCode(ended.Err))
	}
	ctx = context.WithoutCancel(ctx) // the line may be written after the answer
	explain(func(plan string) {
		if plan != "" {
			attrs = append(attrs, "plan", plan)
		}
		s.log.WarnContext(ctx, "slow search", attrs...)
	})
}

// allowed checks what a key is limited to.
func allowed(who Principal, name string, target *Target) error {
	if len(who.Indices) == 0 || slices.Contains(who.Indices, name) {
		return nil
	}
	return Errorf(CodeKeyNotAllowed, "This key may not search %q.", name)
}

// NamedSearch is one member of a multi-search.
type NamedSearch struct {
	Search  string
	Request SearchRequest
}

// MultiSearch runs up to 20 searches; one bad member fails all, with its place.
func (s *Service) MultiSearch(ctx context.Context, who Principal, searches []NamedSearch) ([]*SearchResponse, error) {
	if len(searches) == 0 || len(searches) > maxSearches {
		return nil, Errorf(CodeInvalidRequest, "The request does not fit.").With(
			FieldError{Location: "body.searches", Message: fmt.Sprintf("must have 1 to %d searches", maxSearches)})
	}
	leave, err := s.searching.enter(ctx, who.Application, 1) // one runs after the other
	if err != nil {
		for _, member := range searches {
			s.tell(ctx, refusedSearch(who, member.Search, member.Request, err))
		}
		return nil, err
	}
	defer leave()
	results := make([]*SearchResponse, len(searches))
	for i, member := range searches {
		resp, err := s.search(ctx, who, member.Search, member.Request)
		if err != nil {
			if e, ok := errors.AsType[*Error](err); ok {
				return nil, e.at(fmt.Sprintf("body.searches[%d]", i))
			}
			return nil, err
		}
		results[i] = resp
	}
	return results, nil
}

// at puts the faults of a member of a request into the places that they have in the whole.
func (e *Error) at(place string) *Error {
	moved := *e
	moved.Fields = nil
	for _, f := range e.Fields {
		f.Location = place + strings.TrimPrefix(f.Location, "body")
		moved.Fields = append(moved.Fields, f)
	}
	if moved.Fields == nil {
		moved.Fields = []FieldError{{Location: place, Message: e.Detail}}
	}
	return &moved
}

// Suggest completes q. Error codes: search_not_found, index_not_found, key_not_allowed, too_many_requests.
func (s *Service) Suggest(ctx context.Context, who Principal, name, q string) (_ Suggestions, err error) {
	ended := Suggested{Application: who.Application, Refused: true}
	ctx, span := s.span(ctx, "suggest", who.Application)
	defer func() {
		ended.Err = err
		for _, o := range s.config.SuggestionObservers {
			o.Suggested(ctx, ended)
		}
		endSpan(span, err)
	}()
	leave, err := s.searching.enter(ctx, who.Application, 1)
	if err != nil {
		return Suggestions{}, err
	}
	defer leave()
	start := time.Now()
	defer func() { ended.Refused, ended.Took = false, time.Since(start) }()
	var list []string
	err = repeat(ctx, who.Application, name, s.store.Target, func(target *Target) (err error) {
		if err := allowed(who, name, target); err != nil {
			return err
		}
		list, err = s.suggest(ctx, who, target, q)
		return err
	})
	return Suggestions{Query: q, Autocomplete: list}, err
}

func (s *Service) suggest(ctx context.Context, who Principal, target *Target, q string) ([]string, error) {
	// Suggestions are of a whole index: a key that sees only some of its documents gets none.
	// And no value has the character U+0000.
	if who.Filter != "" || strings.TrimSpace(q) == "" || strings.ContainsRune(q, 0) {
		return []string{}, nil
	}
	list, err := s.store.Suggest(ctx, target.Index, q, maxSuggestions)
	if list == nil {
		list = []string{}
	}
	return list, err
}

// searchRun is one search on its way from the request to the response.
type searchRun struct {
	service *Service
	target  *Target
	req     SearchRequest
	name    string
	who     Principal

	plan    Plan
	query   query.Query
	page    int
	perPage int
	sort    string
	typos   bool
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
		return expressionError(CodeInvalidSort, "The sort expression", "body.sort", r.sort, err)
	}
	r.typos = def.TypoTolerance == nil || *def.TypoTolerance
	r.query = query.Parse(r.req.Query)
	planner := &termPlanner{store: r.service.store, ix: ix, fields: r.plan.Fields, typos: r.typos}
	if err := planner.plan(ctx, r.query, &r.plan); err != nil {
		return err
	}
	return r.cursor()
}

// maxPage keeps the offset of a page within 63 bits.
const maxPage = 1 << 40

func (r *searchRun) pages(def *SearchDefinition) error {
	fault := Errorf(CodeInvalidRequest, "There is no such page.")
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

// Weights of fields in ranking, by the weight of their type: a word in a title says more than one in a body.
var classWeights = map[mapping.Weight]float64{'A': 2.5, 'B': 2, 'C': 1.5, 'D': 1}

// SearchedFields are the fields that a search looks at which does not say otherwise: all that are searched, with
// the weights of their types, and the properties without a mapping last.
func SearchedFields(ix *Index) []Field {
	var list []Field
	for _, m := range ix.Mappings {
		if info := m.Type.Info(); info.Analysis != mapping.NotSearched {
			list = append(list, Field{Name: m.Name, Analysis: info.Analysis,
				Weight: classWeights[info.Weight], Title: info.Weight <= 'B'})
		}
	}
	return append(list, Field{Analysis: mapping.Stemmed, Weight: classWeights['D']})
}

// fields settles what is searched.
func (r *searchRun) fields(def *SearchDefinition) error {
	if len(def.Fields) == 0 {
		r.plan.All = true
		r.plan.Fields = SearchedFields(r.target.Index)
		return nil
	}
	for name, weight := range def.Fields {
		m, mapped := r.target.Index.Mapping(name)
		if !mapped || !m.Type.Searched() {
			continue // the mapping was there when the search was defined, and may come back
		}
		info := m.Type.Info()
		r.plan.Fields = append(r.plan.Fields, Field{Name: name, Analysis: info.Analysis, Weight: weight, Title: info.Weight <= 'B'})
	}
	slices.SortFunc(r.plan.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

func (r *searchRun) kindOf(name string) mapping.Kind { return kindOf(r.target.Index, name) }

func kindOf(ix *Index, name string) mapping.Kind {
	if m, ok := ix.Mapping(name); ok {
		return m.Type.Info().Kind
	}
	return mapping.KindUnmapped
}

// facets settles what is counted.
func (r *searchRun) facets(def *SearchDefinition) error {
	r.plan.Facets = slices.Clone(def.Facets)
	if r.req.Facets != nil {
		names, err := filter.ParseNames(*r.req.Facets)
		if err != nil {
			return expressionError(CodeInvalidFacets, "The list of facets", "body.facets", *r.req.Facets, err)
		}
		r.plan.Facets = names
	}
	fault := Errorf(CodeInvalidFacets, "These facets cannot be counted.")
	if len(r.plan.Facets) > maxFacets {
		fault.With(FieldError{Location: "body.facets", Message: fmt.Sprintf("may name %d fields", maxFacets)})
	}
	for _, name := range r.plan.Facets {
		switch {
		case strings.HasPrefix(name, "_"):
			fault.With(FieldError{Location: "body.facets", Message: "is no property of the documents", Value: name})
		case r.kindOf(name) == mapping.KindPresence:
			fault.With(FieldError{Location: "body.facets", Message: "is a long text, which has no values to count; map it as text, sentence or keyword", Value: name})
		}
	}
	for i, name := range r.req.Disjunctive {
		if !slices.Contains(r.plan.Facets, name) {
			fault.With(FieldError{Location: fmt.Sprintf("body.disjunctive[%d]", i), Message: "must be one of the facets", Value: name})
		}
	}
	if len(fault.Fields) > 0 {
		return fault
	}
	return nil
}

// filters joins the filters of the definition, the key and the request.
func (r *searchRun) filters(def *SearchDefinition) error {
	raw, place := r.req.Filter.Raw, "body.filter"
	if r.req.Filters.Raw != nil {
		if raw != nil && !sameJSON(raw, r.req.Filters.Raw) {
			return Errorf(CodeInvalidFilter, "filter and filters are the same parameter under two names; send one.").With(
				FieldError{Location: "body.filters", Message: "differs from filter"})
		}
		if raw == nil {
			raw, place = r.req.Filters.Raw, "body.filters"
		}
	}
	var all filter.And
	for _, part := range []struct {
		raw   json.RawMessage
		place string
	}{{def.Filter, "filter of the search"}, {keyFilter(r.who.Filter), "filter of the key"}, {raw, place}} {
		if part.raw == nil {
			continue
		}
		cond, err := r.bind(part.raw, part.place)
		if err != nil {
			return err
		}
		if part.place != place {
			all = append(all, cond)
			continue
		}
		rest := r.takeOwn(cond)
		all = append(all, rest...)
	}
	if len(all) > 0 {
		r.plan.Filter = all
	}
	return nil
}

func keyFilter(expression string) json.RawMessage {
	if expression == "" {
		return nil
	}
	raw, err := json.Marshal(expression)
	if err != nil {
		panic(err) // a string always encodes
	}
	return raw
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

func (r *searchRun) bind(raw json.RawMessage, place string) (filter.Cond, error) {
	node, err := filter.ParseJSON(raw)
	if err == nil {
		var cond filter.Cond
		if cond, err = filter.Bind(node, r.kindOf); err == nil {
			return cond, nil
		}
	}
	return nil, expressionError(CodeInvalidFilter, "The filter", place, raw, err)
}

// expressionError is the error for an expression that does not parse or does not fit.
func expressionError(code Code, what, place string, value any, err error) error {
	e, ok := errors.AsType[*filter.Error](err)
	if !ok {
		return err
	}
	detail := what + " cannot be used: " + e.Error()
	if e.Path != "" {
		place = "body." + e.Path
	}
	if !strings.HasSuffix(detail, ".") {
		detail += "."
	}
	return Errorf(code, "%s", detail).With(FieldError{Location: place, Message: e.Message, Value: value})
}

// takeOwn moves those conditions of the request's filter that are only about a disjunctive facet to the facet.
func (r *searchRun) takeOwn(cond filter.Cond) filter.And {
	parts, ok := cond.(filter.And)
	if !ok {
		parts = filter.And{cond}
	}
	if len(r.req.Disjunctive) == 0 {
		return parts
	}
	r.plan.Own = map[string]filter.Cond{}
	var rest filter.And
	for _, part := range parts {
		field, one := onlyField(part)
		if one && slices.Contains(r.req.Disjunctive, field) {
			if before, ok := r.plan.Own[field]; ok {
				part = filter.And{before, part}
			}
			r.plan.Own[field] = part
			continue
		}
		rest = append(rest, part)
	}
	return rest
}

// onlyField returns the field that a condition is about, if it is about one alone.
func onlyField(cond filter.Cond) (field string, one bool) {
	several := func(list []filter.Cond) (string, bool) {
		for i, c := range list {
			f, one := onlyField(c)
			if !one || i > 0 && f != field {
				return "", false
			}
			field = f
		}
		return field, len(list) > 0
	}
	switch c := cond.(type) {
	case filter.And:
		return several(c)
	case filter.Or:
		return several(c)
	case filter.Not:
		return onlyField(c.Cond)
	case filter.Exists:
		return c.Field, true
	case filter.Equal:
		return c.Field, true
	case filter.Range:
		return c.Field, true
	case filter.Prefix:
		return c.Field, true
	}
	return "", false
}

// cursor reads the request's cursor into the plan.
func (r *searchRun) cursor() error {
	if r.req.Cursor == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(r.req.Cursor)
	c := &Cursor{}
	if err == nil {
		err = json.Unmarshal(raw, c)
	}
	if err != nil || c.Match != MatchAll && c.Match != MatchAny {
		return Errorf(CodeInvalidRequest, "The cursor cannot be read.").With(
			FieldError{Location: "body.cursor", Message: "must be the cursor of an earlier response", Value: r.req.Cursor})
	}
	r.plan.After = c
	r.plan.Offset = 0
	return nil
}

// respond makes the response of what was found.
func (r *searchRun) respond(ctx context.Context, found *Found) (*SearchResponse, error) {
	resp := &SearchResponse{
		Hits: make(Hits, len(found.Hits)), IDs: make([]string, len(found.Hits)),
		Total: found.Total, TotalAllWords: found.TotalAllWords,
		Query: r.req.Query, Page: r.page, PerPage: r.perPage, Index: r.target.Index.Name, Search: r.name, Sort: r.sort,
		Facets: found.Facets, FacetStats: found.Stats,
		Filter: r.req.Filter.Raw, Filters: r.req.Filters.Raw,
	}
	resp.Params = SearchParams{Match: found.Match, Page: r.page, PerPage: r.perPage, Sort: r.sort, Facets: r.plan.Facets,
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
		raw, err := json.Marshal(Cursor{Place: found.Hits[n-1].Place, Match: found.Match, Rarities: found.Rarities, AverageLength: found.AverageLength})
		if err != nil {
			return nil, err
		}
		resp.Cursor = base64.RawURLEncoding.EncodeToString(raw)
	}
	if len(r.plan.Terms) > 0 && len(r.plan.Sort) == 0 {
		exactFirst(r.req.Query, found)
	}
	for i, h := range found.Hits {
		resp.IDs[i] = h.Document.ID
		resp.Hits[i] = Hit{Document: h.Document, Score: h.Score}
		if r.plan.Explain {
			resp.Hits[i].Explanation = r.explain(h, found.Rarities)
		}
	}
	if len(r.plan.Terms) > 0 && len(resp.Hits) > 0 {
		if err := r.highlight(ctx, resp.Hits); err != nil {
			return nil, err
		}
	}
	return resp, nil
}

// suggestions asks for suggestions while the search runs; the result waits for them.
func (r *searchRun) suggestions(ctx context.Context) func() ([]string, error) {
	type outcome struct {
		list []string
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		list, err := r.service.suggest(ctx, r.who, r.target, r.req.Query)
		done <- outcome{list, err}
	}()
	return func() ([]string, error) {
		o := <-done
		return o.list, o.err
	}
}

func (r *searchRun) explain(h FoundHit, rarities []float64) *Explanation {
	e := &Explanation{Score: h.Score, Boost: h.Boost, Adjacent: h.Adjacent, Words: []WordExplanation{}}
	for i, w := range h.Words {
		term := r.plan.Terms[i]
		word := WordExplanation{Word: term.Text, Rarity: rarities[i], Repeats: term.Repeats, Frequency: w.Saturated, TitleBonus: TitleBonus * w.Bonus, Fields: map[string]float64{}}
		word.Score = rarities[i] * float64(term.Repeats) * (w.Saturated + TitleBonus*w.Bonus)
		for j, f := range r.plan.Fields {
			if w.Fields[j] > 0.01 {
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
