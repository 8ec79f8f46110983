package store_test

import (
	"fmt"
	"strings"
	"testing"
)

// The processes of PostgreSQL keep what they have read of each table until they end. One that has served many indices ends; one that
// serves the same index does not, however often.
func TestConnectionsThatHaveMetManyTables(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	// served is how many tables each process has met, by its number. A comment makes the statements as long as those for an index with
	// hundreds of fields.
	served := func(table func(i int) string) map[uint32]int {
		t.Helper()
		met := map[uint32]int{}
		for i := range 50 {
			var pid uint32
			err := s.Writes().QueryRow(t.Context(), `SELECT pg_backend_pid() FROM to_regclass('"app_demo"."`+table(i)+`"') /* `+strings.Repeat("x", 100<<10)+" */").Scan(&pid)
			if err != nil {
				t.Fatal(err)
			}
			met[pid]++
		}
		return met
	}
	if met := served(func(int) string { return "films" }); len(met) > 2 {
		t.Errorf("one table was met by %d processes, want one that stays", len(met))
	}
	for pid, tables := range served(func(i int) string { return fmt.Sprint("index", i) }) {
		if tables > 12 {
			t.Errorf("the process %d has met %d tables of 100 KiB, want about a MiB", pid, tables)
		}
	}
}
