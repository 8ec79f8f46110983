package service

import (
	"context"
	"testing"
	"time"
)

// witness keeps what an observer is told.
type witness struct {
	searches    []Searched
	suggestions []Suggested
}

func (w *witness) Searched(_ context.Context, s Searched)   { w.searches = append(w.searches, s) }
func (w *witness) Suggested(_ context.Context, s Suggested) { w.suggestions = append(w.suggestions, s) }

// Requests that are not let in are counted, and the observers are told of them.
func TestRefusedRequestsAreObserved(t *testing.T) {
	t.Parallel()
	w := &witness{}
	s := New(nil, Config{Limits: Limits{Searches: 1, Wait: time.Millisecond}, Observers: []Observer{w}, SuggestionObservers: []SuggestionObserver{w}})
	leave, err := s.searching.enter(t.Context(), "demo", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	who := Principal{Application: "demo"}
	if _, err := s.Search(t.Context(), who, "films", SearchRequest{Query: "x"}); err == nil {
		t.Error("a search was let in")
	}
	if _, err := s.MultiSearch(t.Context(), who, []NamedSearch{{Search: "films"}, {Search: "books"}}); err == nil {
		t.Error("a multi-search was let in")
	}
	if _, err := s.Suggest(t.Context(), who, "films", "x"); err == nil {
		t.Error("a request for suggestions was let in")
	}
	if len(w.searches) != 3 || len(w.suggestions) != 1 {
		t.Fatalf("observed %d searches and %d requests for suggestions, want 3 and 1", len(w.searches), len(w.suggestions))
	}
	for _, o := range w.searches {
		if !o.Refused || o.Application != "demo" || ErrorCode(o.Err) != CodeTooManyRequests {
			t.Errorf("observed %+v", o)
		}
	}
	if o := w.suggestions[0]; !o.Refused || ErrorCode(o.Err) != CodeTooManyRequests {
		t.Errorf("observed %+v", o)
	}
	if got, want := s.Load().Searches, (GateLoad{Capacity: 1, Inside: 1, Refused: 3}); got != want {
		t.Errorf("the load is %+v, want %+v", got, want)
	}
}
