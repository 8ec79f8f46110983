package service

import (
	"runtime"
	"testing"

	"github.com/rowansearch/rowan/service/mapping"
)

// Indices come and go; what was prepared for them does not stay.
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
