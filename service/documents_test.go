package service

import (
	"context"
	"runtime"
	"testing"

	"github.com/rowansearch/rowan/service/mapping"
)

// Indices come and go; what was prepared for them does not pile up.
func TestSchemasAreBounded(t *testing.T) {
	s := New(nil, Config{})
	inUse := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	mappings := make([]mapping.Mapping, 100)
	for i := range mappings {
		mappings[i] = mapping.Mapping{Name: string(rune('a'+i%26)) + "." + string(rune('a'+i/26)), Type: mapping.Bool}
	}
	prepare := func(from, to int64) {
		for id := from; id < to; id++ {
			s.schema(&Index{ID: id, Mappings: mappings})
		}
	}
	prepare(0, 2*maxSchemas)
	before := inUse()
	prepare(2*maxSchemas, 20*maxSchemas)
	if after := inUse(); after > before+before/2 {
		t.Errorf("%d bytes in use after %d indices, %d after %d", before, 2*maxSchemas, after, 20*maxSchemas)
	}
	ix := &Index{ID: 1, Version: 7, Mappings: mappings}
	if first, again := s.schema(ix), s.schema(ix); first != again {
		t.Error("mappings are prepared for each write")
	}
}

// changedIndex is a store whose index has other mappings than the cached ones.
type changedIndex struct {
	Store
	remembered, current *Index
	stored              []Change
}

func (s *changedIndex) Index(context.Context, string, string) (*Index, error) {
	return s.remembered, nil
}

func (s *changedIndex) CurrentIndex(context.Context, string, string) (*Index, error) {
	return s.current, nil
}

func (s *changedIndex) Write(_ context.Context, w Write) (map[string]Document, error) {
	s.stored = append(s.stored, *w.Upsert)
	return map[string]Document{w.Upsert.ID: {ID: w.Upsert.ID, Body: w.Upsert.Body}}, nil
}

// A document that fits the index only since another server has changed it is stored under the id that it was sent with.
func TestDocumentKeepsItsIDWhereTheIndexHasChanged(t *testing.T) {
	store := &changedIndex{
		remembered: &Index{ID: 1, Version: 1, Mappings: []mapping.Mapping{{Name: "size", Type: mapping.Int}}},
		current:    &Index{ID: 1, Version: 2, Mappings: []mapping.Mapping{{Name: "size", Type: mapping.Keyword}}},
	}
	doc, err := New(store, Config{}).UpsertDocument(t.Context(), "demo", "shirts", "blue", []byte(`{"size":"XL"}`))
	if err != nil {
		t.Fatal(err)
	}
	if doc.ID != "blue" || len(store.stored) != 1 || store.stored[0].ID != "blue" {
		t.Errorf("stored as %q: %+v", doc.ID, store.stored)
	}
}
