package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
)

// However logged documents change, those that are not looked at are none that the search finds.
func TestLoggedDocumentsAreRemembered(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := newAccelerated(t)
	r := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		if _, err := svc.WriteBatch(ctx, "demo", "things", someBatch(r, 3)); err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 { // psql
			if _, err := checked.db.Pool.Exec(ctx, "UPDATE app_demo.things SET _body = $1 WHERE _id IN (SELECT _id FROM app_demo.things ORDER BY random() LIMIT 1)", someDocument(r)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 4 {
			req := service.SearchRequest{Query: strings.Repeat(" ", i) + someWords(r, 1+r.IntN(3)), Match: []service.Match{service.MatchAll, service.MatchAny}[r.IntN(2)]}
			if r.IntN(3) == 0 {
				req.Query = strings.ReplaceAll(req.Query[:len(req.Query)-1-r.IntN(2)], " ", []string{" ", "-"}[r.IntN(2)]) // the beginning of a word, or of a phrase
			}
			if _, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", req); err != nil {
				t.Fatal(err)
			}
		}
	}
	n, spared := checked.accelerated.Load(), st.LoggedSpared().Load()
	t.Logf("%d searches were accelerated, %d looks spared", n, spared)
	if n < 80 || spared < 1000 {
		t.Errorf("%d searches were accelerated, %d looks at logged documents spared, want more", n, spared)
	}
}

// After some searches nobody looks at logged documents any more, and what changes them is found all the same.
func TestLooksAtLoggedDocumentsEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, _, svc := newAccelerated(t)
	plain := service.New(st, service.Config{})
	write := func(title string) {
		t.Helper()
		var batch []string
		for i := range 5 {
			batch = append(batch, fmt.Sprintf(`{"action":"upsert","_id":"logged%d","body":{"title":%q}}`, i, title))
		}
		if _, err := svc.WriteBatch(ctx, "demo", "things", []byte("["+strings.Join(batch, ",")+"]")); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	search := func(query string) int64 {
		t.Helper()
		asked++ // the same would be remembered
		resp, err := plain.Search(ctx, service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: strings.Repeat(" ", asked) + query + " ", Match: service.MatchAll})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Total
	}
	bridges := search("bridge")
	write("mountain")
	ix, err := st.CurrentIndex(ctx, "demo", "things")
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if n := search("bridge"); n != bridges {
			t.Fatalf("%d documents have the word, want %d", n, bridges)
		}
		n, err := st.RememberedLogged(ctx, ix)
		if err != nil {
			t.Fatal(err)
		}
		if n == 5 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d of 5 logged documents are remembered after %d searches", n, asked)
		}
	}
	write("bridge")
	if n := search("bridge"); n != bridges+5 {
		t.Errorf("%d documents have the word after five more were written, want %d", n, bridges+5)
	}
}

// Documents that are in the log and found by their rare words besides are asked for twice. What goes beyond the most that are looked
// at is seen all the same.
func TestLoggedDocumentsAreAllTaken(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := newChecked(t, 6, 15, 40)
	if err := svc.CreateIndex(ctx, "demo", "things", acceleratedMappings); err != nil {
		t.Fatal(err)
	}
	write := func(n int, text func(i int) string) {
		t.Helper()
		actions := make([]string, n)
		for i := range actions {
			actions[i] = fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"text":%q}}`, i, text(i))
		}
		if _, err := svc.WriteBatch(ctx, "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
			t.Fatal(err)
		}
	}
	write(450, func(int) string { return "river stone" })
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	for logged := 380; logged <= 400; logged += 4 { // up to as many as a search looks at
		write(logged, func(i int) string {
			if i < 20 {
				return fmt.Sprint("stone seldom", i)
			}
			return "stone"
		})
		query := "river"
		for i := range 20 {
			query += fmt.Sprint(" seldom", i)
		}
		res, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: query + " ", Match: service.MatchAny})
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(450 - logged + 20); res.Total != want {
			t.Errorf("%d logged: %d documents are found, want %d", logged, res.Total, want)
		}
	}
	if n := checked.accelerated.Load(); n == 0 {
		t.Error("no search was accelerated")
	}
}
