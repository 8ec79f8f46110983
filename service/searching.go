package service

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
)

// rarityShare is the share of a query's rarity that the found words of a document must carry for
// match=auto: it leaves out documents that have only the commonest words of a long query.
const rarityShare = 0.1

// Search runs a search under the name of a defined search or of an index. Error codes: search_not_found,
// index_not_found, key_not_allowed, invalid_request, invalid_filter, invalid_sort, invalid_facets,
// search_timeout, too_large, too_many_requests, unavailable.
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

// search is Search after the request has been let in.
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
	search := func(target *Target) error {
		ended.Index = target.Index.Name
		asking, known, err := s.answers.ask(ctx, s.store, who, target, name, req)
		if err != nil || known != nil {
			resp, ended.Remembered = known, known != nil
			return err
		}
		run := &searchRun{service: s, target: target, req: req, name: name, start: start}
		if err := run.prepare(ctx, who); err != nil {
			return err
		}
		related := run.related // of the query as it is: the search may be planned again meanwhile
		if len(run.gone) > 0 {
			related = nil // a cursor's: they are of the parts of its words
		}
		suggestions := aside(func() ([]string, error) { return s.suggest(ctx, start, who, target, req.Query, related) })
		defer func() { _, _ = suggestions() }() // a failing search does not leave the goroutine behind
		found, err := run.find(ctx)
		if err != nil {
			return err
		}
		if resp, err = run.respondInTime(ctx, found); err != nil {
			return err
		}
		if resp.Autocomplete, err = suggestions(); err == nil {
			asking.keep(resp)
		}
		return err
	}
	err := allowed(who, name)
	if err == nil {
		err = s.withTarget(ctx, who.Application, name, search)
	}
	took := time.Since(start)
	ended.Took, ended.Err = took, err
	if err != nil {
		if ErrorCode(err) == CodeSearchTimeout {
			s.logSlow(ctx, ended, explain)
		}
		return nil, err
	}
	ended.Match, ended.Total, ended.Facets = resp.Params.Match, resp.Total, len(resp.Params.Facets)
	ended.Continued = resp.Page > 1 || req.Cursor != ""
	resp.ProcessingTimeMS = took.Milliseconds()
	s.logSlow(ctx, ended, explain)
	return resp, nil
}

// logSlow logs a search if it was slow, with the plan of its longest statement if the database provides it. A
// search that ran past its time limit was slow even if that limit is below SlowSearch.
func (s *Service) logSlow(ctx context.Context, ended Searched, explain func(tell func(plan string))) {
	if s.config.SlowSearch <= 0 || ended.Took < s.config.SlowSearch && ErrorCode(ended.Err) != CodeSearchTimeout {
		return
	}
	attrs := []any{"application", ended.Application, "search", ended.Search, "index", ended.Index, "total", ended.Total, "match", ended.Match,
		"facets", ended.Facets, "duration_ms", float64(ended.Took.Microseconds()) / 1000}
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

// allowed checks whether a key may search under a name, before anything looks whether there is such a search: a key must not reveal what else there is.
func allowed(who Principal, name string) error {
	if len(who.Indices) == 0 || slices.Contains(who.Indices, name) {
		return nil
	}
	return Errorf(CodeKeyNotAllowed, "This key may not search %q.", name)
}
