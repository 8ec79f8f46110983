package store_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/store/storetest"
)

// Searches do without postings that cannot be read, and the log says how to have them built again.
func TestDamagedPostings(t *testing.T) {
	t.Parallel()
	for what, damage := range map[string]string{
		"postings":  `UPDATE app_demo_derived.things_postings SET postings = '\x00' WHERE lexeme = 'common'`,
		"measures":  `UPDATE app_demo_derived.things_postings SET postings = '\x00' WHERE lexeme = ''`,
		"values":    `UPDATE app_demo_derived.things_values SET sets = '\x00'`,
		"positions": `UPDATE app_demo_derived.things_postings SET postings = '\x00' WHERE lexeme LIKE E'\x03%'`,
	} {
		var log bytes.Buffer
		db := storetest.New(t)
		s := siteWith(t, db, loggingConfig(db, &log))
		s.AccelerateSmall(30, 150)
		s.create(t, "things", "title text", "n int")
		s.many(t, "things", 300, func(i int) string { return fmt.Sprintf(`{"title":"common ground %d","n":%d}`, i%2, i%3) })
		build := func() {
			t.Helper()
			if err := buildPostings(t.Context(), s.Store, 100); err != nil {
				t.Fatal(err)
			}
		}
		ask := func() string {
			resp := s.search(t, "things", forWords(`"common ground" `), filtered("n >= 1"), withFacets("n"))
			return fmt.Sprint(resp.Total, resp.IDs, facet(t, resp, "n"))
		}
		want := ask()
		build()
		s.exec(t, damage)
		if got := ask(); got != want {
			t.Errorf("damaged %s: %s, want %s", what, got, want)
		}
		const remedy = "DROP TABLE app_demo_derived.things_postings"
		if !strings.Contains(strings.ReplaceAll(log.String(), `\"`, ""), remedy) {
			t.Errorf("damaged %s: the log does not tell what to do: %s", what, log.String())
		}
		log.Reset()
		s.exec(t, remedy)
		build()
		if got := ask(); got != want || log.Len() > 0 {
			t.Errorf("%s built again: %s, want %s; %s", what, got, want, log.String())
		}
	}
}
