package store_test

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// In suggestions, words that the index does not know, or that are rare and close to a frequent one, stand for those closest to them, if no suggestion has
// all words as typed.
func TestSuggestWhatIsMisspelled(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for title, n := range map[string]int{"Weeping Woman": 2, "Woman at a Window": 3, "Women's March": 1, "The Artist’s Mother": 1, "Venice": 2, "Sunset over Venice": 1, "Sunset": 30, "Mothers": 1, "A Bigger Splash": 1, "Weaving": 1, "Zebrafish Kenya": 1, "Kenya": 2, "Wean": 1, "Sunsot": 1, "Neutron": 3, "Neutron stars": 2, "Neutrino": 2, "Neutrino mass": 1, "Peter": 4, "Power": 3, "Porter": 3, "Potter": 1, "Harry Potter": 1} {
		l.many(t, title+"-", n, fmt.Sprintf(`{"title":%q}`, title))
	}
	l.settle(t)
	strict := false
	for _, d := range []service.SearchDefinition{{Name: "strict", Index: "books", TypoTolerance: &strict}, {Name: "shelf", Index: "books"}} {
		if _, err := l.svc.PutSearch(t.Context(), "demo", d); err != nil {
			t.Fatal(err)
		}
	}
	suggests := func(name, q string, want ...string) {
		t.Helper()
		got, err := l.svc.Suggest(t.Context(), demo, name, q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(append([]string{}, want...), got.Autocomplete); diff != "" {
			t.Errorf("%s, %q (-want +got):\n%s", name, q, diff)
		}
	}
	for _, name := range []string{"books", "shelf"} {
		suggests(name, "venise", "Venice", "Sunset over Venice")
		suggests(name, "venise sunset", "Sunset over Venice", "Sunset") // those with only the last word come after it
		suggests(name, "weping woman", "Weeping Woman", "Woman at a Window")
		suggests(name, "weeping womn", "Weeping Woman", "Woman at a Window", "Women's March")
		suggests(name, "artists mothr", "The Artist’s Mother", "Mothers")
		suggests(name, "biger spla", "A Bigger Splash")
		suggests(name, "spals", "A Bigger Splash")                     // unfinished
		suggests(name, "spals ")                                       // finished, and not a word
		suggests(name, "weav", "Weaving")                              // begins a word, so it is not a typo
		suggests(name, "woman sunset", "Sunset", "Sunset over Venice") // both are known
		suggests(name, "xyzzy qwertz")
		suggests(name, "harry poter", "Harry Potter", "Peter", "Porter", "Power") // of the words close to it, the one that is beside harry
	}
	suggests("books", "sunset weav", "Weaving")                                           // not Wean
	suggests("books", "zerba kenya", "Kenya")                                             // a finished word does not mean zebrafish
	suggests("books", "neutrno", "Neutron", "Neutrino", "Neutron stars", "Neutrino mass") // both may be meant
	suggests("books", "neutrno masss", "Neutrino mass")
	suggests("books", "sunsot", "Sunsot")
	suggests("books", "sunsot venice", "Sunset over Venice", "Venice") // one book has the slip, too
	suggests("books", "a venise sunset over", "Sunset over Venice")
	suggests("strict", "venise")
	suggests("strict", "venise sunset", "Sunset", "Sunset over Venice")
	suggests("strict", "veni", "Venice", "Sunset over Venice")
	l.many(t, "new", 1, `{"title":"Zanzibar"}`) // only in the log
	suggests("books", "zanzibra", "Zanzibar")

	found, err := l.svc.Search(t.Context(), demo, "books", service.SearchRequest{Query: "venise sunset"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{"Sunset over Venice", "Sunset"}, found.Autocomplete); diff != "" {
		t.Errorf("a search (-want +got):\n%s", diff)
	}
}

// Words that suggestions have as one are suggested by them, too, also while the last one is typed and by search answers.
func TestSuggestWhatIsWrittenTogether(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title completion")
	s.put(t, "docs", "a", `{"title":"KeepAlive"}`, "b", `{"title":"document.getElementById"}`, "c", `{"title":"Identifiers"}`, "d", `{"title":"Element"}`, "e", `{"title":"Keepers"}`)
	for q, want := range map[string]string{
		"keep alive":         "KeepAlive",
		"keep alive ":        "KeepAlive",
		"keep-alive":         "KeepAlive",
		"keep ali":           "KeepAlive",
		"keep al ":           "",
		"the keep alive":     "KeepAlive",
		"get element by id":  "document.getElementById,Identifiers",
		"document get eleme": "document.getElementById,Element",
		"get element by i":   "Identifiers", // only two words while they are typed
		"element keep alive": "KeepAlive",
		"keep keepers":       "Keepers",
	} {
		got, err := s.svc.Suggest(t.Context(), demo, "docs", q)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(got.Autocomplete, ","); got != want {
			t.Errorf("%q suggests %s, want %s", q, got, want)
		}
		found, err := s.svc.Search(t.Context(), demo, "docs", service.SearchRequest{Query: q})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(found.Autocomplete, ","); got != want {
			t.Errorf("the answer for %q suggests %s, want %s", q, got, want)
		}
	}
}

// The answers of a search have the suggestions that the endpoint gives, also where the search takes words apart, and on further pages.
func TestSuggestionsOfWordsTakenApart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "shop", "title completion")
	s.put(t, "shop", "a", `{"title":"이어폰 무선"}`, "c", `{"title":"Venice"}`, "d", `{"title":"Venice usb hub"}`, "e", `{"title":"hub for usb, Venice"}`)
	for _, query := range []string{"무선이어폰 ", "usb-d-hub venise ", "venise usb-d-hub"} {
		want, err := s.svc.Suggest(t.Context(), demo, "shop", query)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Autocomplete) == 0 {
			t.Errorf("%q has no suggestions", query)
		}
		first := s.search(t, "shop", forWords(query), func(r *service.SearchRequest) { r.PerPage = new(1) })
		second := s.search(t, "shop", forWords(query), func(r *service.SearchRequest) { r.PerPage, r.Cursor = new(1), first.Cursor })
		for i, got := range [][]string{first.Autocomplete, second.Autocomplete} {
			if diff := gocmp.Diff(want.Autocomplete, got); diff != "" {
				t.Errorf("%q, page %d (-endpoint +search):\n%s", query, i+1, diff)
			}
		}
	}
}
