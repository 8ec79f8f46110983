package store_test

import (
	"fmt"
	"strings"
	"testing"
)

// PostgreSQL processes keep what they have read about each table until they end. A process that has served many indices is ended; one that serves the
// same index is not, however often.
func TestConnectionsThatHaveMetManyTables(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	// served returns how many tables each process, by its number, has met in the given number of statements. A comment makes statements as long as for
	// an index with many fields.
	served := func(statements, comment int, table func(i int) string) map[uint32]int {
		t.Helper()
		met := map[uint32]int{}
		for i := range statements {
			var pid uint32
			err := s.Writes().QueryRow(t.Context(), `SELECT pg_backend_pid() FROM to_regclass('"app_demo"."`+table(i)+`"') /* `+strings.Repeat("x", comment)+" */").Scan(&pid)
			if err != nil {
				t.Fatal(err)
			}
			met[pid]++
		}
		return met
	}
	if met := served(50, 100<<10, func(int) string { return "films" }); len(met) > 2 {
		t.Errorf("one table was met by %d processes, want one that stays", len(met))
	}
	for pid, tables := range served(50, 100<<10, func(i int) string { return fmt.Sprint("index", i) }) {
		if tables > 12 {
			t.Errorf("the process %d has met %d tables of 100 KiB, want about a MiB", pid, tables)
		}
	}
	for pid, tables := range served(1200, 1, func(i int) string { return fmt.Sprint("short", i) }) {
		if tables > 600 {
			t.Errorf("the process %d has met %d tables with short statements, want about 500", pid, tables)
		}
	}
}
