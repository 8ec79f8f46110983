package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// MaxSearches is how many searches one request may hold.
const MaxSearches = 20

// NamedSearch is one member of a multi-search.
type NamedSearch struct {
	Search  string
	Request SearchRequest
}

// MultiSearch runs up to MaxSearches searches; one bad member fails all, with an error that says its place. Error codes: those of Search.
func (s *Service) MultiSearch(ctx context.Context, who Principal, searches []NamedSearch) ([]*SearchResponse, error) {
	if len(searches) == 0 || len(searches) > MaxSearches {
		return nil, Errorf(CodeInvalidRequest, "The request does not fit.").With(
			FieldError{Location: "body.searches", Message: fmt.Sprintf("must have 1 to %d searches", MaxSearches)})
	}
	leave, err := s.searching.enter(ctx, who.Application, 1) // they run one after the other
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

// at returns the error of a member of a request with its faults located in the whole request.
func (e *Error) at(place string) *Error {
	moved := *e
	moved.Fields = nil
	for _, f := range e.Fields {
		if within, ok := strings.CutPrefix(f.Location, "body"); ok {
			f.Location = place + within
		} else {
			f.Location = place + ": " + f.Location // for what the member names, such as the filter of a search
		}
		moved.Fields = append(moved.Fields, f)
	}
	if moved.Fields == nil {
		moved.Fields = []FieldError{{Location: place, Message: e.Detail}}
	}
	return &moved
}
