package store_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/store/storetest"
)

func TestStats(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	ctx := t.Context()
	l.Start(ctx)
	batch := `[{"action":"upsert","_id":"1","body":{"title":"One"}},{"action":"upsert","_id":"2","body":{"title":"Two"}},{"action":"upsert","_id":"3","body":{"title":"Three"}}]`
	if _, err := l.svc.WriteBatch(ctx, "demo", "books", []byte(batch)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.svc.UpsertDocument(ctx, "demo", "books", "1", []byte(`{"title":"Uno"}`)); err != nil {
		t.Fatal(err)
	}
	// It changes nothing.
	if _, err := l.svc.PatchDocument(ctx, "demo", "books", "1", []byte(`{"title":"Uno"}`), false); err != nil {
		t.Fatal(err)
	}
	if err := l.svc.DeleteDocument(ctx, "demo", "books", "2"); err != nil {
		t.Fatal(err)
	}
	st := l.Stats()
	if diff := cmp.Diff([]int64{3, 1, 1}, []int64{st.Created, st.Updated, st.Deleted}); diff != "" {
		t.Errorf("created, updated, deleted (-want +got):\n%s", diff)
	}
	eventually(t, "that all is derived", func() bool {
		st := l.Stats()
		return st.Pending == 0 && st.Work[0].Rounds > 0 && !st.LastRound.IsZero()
	})
	for _, w := range l.Stats().Work {
		if w.Failed != 0 {
			t.Errorf("%d rounds of %s failed", w.Failed, w.Kind)
		}
	}

	for range 2 {
		if _, err := l.Lexemes(ctx, "english", []string{"samurais", "villages"}); err != nil {
			t.Fatal(err)
		}
	}
	if st := l.Stats(); st.LexemeHits < 2 || st.LexemeMisses < 2 {
		t.Errorf("%d words were remembered, %d were not", st.LexemeHits, st.LexemeMisses)
	}
	for _, p := range l.Stats().Pools {
		if p.Max != 6 || p.Acquired > p.Max {
			t.Errorf("got %+v", p)
		}
	}
}

// A deleted index leaves no work, even if another one has taken its name; that is not a fault, and logs nothing.
func TestStatsOfADeletedIndex(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var log bytes.Buffer
	config := storeConfig(db)
	config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s := siteWith(t, db, config)
	s.Start(t.Context())
	other := join(t, db)
	for range 3 {
		s.create(t, "films", "title name")
		s.put(t, "films", "1", `{"title":"One"}`)
		if err := other.svc.DeleteIndex(t.Context(), "demo", "films"); err != nil {
			t.Fatal(err)
		}
	}
	other.create(t, "films", "title name")
	eventually(t, "that nothing is to be done", func() bool {
		st := s.Stats()
		waiting := 0
		for _, w := range st.Work {
			if w.Kind != "analyze" { // PostgreSQL reports seconds later what has changed
				waiting += w.Indices
			}
		}
		return st.Pending == 0 && waiting == 0
	})
	for _, w := range s.Stats().Work {
		if w.Failed != 0 {
			t.Errorf("%d rounds of %s failed", w.Failed, w.Kind)
		}
	}
	s.Close()
	if strings.Contains(log.String(), "level=WARN") {
		t.Error(log.String())
	}
}
