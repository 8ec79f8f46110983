package store_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for title, n := range map[string]int{"New York": 3, "new york": 2, "New Zealand": 4, "Newark": 6, "York": 1, "Red Shoes": 2, "red  shirt": 2,
		"Shark": 5, "Émile": 1, "Emil": 2, "Über uns": 1, "100% cotton": 1, "new": 1, "(1) Boats": 1,
		"Ocean's Eleven": 1, "Ocean’s Twelve": 2, "L’École": 1} {
		text, err := json.Marshal(map[string]string{"title": title})
		if err != nil {
			t.Fatal(err)
		}
		l.many(t, title+"-", n, string(text))
	}
	l.settle(t)
	for _, test := range []struct {
		q    string
		want []string
	}{
		{"new", []string{"Newark", "New York", "New Zealand", "new"}},
		{"NEW ", []string{"New York", "New Zealand", "new"}},
		{"  new   y", []string{"New York", "York"}},
		{"buy red sh", []string{"red  shirt", "Red Shoes", "Shark"}},
		{"sh", []string{"Shark"}},
		{"emil", []string{"Emil", "Émile"}},
		{"ÉMILE", []string{"Émile"}},
		{"uber", []string{"Über uns"}},
		{"100%", []string{"100% cotton"}},
		{"(", []string{"(1) Boats"}},
		{"york (", []string{"New York", "York"}}, // no word begins with the bracket
		{"ocean's", []string{"Ocean's Eleven", "Ocean’s Twelve"}},
		{"ocean’s t", []string{"Ocean’s Twelve"}},
		{"the ocean's t", []string{"Ocean’s Twelve"}},
		{"l'é", []string{"L’École"}},
		{"%", nil},
		{"", nil},
		{" ", nil},
		{"zzz", nil},
		{strings.Repeat("a", 5000), nil},
	} {
		l.suggests(t, test.q, test.want)
	}
}

// Suggestions with the words anywhere come after those that begin with them, including those of documents that were just written.
func TestSuggestByWordsInside(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for title, n := range map[string]int{"The Godfather": 3, "The Godfather Part II": 2, "Godzilla": 1, "Akira Kurosawa": 1, "The Lord of the Rings": 4, "O'Brien's Godson": 1, "Straße nach Süden": 1,
		"東京タワー": 1, "タワーの夜景": 2, "ต้มยำกุ้ง": 1, "서울 맛집": 1} {
		l.many(t, title+"-", n, fmt.Sprintf(`{"title":%q}`, title))
	}
	l.settle(t)
	check := func(more ...string) {
		t.Helper()
		l.suggests(t, "god", append(append([]string{"Godzilla"}, more...), "The Godfather", "The Godfather Part II", "O'Brien's Godson"))
		for q, want := range map[string][]string{
			"go":                                {"Godzilla"}, // two letters are only searched at the beginning
			"godfather p":                       {"The Godfather Part II"},
			"godfather pi":                      nil,
			"p":                                 nil,
			"kuros":                             {"Akira Kurosawa"},
			"kurosawa":                          {"Akira Kurosawa"},
			"kurosaw ":                          nil, // finished
			"lord of":                           {"The Lord of the Rings"},
			"lord o":                            {"The Lord of the Rings", "O'Brien's Godson"},
			"lord of ":                          {"The Lord of the Rings"},
			"rings lord":                        {"The Lord of the Rings"},
			"the lord":                          {"The Lord of the Rings"},
			"the godf":                          {"The Godfather", "The Godfather Part II"},
			"brien":                             {"O'Brien's Godson"},
			"suden":                             {"Straße nach Süden"},
			"タワー":                               {"タワーの夜景", "東京タワー"},
			"京タ":                                {"東京タワー"},
			"京":                                 nil,
			"ยำ":                                {"ต้มยำกุ้ง"},
			"맛집":                                {"서울 맛집"},
			`god' & !x`:                         nil,
			strings.Repeat("a", 3000) + " godf": nil, // too long a word for a tsquery
			strings.Repeat("word ", 3000) + "godfath": nil,
		} {
			l.suggests(t, q, want)
		}
	}
	check()
	l.many(t, "new", 3, `{"title":"My Godmother"}`) // only in the log
	check("My Godmother")
}

// An artist of many works is suggested before the titles of a few that begin with the artist's name.
func TestSuggestFrequentByTheirWordsInside(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var titles []string
	for i := range 12 {
		titles = append(titles, fmt.Sprintf("Turner’s view %02d", i))
		l.many(t, fmt.Sprint("title-", i), 1+i/11, fmt.Sprintf(`{"title":%q}`, titles[i]))
	}
	artists := map[string]int{"J. M. W. Turner": 21, "William Turnbull": 20, "Turner": 11, "Returns": 40, "Ike (Turner-Smith)": 15}
	for name, n := range artists {
		l.many(t, name, n, fmt.Sprintf(`{"title":%q}`, name))
	}
	l.settle(t)
	frequent := titles[11] // in two documents
	for q, want := range map[string][]string{
		"turn":     slices.Concat([]string{"Turner", "J. M. W. Turner", frequent, "William Turnbull", "Ike (Turner-Smith)"}, titles[:5]),
		"turner":   slices.Concat([]string{"Turner", "J. M. W. Turner", frequent, "Ike (Turner-Smith)"}, titles[:6]),
		"turnb":    {"William Turnbull"},
		"turner v": append([]string{frequent}, titles[:9]...),
		"tu":       slices.Concat([]string{"Turner", frequent}, titles[:8]), // two letters are only searched at the beginning
	} {
		l.suggests(t, q, want)
	}
	l.many(t, "new", 1, `{"title":"William Turnbull"}`) // only in the log
	l.suggests(t, "turn", slices.Concat([]string{"Turner", "J. M. W. Turner", "William Turnbull", frequent, "Ike (Turner-Smith)"}, titles[:5]))
}

// A word with a sign between its letters comes before suggestions in many documents that only have those letters.
func TestSuggestSignsBetweenLetters(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "other", 21, `{"title":"Hermanos S.A.T."}`)
	l.many(t, "named", 1, `{"title":"AT&T Inc."}`)
	l.many(t, "within", 12, `{"title":"The AT&T Archive"}`)
	l.settle(t)
	for _, q := range []string{"AT&T", "at&t"} {
		l.suggests(t, q, []string{"The AT&T Archive", "AT&T Inc.", "Hermanos S.A.T."})
	}
}

// A last word of two letters is looked for beside a frequent word, too.
func TestSuggestShortWordsBesideFrequentOnes(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var actions []string
	for i := range 1200 {
		actions = append(actions, fmt.Sprintf(`{"action":"create","body":{"title":"Cord %04d for hdmi"}}`, i))
	}
	for _, title := range []string{"Fast hdmi cable", "A hdmi/café set", "Vocal hdmi", "Canon"} {
		actions = append(actions, fmt.Sprintf(`{"action":"create","body":{"title":%q}}`, title))
	}
	if _, err := l.svc.WriteBatch(t.Context(), "demo", "books", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
		t.Fatal(err)
	}
	l.settle(t)
	l.suggests(t, "hdmi ca", []string{"A hdmi/café set", "Fast hdmi cable", "Canon"})
	l.suggests(t, "hdmi v", []string{"Vocal hdmi"})
}

// A last word with a hyphen or a quote is one word, and a short one is searched after words that few suggestions have.
func TestSuggestWhatIsTypedWithMarks(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for title, n := range map[string]int{"Anker USB-C hub": 1, "Old USB cable": 2, "Fritz Wi-Fi repeater": 1, "Kids T-shirt": 1, "Brother LC-11 ink": 1, `LG 55" TV`: 1, "Philips 55PUS TV": 2, "HDMI cable 2 m": 1, "USB-C cable": 1} {
		l.many(t, strings.ReplaceAll(title, `"`, "")+"-", n, fmt.Sprintf(`{"title":%q}`, title))
	}
	l.settle(t)
	check := func(more ...string) {
		t.Helper()
		for q, want := range map[string][]string{
			"usb-c":     append(append([]string{"USB-C cable"}, more...), "Anker USB-C hub", "Old USB cable"),
			"usb-c h":   {"Anker USB-C hub", "HDMI cable 2 m"},
			"usb-c hu":  {"Anker USB-C hub"},
			"wi-fi":     {"Fritz Wi-Fi repeater"},
			"wi-f":      {"Fritz Wi-Fi repeater"},
			"t-sh":      {"Kids T-shirt"},
			"lc-11":     {"Brother LC-11 ink"},
			"lc-1":      {"Brother LC-11 ink"},
			"tv 55":     {`LG 55" TV`, "Philips 55PUS TV"}, // those with 55 come first
			"tv 5":      {"Philips 55PUS TV", `LG 55" TV`},
			`55"`:       nil, // numbers are not counted
			"55":        nil,
			`tv 55"`:    {`LG 55" TV`, "Philips 55PUS TV"},
			"cable 2":   {"HDMI cable 2 m"},
			"cable 2 m": {"HDMI cable 2 m"},
			"tv-":       {"Philips 55PUS TV", `LG 55" TV`},
			"tv":        nil,
		} {
			l.suggests(t, q, want)
		}
	}
	check()
	l.many(t, "new", 3, `{"title":"Zagg USB-C"}`) // only in the log
	check("Zagg USB-C")
}

// A word typed without its apostrophe or hyphen suggests values that have it as two words.
func TestSuggestWhatIsWrittenApart(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for title, n := range map[string]int{"Ocean's Twelve": 1, "Ocean’s Eleven": 2, "Elevens": 1, "Spider-Man": 1, "Don’t Look Now": 1, "St. Paul’s Cathedral": 1, "USB-C cable": 1, "Kingsmen": 1, "The King's Speech": 1,
		"Catalogue": 1, "Ein Fuß-Ball": 1, "東京タワー": 1, "J.R.R. Tolkien": 1} {
		l.many(t, title+"-", n, fmt.Sprintf(`{"title":%q}`, title))
	}
	l.settle(t)
	check := func(more ...string) {
		t.Helper()
		for q, want := range map[string][]string{
			"oceans":                 {"Ocean’s Eleven", "Ocean's Twelve"},
			"oceans eleven":          {"Ocean’s Eleven", "Elevens"},
			"oceans elev":            {"Ocean’s Eleven", "Elevens"},
			"oceanst":                nil,
			"kings":                  {"Kingsmen", "The King's Speech"},
			"kings ":                 {"The King's Speech"},
			"kings spee":             {"The King's Speech"},
			"spiderman":              append(slices.Clone(more), "Spider-Man"),
			"spiderm":                nil, // a second part that goes on must have four letters
			"dont look":              {"Don’t Look Now"},
			"st pauls cat":           {"St. Paul’s Cathedral", "Catalogue"},
			"usbc ":                  {"USB-C cable"},
			"usbc cab":               {"USB-C cable"},
			"fussb":                  nil,
			"fussball":               {"Ein Fuß-Ball"},
			"jrr":                    {"J.R.R. Tolkien"},
			"jrr tolk":               {"J.R.R. Tolkien"},
			"cableusb":               nil, // in the wrong order
			"mannow":                 nil, // in different suggestions
			"spiderman' | !":         append(slices.Clone(more), "Spider-Man"),
			strings.Repeat("ab", 90): nil,
		} {
			l.suggests(t, q, want)
		}
	}
	check()
	l.many(t, "new", 1, `{"title":"Spider Man"}`) // only in the log
	check("Spider Man")
}

// If more suggestions have a prefix than are sorted, the most frequent are still found.
func TestSuggestManyWithOnePrefix(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	batch := []string{}
	for i := range 1500 {
		batch = append(batch, fmt.Sprintf(`{"action":"create","body":{"title":["title %04d","other %04d","title %04d","title %d often"]}}`, i, i/3, i/7%100*9, i*i%12))
	}
	if _, err := l.svc.WriteBatch(t.Context(), "demo", "books", []byte("["+strings.Join(batch, ",")+"]")); err != nil {
		t.Fatal(err)
	}
	l.settle(t)
	counts := map[string]int{}
	for i := range 1500 {
		values := map[string]bool{fmt.Sprintf("title %04d", i): true, fmt.Sprintf("other %04d", i/3): true, fmt.Sprintf("title %04d", i/7%100*9): true,
			fmt.Sprintf("title %d often", i*i%12): true}
		for v := range values {
			counts[v]++
		}
	}
	for _, q := range []string{"t", "title", "title ", "title 0", "o", "title 12"} {
		l.suggests(t, q, suggestedBy(counts, q, 10))
	}
}

// suggests checks the suggestions for q.
func (l *library) suggests(t *testing.T, q string, want []string) {
	t.Helper()
	got, _, err := l.Suggest(t.Context(), l.ix, l.version(t), q, 10)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%.20q (-want +got):\n%s", q, diff)
	}
}

// newWaiting returns a library that suggests Moby Dick while the given number of other documents wait to be processed.
func newWaiting(t *testing.T, documents int) *library {
	t.Helper()
	l := newLibrary(t)
	l.many(t, "a", 5, `{"title":"Moby Dick"}`)
	l.settle(t)
	l.many(t, "b", documents, `{"title":"Other"}`)
	return l
}

// suggestsBeside checks that earlier suggestions are found, and that the search has not processed the waiting documents.
func (l *library) suggestsBeside(t *testing.T, documents int) {
	t.Helper()
	l.suggests(t, "mob", []string{"Moby Dick"})
	if n := l.one(t, logLength); n != documents {
		t.Errorf("%d rows are in the log, not %d", n, documents)
	}
}

// Existing suggestions are found while more documents wait than a search processes itself.
func TestSuggestWhileTheLogIsLong(t *testing.T) {
	t.Parallel()
	newWaiting(t, 1100).suggestsBeside(t, 1100)
}

// They are also found while another server is at the step that would process what was just written.
func TestSuggestDuringAStepOfAnother(t *testing.T) {
	t.Parallel()
	// More documents than a search reads itself at first, and more than it ever does.
	for _, waiting := range []int{9, 201} {
		l := newWaiting(t, waiting)
		release := holding(t, l.db, fmt.Sprintf("SELECT pg_advisory_xact_lock(%s, %d)", store.DeriveLockClass, l.ix.ID))
		l.suggestsBeside(t, waiting)
		release()
		l.suggests(t, "oth", []string{"Other"})
	}
}

// A search does not read very many suggestions of one document from the log; it has them processed.
func TestSuggestManyOfOneDocument(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf("%q", fmt.Sprintf("Volume %d of all", i)))
	}
	l.many(t, "many", 1, `{"title":[`+strings.Join(many, ",")+`]}`)
	if _, _, err := l.Suggest(t.Context(), l.ix, l.version(t), "volume 4999", 10); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an empty log", func() bool { return l.one(t, logLength) == 0 }) // the search itself waits for that at most a second
	l.suggests(t, "volume 4999", []string{"Volume 4999 of all"})
}

// suggestedBy returns what Suggest must return for a query of one prefix, by its definition.
func suggestedBy(counts map[string]int, q string, limit int) []string {
	type group struct {
		key, value string
		best, n    int
	}
	groups := map[string]*group{}
	for value, n := range counts {
		key := strings.Join(strings.Fields(analysis.Fold(value)), " ")
		g, ok := groups[key]
		if !ok {
			g = &group{key: key}
			groups[key] = g
		}
		g.n += n
		if n > g.best || n == g.best && value < g.value {
			g.best, g.value = n, value
		}
	}
	var list []*group
	for _, g := range groups {
		if strings.HasPrefix(g.key, analysis.Fold(q)) {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b *group) int { return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.key, b.key)) })
	var values []string
	for _, g := range list[:min(limit, len(list))] {
		values = append(values, g.value)
	}
	return values
}

// Whatever is written and removed, the suggestions are those of the existing documents.
func TestSuggestionsAreExact(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	ctx := t.Context()
	ids := []string{"1", "2", "3", "4", "5"}
	titles := rapid.SampledFrom([]string{"Ape", "ape", "APE", "Äpe", "bee", "Bee", " bee", "cat", "a b", "a  b", "", "   "})
	version := l.version(t)
	rapid.Check(t, func(t *rapid.T) {
		// Each run begins with deletions, so that there is nothing.
		var removals []string
		for _, id := range ids {
			removals = append(removals, `{"action":"delete","_id":"`+id+`"}`)
		}
		if _, err := l.svc.WriteBatch(ctx, "demo", "books", []byte("["+strings.Join(removals, ",")+"]")); err != nil {
			t.Fatal(err)
		}
		documents := map[string][]string{}
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			var actions []string
			for range rapid.IntRange(1, 8).Draw(t, "actions") {
				id := rapid.SampledFrom(ids).Draw(t, "id")
				if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
					actions = append(actions, `{"action":"delete","_id":"`+id+`"}`)
					delete(documents, id)
					continue
				}
				given := rapid.SliceOfN(titles, 0, 3).Draw(t, "titles")
				body, err := json.Marshal(given)
				if err != nil {
					t.Fatal(err)
				}
				actions = append(actions, `{"action":"upsert","_id":"`+id+`","body":{"title":`+string(body)+`}}`)
				documents[id] = given
			}
			if _, err := l.svc.WriteBatch(ctx, "demo", "books", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "settle") {
				if err := l.SettleSlowly(ctx, l.ix, 3); err != nil {
					t.Fatal(err)
				}
			}
		}
		counts := map[string]int{}
		for _, given := range documents {
			distinct := map[string]bool{}
			for _, title := range given {
				// A document counts once, in its first spelling.
				if v := strings.TrimSpace(title); v != "" && !distinct[store.SuggestionKey(v)] {
					distinct[store.SuggestionKey(v)] = true
					counts[v]++
				}
			}
		}
		for _, q := range []string{"a", "b", "c", "ape", "a b"} {
			got, _, err := l.Suggest(ctx, l.ix, version, q, 10)
			if err != nil {
				t.Fatal(err)
			}
			want := suggestedBy(counts, q, 10)
			if q == "a b" {
				// Those that begin with its last word come after those that begin with the whole.
				want = append(want, suggestedBy(counts, "b", 10)...)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%q (-want +got):\n%s", q, diff)
			}
		}
	})
}

// Persian writes endings after an invisible character, for which many people type a space, or nothing.
func TestSuggestionsWithSpacesNobodySees(t *testing.T) {
	t.Parallel()
	unseen := func(text string) string { return strings.ReplaceAll(text, "_", "\u200c") }
	s := newSite(t)
	s.create(t, "books", "title completion")
	for i, title := range []string{"می_خواهم زنده بمانم", "نامه_های من", "آن کتاب_ها"} {
		s.put(t, "books", fmt.Sprint(i), `{"title":"`+unseen(title)+`"}`)
	}
	for q, want := range map[string]string{
		"می_خواهم": "می_خواهم زنده بمانم", "میخواه": "می_خواهم زنده بمانم", "می خواه": "می_خواهم زنده بمانم", "می خواهم زنده": "می_خواهم زنده بمانم",
		"نامه های ": "نامه_های من", "کتاب ها": "آن کتاب_ها", "آن کتاب ها": "آن کتاب_ها",
	} {
		got, err := s.svc.Suggest(t.Context(), demo, "books", unseen(q))
		if err != nil || len(got.Autocomplete) == 0 || got.Autocomplete[0] != unseen(want) {
			t.Errorf("%q suggests %q (%v), want %q", q, got.Autocomplete, err, want)
		}
	}
}
