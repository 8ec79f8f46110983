package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Reads are repeated on another connection if their own has ended, as all have after a restart of PostgreSQL: clients must not notice.
func TestReadsOutliveTheirConnections(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title sentence")
	s.put(t, "films", "1", `{"title":"The seventh seal"}`)
	if _, err := s.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "best", Index: "films"}); err != nil {
		t.Fatal(err)
	}
	target, err := s.CurrentTarget(t.Context(), "demo", "films")
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(ctx context.Context) error{
		"applications":   func(ctx context.Context) error { _, err := s.Applications(ctx); return err },
		"settings":       func(ctx context.Context) error { _, err := s.ApplicationSettings(ctx, "demo"); return err },
		"keys":           func(ctx context.Context) error { _, err := s.Keys(ctx, "demo"); return err },
		"hashes of keys": func(ctx context.Context) error { _, err := s.KeyHashes(ctx, "demo"); return err },
		"indices":        func(ctx context.Context) error { _, err := s.Indices(ctx, "demo"); return err },
		"index":          func(ctx context.Context) error { _, err := s.CurrentIndex(ctx, "demo", "films"); return err },
		"size":           func(ctx context.Context) error { _, err := s.IndexStats(ctx, target.Index); return err },
		"sizes":          func(ctx context.Context) error { _, err := s.IndexSizes(ctx, "demo"); return err },
		"languages":      func(ctx context.Context) error { _, err := s.Languages(ctx); return err },
		"target":         func(ctx context.Context) error { _, err := s.CurrentTarget(ctx, "demo", "films"); return err },
		"defined search": func(ctx context.Context) error { _, err := s.FindSearch(ctx, "demo", "best"); return err },
		"definitions":    func(ctx context.Context) error { _, err := s.SearchDefinitions(ctx, "demo"); return err },
		"version":        func(ctx context.Context) error { return s.Current(ctx, target.Index, target.Version, "") },
		"lexemes":        func(ctx context.Context) error { _, err := s.Lexemes(ctx, "english", []string{"seals"}); return err },
		"stemmer":        func(ctx context.Context) error { _, err := s.Likely(ctx, "english", []string{"seal"}); return err },
		"state":          func(ctx context.Context) error { _, err := s.State(ctx, target.Index, target.Version); return err },
		"documents":      func(ctx context.Context) error { _, err := s.svc.GetDocument(ctx, "demo", "films", "1"); return err },
		"search": func(ctx context.Context) error {
			_, err := s.svc.Search(ctx, demo, "films", ask(forWords("seventh")))
			return err
		},
		"numbers": func(ctx context.Context) error {
			_, err := s.Related(ctx, target.Index, service.AskedWords{Prefix: "19", Limit: 10})
			return err
		},
		"suggestions": func(ctx context.Context) error { _, err := s.svc.Suggest(ctx, demo, "films", "sev"); return err },
	} {
		t.Run(name, func(t *testing.T) {
			// Each pool has a connection that counts as used within the last second: others are pinged before they are used. No ping here, because it would
			// notice ended connections.
			_, err := s.Applications(t.Context())
			if err := errors.Join(err, s.Current(t.Context(), target.Index, target.Version, "")); err != nil {
				t.Fatal(err)
			}
			s.exec(t, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rowan'")
			if err := read(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
