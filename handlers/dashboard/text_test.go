package dashboard

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

func TestMarked(t *testing.T) {
	t.Parallel()
	for highlight, want := range map[string]string{
		"":                                    "",
		"a <b>b</b> c":                        "a <mark>b</mark> c",
		"<b>a</b><b>b</b>":                    "<mark>a</mark><mark>b</mark>",
		"x &lt;b&gt;y&lt;/b&gt; &amp;amp;":    "x &lt;b&gt;y&lt;/b&gt; &amp;amp;",
		"<script>alert(1)</script>":           "&lt;script&gt;alert(1)&lt;/script&gt;",
		"<b onclick=x>a</b>":                  "&lt;b onclick=x&gt;a&lt;/b&gt;",
		"<b><b>a</b></b>":                     "<mark>&lt;b&gt;a</mark>&lt;/b&gt;",
		"<b>a":                                "<mark>a</mark>",
		"a</b>":                               "a&lt;/b&gt;",
		`<b>&quot; <img src=x onerror=y></b>`: "<mark>&#34; &lt;img src=x onerror=y&gt;</mark>",
	} {
		if got := string(marked(highlight)); got != want {
			t.Errorf("marked(%q) = %q, want %q", highlight, got, want)
		}
	}
}

func TestMarkedHasNoOtherMarkup(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"<b>", "</b>", "<", ">", "b", "&lt;", "&", "script", `"`, "'", "é"})).Draw(t, "parts")
		got := string(marked(strings.Join(parts, "")))
		if strings.Count(got, "<mark>") != strings.Count(got, "</mark>") {
			t.Fatalf("unbalanced: %q", got)
		}
		rest := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(got)
		if strings.ContainsAny(rest, `<>"'`) {
			t.Fatalf("markup is left: %q", got)
		}
	})
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		sizeText(0):                                          "0 bytes",
		sizeText(1023):                                       "1023 bytes",
		sizeText(1024):                                       "1.0 KiB",
		sizeText(10 << 10):                                   "10 KiB",
		sizeText(1<<20 - 1):                                  "1.0 MiB",
		sizeText(5 << 40):                                    "5.0 TiB",
		countText[int64](999):                                "999",
		countText[int64](-1234567):                           "-1,234,567",
		countText[int64](123456):                             "123,456",
		numberText(0.5):                                      "0.5",
		numberText(9412.3):                                   "9412",
		numberText(9999.6):                                   "10,000",
		numberText(28236.9):                                  "28,237",
		latencyText(3400 * time.Microsecond):                 "3.4 ms",
		latencyText(340 * time.Millisecond):                  "340 ms",
		latencyText(12340 * time.Millisecond):                "12.3 s",
		windowText(time.Minute):                              "minute",
		windowText(90 * time.Second):                         "1m30s",
		windowText(23 * time.Second):                         "23 seconds",
		windowText(time.Hour):                                "60 minutes",
		jsonText(json.RawMessage(`"a\u00e9"`)):               "aé",
		jsonText(json.RawMessage(`12345678901234567890.10`)): "12345678901234567890.10",
		jsonText([]int{1, 2}):                                "[1,2]",
		jsonText("a "):                                       "a ",
		jsonText(""):                                         `""`,
		visible(" \t"):                                       `" \t"`,
		visible("\u200b"):                                    `"\u200b"`,
		visible(" é"):                                        " é",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestShortened(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, limit := rapid.String().Draw(t, "text"), rapid.IntRange(1, 20).Draw(t, "limit")
		got := shortened(text, limit)
		if n := utf8.RuneCountInString(text); n <= limit {
			if got != text {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		if begin, cut := strings.CutSuffix(got, "…"); !cut || !strings.HasPrefix(text, begin) || utf8.RuneCountInString(got) != limit {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// A line of the form stands for the synonym that it was made from, whatever its words are.
func TestSynonymLines(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"tv", "television set", "a, b", "=>", "[x", "{", " spaced ", "é", `"`, "a=>b", "line\nbreak"})
	words := rapid.SliceOfN(word, 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		var want service.Synonym
		if rapid.Bool().Draw(t, "one way") {
			want.From, want.To = words.Draw(t, "from"), words.Draw(t, "to")
		} else {
			want.Equivalent = append(words.Draw(t, "words"), word.Draw(t, "one more"))
		}
		line := synonymLine(want)
		list, _ := lines(line)
		if len(list) != 1 {
			t.Fatalf("%q is %d lines", line, len(list))
		}
		raw, ok := synonymJSON(list[0])
		if !ok {
			t.Fatalf("%q cannot be read", line)
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var meant, got any
		if err := errors.Join(json.Unmarshal(text, &meant), json.Unmarshal(raw, &got)); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if diff := cmp.Diff(meant, got); diff != "" {
			t.Fatalf("%q: %s", line, diff)
		}
	})
}

// The form stands for the definition that it was made from, whatever the names are.
func TestDefinitionForms(t *testing.T) {
	t.Parallel()
	name := rapid.OneOf(rapid.SampledFrom([]string{"title", "a b", "a: 3", ":", `"x`, `"x": 2`, " spaced ", "line\nbreak", "é", "\u2028", "{", "x:"}), rapid.StringN(1, 20, -1))
	weight := rapid.Float64Range(0.001, 1000)
	rapid.Check(t, func(t *rapid.T) {
		want := service.SearchDefinition{Name: "recent", Index: "films", Sort: "-year", Match: service.MatchAny,
			Fields: rapid.MapOf(name, weight).Draw(t, "fields")}
		if facets := rapid.SliceOf(name).Draw(t, "facets"); len(facets) > 0 {
			want.Facets = facets
		}
		if rapid.Bool().Draw(t, "typos off") {
			want.TypoTolerance = new(bool)
		}
		if n := rapid.IntRange(-1, 1000).Draw(t, "per page"); n >= 0 {
			want.PerPage = &n
		}
		if text := rapid.SampledFrom([]string{"", `"year > 1"`, `"a = \"<b>\""`, `{"year":{"gt":1}}`}).Draw(t, "filter"); text != "" {
			want.Filter = json.RawMessage(text)
		}
		got, err := formOf(want).definition()
		if err != nil {
			t.Fatal(err)
		}
		got.Filter = json.RawMessage(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(got.Filter)))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestShellQuote(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", "it's", `$(id) "x" \ ` + "`id`", "a\nb", "''"} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+shellQuote(text)).Output()
		if err != nil || string(out) != text {
			t.Errorf("%q became %q, %v", text, out, err)
		}
	}
}

func TestEffect(t *testing.T) {
	t.Parallel()
	old := []mapping.Mapping{{Name: "a", Type: mapping.Text}, {Name: "b", Type: mapping.Int}, {Name: "c", Type: mapping.Date}}
	got := effectOf(old, []mapping.Mapping{{Name: "c", Type: mapping.Date}, {Name: "b", Type: mapping.Long}, {Name: "d", Type: mapping.Bool}})
	want := mappingEffect{
		Added:   []mappingRow{{Mapping: mapping.Mapping{Name: "d", Type: mapping.Bool}}},
		Changed: []mappingChange{{"b", mapping.Int, mapping.Long}},
		Removed: []mappingRow{{Mapping: mapping.Mapping{Name: "a", Type: mapping.Text}}},
		Kept:    1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !effectOf(old, old).nothing() {
		t.Error("the same mappings are a change")
	}
}

func TestEveryTypeHasAMeaning(t *testing.T) {
	t.Parallel()
	for _, typ := range mapping.Types {
		if typeMeanings[typ] == "" {
			t.Errorf("%s has none", typ)
		}
	}
}

// Chosen values become a filter that says just that.
func TestChosenValues(t *testing.T) {
	t.Parallel()
	form := searchForm{Filter: "year > 1 OR year < 0", Chosen: []choice{{"tag", "it's \"x\" \\ y"}, {"in stock", true}, {"tag", "b"}, {"n", json.Number("1.50")}}}
	const want = "(year > 1 OR year < 0) AND tag IN [\"it's \\\"x\\\" \\\\ y\", \"b\"] AND `in stock` = true AND n = 1.50"
	got := form.expression()
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := filter.Parse(got); err != nil {
		t.Error(err)
	}
	for _, c := range form.Chosen {
		if back, ok := decodeChoice(c.Code()); !ok || back != c {
			t.Errorf("%v came back as %v", c, back)
		}
	}
	form.Filter = "year >"
	if got := form.expression(); got != "year >" {
		t.Errorf("a filter that is wrong was changed to %s, and its columns with it", got)
	}
}
