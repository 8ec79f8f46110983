package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
)

// restless is a store whose catalog changes each time after it was asked what a search refers to.
type restless struct {
	*store.Store
	change func(ctx context.Context) error
}

func (r restless) Target(ctx context.Context, application, search string) (*service.Target, error) {
	return r.CurrentTarget(ctx, application, search)
}

func (r restless) CurrentTarget(ctx context.Context, application, search string) (*service.Target, error) {
	target, err := r.Store.CurrentTarget(ctx, application, search)
	if err == nil {
		err = r.change(ctx)
	}
	return target, err
}

// Searches and suggestions work while other indices and searches of the application are constantly changed.
func TestSearchWhileOthersAreChanged(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title completion", "year int")
	s.put(t, "films", "1", `{"title":"Seven Samurai","year":1954}`)
	made := 0
	svc := patient(restless{s.Store, func(ctx context.Context) error {
		made++
		if made%2 == 0 {
			_, err := s.svc.PutSearch(ctx, "demo", service.SearchDefinition{Name: fmt.Sprint("search", made), Index: "films"})
			return err
		}
		return s.svc.CreateIndex(ctx, "demo", fmt.Sprint("index", made), nil)
	}})
	for _, req := range []service.SearchRequest{
		{Query: "samurai"},
		{Query: "samurai", Explain: true, Filter: service.FilterInput{Raw: []byte(`"year > 1950"`)}},
		{},
	} {
		for range 2 {
			resp, err := svc.Search(t.Context(), demo, "films", req)
			if err != nil || resp.Total != 1 {
				t.Errorf("%q: %v (%v)", req.Query, resp, err)
			}
		}
	}
	invalid := service.SearchRequest{Filter: service.FilterInput{Raw: []byte(`"year = x"`)}}
	if _, err := svc.Search(t.Context(), demo, "films", invalid); service.ErrorCode(err) != service.CodeInvalidFilter {
		t.Errorf("a filter that does not fit: %v", err)
	}
	for q, want := range map[string]string{"sev": "Seven Samurai", "samuray": "Seven Samurai", "nothing": ""} {
		got, err := svc.Suggest(t.Context(), demo, "films", q)
		if err != nil || strings.Join(got.Autocomplete, ", ") != want {
			t.Errorf("%s: suggests %q (%v)", q, got.Autocomplete, err)
		}
	}
}

// What a search itself refers to may not change while it is answered.
func TestSearchOfWhatIsChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(ctx context.Context, s *site, n int) error{
		"index": func(ctx context.Context, s *site, n int) error {
			_, err := s.svc.UpdateIndexSettings(ctx, "demo", "films", fmt.Appendf(nil, `{"stop_words":["word%d"]}`, n), true)
			return err
		},
		"search": func(ctx context.Context, s *site, n int) error {
			_, err := s.svc.PutSearch(ctx, "demo", service.SearchDefinition{Name: "mine", Index: "films", Filter: fmt.Appendf(nil, `"year > %d"`, n)})
			return err
		},
		"application": func(ctx context.Context, s *site, n int) error {
			return s.PutApplicationSettings(ctx, "demo", service.ApplicationSettings{PerPage: n})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.create(t, "films", "title sentence", "year int")
			if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "mine", Index: "films"}); err != nil {
				t.Fatal(err)
			}
			n := 0
			svc := patient(restless{s.Store, func(ctx context.Context) error { n++; return change(ctx, s, n) }})
			if resp, err := svc.Search(t.Context(), demo, "mine", service.SearchRequest{}); service.ErrorCode(err) != service.CodeUnavailable {
				t.Errorf("found %v (%v)", resp, err)
			}
		})
	}
}
