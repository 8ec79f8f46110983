package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// However logged documents change, those that a search does not examine are none that it would find.
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
				req.Query = strings.ReplaceAll(req.Query[:len(req.Query)-1-r.IntN(2)], " ", []string{" ", "-"}[r.IntN(2)]) // a prefix of a word, or of a phrase
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

// After some searches, logged documents are no longer examined, and changes of them are still found.
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
		asked++ // an identical search would be answered from memory
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

// Logged documents that are also found by their rare words are selected twice. Exceeding the number of documents that are examined is still noticed.
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
	for logged := 380; logged <= 400; logged += 4 { // up to the number that a search examines
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

// If more documents are logged than are examined, those that are remembered to lack a word are not examined. If there are many more than the search
// finds, the plain statement is faster than reading the log.
func TestMoreIsLoggedThanIsLookedAt(t *testing.T) {
	t.Parallel()
	st, checked, svc := newChecked(t, 6, 15, 40)
	if err := svc.CreateIndex(t.Context(), "demo", "things", acceleratedMappings); err != nil {
		t.Fatal(err)
	}
	write := func(first, n int, text string) {
		t.Helper()
		var actions []string
		for i := range n {
			// Documents with few and the same lexemes would all be taken for one that has a word, with some hashes.
			var others strings.Builder
			for n := range 20 {
				fmt.Fprint(&others, " other", 100*(first+i)+n)
			}
			actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"text":%q}}`, first+i, text+others.String()))
		}
		if _, err := svc.WriteBatch(t.Context(), "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
			t.Fatal(err)
		}
	}
	write(0, 300, "river stone")
	write(300, 20, "bridge stone")
	if err := buildPostings(t.Context(), st, 100); err != nil {
		t.Fatal(err)
	}
	st.LookAt(10, 0)
	st.LookAtShare(10, 200)
	asked := 0
	fromPostings := func(query string) bool {
		t.Helper()
		asked++ // an identical search would be answered from memory
		before := checked.accelerated.Load()
		if _, err := svc.Search(t.Context(), demo, "things", service.SearchRequest{Query: strings.Repeat(" ", asked) + query + " ", Match: service.MatchAll}); err != nil {
			t.Fatal(err)
		}
		return checked.accelerated.Load() > before
	}
	const found, few = "river", "bridge" // in 300 and 20 documents
	write(1000, 70, "mountain")
	for _, step := range []struct {
		what, query string
		want        bool
	}{
		{"70 logged documents are not known", found, false},
		{"they are known not to have the word", found, true},
		{"they are more than three for each that is expected", few, false},
		{"any of the words is searched", found + " " + found, true},
		{"they are known to have the word", "mountain", false},
	} {
		if got := fromPostings(step.query); got != step.want {
			t.Errorf("%s: answered from postings: %t", step.what, got)
		}
	}
	write(2000, 20, "mountain")
	if !fromPostings(found) {
		t.Error("20 more of which nothing is known are not looked at")
	}
	write(3000, 120, "mountain")
	fromPostings(found)
	if fromPostings(found) {
		t.Error("more than 200 logged documents are read")
	}
}

// Documents that no search examines, because there are too many, are not read to be remembered, either.
func TestLoggedDocumentsThatNobodyLooksAtAreNotRead(t *testing.T) {
	t.Parallel()
	l := newLogged(t, 100)
	l.write(0, 200)
	for i := range 30 {
		l.search(t, "river")
		l.write(i, 5)
	}
	if l.readings > 0 {
		t.Errorf("200 logged documents were read %d times, of which searches look at 100", l.readings)
	}
}

// Documents for which there was no room are not read again and again; once they are no longer logged, those logged instead are remembered.
func TestMoreIsLoggedThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	l := newLogged(t, 400)
	l.RoomForLogged(8000)
	l.write(0, 100)
	for range 20 {
		l.search(t, "river")
	}
	full := l.remembered
	if l.readings != 1 || full < 20 || full > 80 {
		t.Fatalf("%d of 100 logged documents are remembered, they were read %d times; want some, once", full, l.readings)
	}
	l.buildPostings(t)
	l.write(1000, full)
	for range 10 {
		l.search(t, "river")
	}
	if l.remembered != full || l.readings != 2 {
		t.Errorf("%d of %d other documents are remembered, read %d times", l.remembered, full, l.readings-1)
	}
}

// However many documents are logged, and however long reading each takes, as many are remembered as there is room for.
func TestLoggedDocumentsThatTakeLongToRead(t *testing.T) {
	t.Parallel()
	l := newLogged(t, 2000, func(c *store.Config) { c.SearchTimeout = 6 * time.Second })
	l.RoomForLogged(8000)
	l.write(0, 2000)
	// Reading all of them takes longer than a search may; reading as many as one statement does takes less than a seventh of that.
	l.exec(t, "ALTER TABLE app_demo.things RENAME TO stored")
	l.exec(t, "CREATE VIEW app_demo.things AS SELECT * FROM app_demo.stored WHERE pg_sleep(0.004) IS NOT NULL")
	if err := l.RememberLogged(t.Context(), things(t, l.Store), func() error { return nil }); err != nil {
		t.Error(err)
	}
	if n, err := l.RememberedLogged(t.Context(), things(t, l.Store)); err != nil || n < 20 {
		t.Errorf("%d documents are remembered, %v", n, err)
	}
}

// logged is an index of 300 rivers, in which searches examine few logged documents, in a store that does not verify its searches.
type logged struct {
	*site
	asked, readings, remembered int
	reading                     any
	write                       func(first, n int)
}

func newLogged(t *testing.T, most int, configure ...func(c *store.Config)) *logged {
	t.Helper()
	db := storetest.New(t)
	config := storeConfig(db)
	for _, f := range configure {
		f(&config)
	}
	l := &logged{site: siteWith(t, db, config)}
	l.AccelerateSmall(6)
	l.create(t, "things", "title sentence")
	river := func(i int) string { return `{"title":"river"}` }
	l.many(t, "things", 300, river)
	l.buildPostings(t)
	l.LookAt(10, 0)
	l.LookAtShare(10, most)
	writes := 0
	l.write = func(first, n int) {
		t.Helper()
		writes++ // an unchanged document would not be written
		var documents []string
		for i := range n {
			documents = append(documents, fmt.Sprint("logged", first+i), fmt.Sprintf(`{"title":"mountain","write":%d}`, writes))
		}
		l.put(t, "things", documents...)
	}
	return l
}

// search runs a search, and returns how often logged documents have been read.
func (l *logged) search(t *testing.T, query string) int64 {
	t.Helper()
	l.asked++ // an identical search would be answered from memory
	n := withAllWords(t, l.svc, strings.Repeat(" ", l.asked)+query+" ")
	remembered, reading, err := l.LoggedRead(t.Context(), things(t, l.Store))
	if err != nil {
		t.Fatal(err)
	}
	if l.reading != nil && l.reading != reading {
		l.readings++
	}
	l.remembered, l.reading = remembered, reading
	return n
}
