package store_test

import (
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Programming languages and the like are words including their signs, in every field that has words.
func TestWordsWithSigns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "jobs", "title sentence", "name name", "text html", "tags tags")
	s.put(t, "jobs", "c", `{"title":"Developer in C"}`, "cpp", `{"title":"C++ developer","tags":["C++","g++"]}`, "cpp17", `{"rest":"Modern c++17"}`,
		"both", `{"name":"C/C++ engineer"}`, "and", `{"name":"C and C#"}`, "csharp", `{"text":"<p>Senior (<b>C</b>&#35;)</p>"}`, "dotnet", `{"title":"C#/.NET"}`,
		"tag", `{"tags":["Learn F#","#go"]}`, "minor", `{"title":"Sonata in C# minor"}`, "node", `{"title":"node.js"}`, "pad", `{"title":"Notepad++ guide#x"}`,
		"fridge", `{"title":"Fridge A+++"}`, "named", `{"title":"csharp tips, Obj-C++"}`)
	for query, want := range map[string]string{
		"c++ ":        "both cpp cpp17 named",
		"C++":         "both cpp cpp17 named",
		"c+":          "and both c cpp cpp17 named", // while being typed, and possibly a grade
		"c++17 ":      "cpp17",
		"c++1":        "cpp17",
		"cplusplus ":  "both cpp cpp17 named",
		"c ":          "and both c",
		"c/c++ ":      "both",
		"C#":          "and csharp dotnet minor named",
		"csharp":      "and csharp dotnet minor named",
		"c# minor ":   "minor",
		"c#/.net ":    "dotnet",
		".net ":       "dotnet",
		"c/c# ":       "and", // no document has these next to each other
		"f# ":         "tag",
		"go ":         "tag",
		"#go ":        "tag",
		"g++ ":        "cpp",
		"j# ":         "",
		"node.js ":    "node",
		"notepad++ ":  "pad",
		"guide#x ":    "pad",
		"a++ ":        "fridge",
		"a+++ ":       "fridge",
		"a+":          "fridge",
		`"c++ dev" `:  "",
		"-c++ devel":  "c",
		"c-plus-plus": "both cpp cpp17 named",
	} {
		if got := s.found(t, "jobs", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	s.put(t, "jobs", "gpp", `{"title":"b++"}`)
	if got := s.found(t, "jobs", forWords("d++ "), matching(service.MatchAll)); got != "" {
		t.Errorf("another letter is taken for a slip: found %q", got)
	}
	hits := s.search(t, "jobs", forWords("c++ c# ")).Hits
	var marked []string
	for _, h := range hits {
		for _, name := range []string{"title", "name", "text", "tags", "rest"} {
			marked = append(marked, h.Highlight[name]...)
		}
	}
	got := strings.Join(marked, "\n")
	for _, want := range []string{"<b>C++</b> developer", "<b>C++</b>", "Modern <b>c++</b>17", "C/<b>C++</b> engineer", "C and <b>C#</b>", "Senior (<b>C#</b>)", "<b>C#</b>/.NET"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not among the highlights:\n%s", want, got)
		}
	}
}

// A word with signs finds parts of identifiers, emails and paths only if they have the signs.
func TestPartsWithSigns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence", "code identifier", "mail email", "place path")
	s.put(t, "things", "book", `{"title":"C++ book"}`, "code", `{"code":"X-C"}`, "mail", `{"mail":"c@d.org"}`, "place", `{"place":"/a/c"}`,
		"code++", `{"code":"X-C++"}`, "mail++", `{"mail":"c++@d.org"}`, "place++", `{"place":"/a/c++"}`, "17", `{"code":"C17"}`, "sharp", `{"place":"/c#"}`)
	for query, want := range map[string]string{
		"c++ ":      "book code++ mail++ place++",
		"c++":       "book code++ mail++ place++",
		"(c++), ":   "book code++ mail++ place++",
		"-c++ ":     "17 code mail place sharp",
		"c# ":       "sharp",
		"c++17 ":    "",
		"c ":        "code mail place",
		"/a/c++. ":  "book place++", // as a path, and by its words
		"x-c++ ":    "code++",
		"<c@d.org>": "mail",
	} {
		if got := s.found(t, "things", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

// Suggestions are found by the words with signs that they have inside.
func TestSuggestWordsWithSigns(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a-", 1, `{"title":"Effective C++"}`)
	l.many(t, "b-", 1, `{"title":"The C Book"}`)
	l.settle(t)
	l.suggests(t, "c++", []string{"Effective C++"})
}
