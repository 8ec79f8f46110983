package dashboard

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service/mapping"
)

// The heading of a hit is its first mapped text.
func TestHeadings(t *testing.T) {
	t.Parallel()
	mappings := []mapping.Mapping{
		{Name: "sku", Type: mapping.Keyword}, {Name: "title", Type: mapping.Sentence}, {Name: "author.name", Type: mapping.Name},
		{Name: "names", Type: mapping.Completion}, {Name: "blurb", Type: mapping.Text}, {Name: "page", Type: mapping.HTML},
	}
	long := strings.Repeat("word ", 60)
	for name, test := range map[string]struct {
		body       string
		highlights []highlightRow
		heading    string
		marked     string
		left       string // fields that are shown below it
	}{
		"the first":             {`{"sku":"a","title":"A <b>bold</b> title","blurb":"x"}`, nil, "A <b>bold</b> title", "", ""},
		"highlighted":           {`{"title":"a <b> & c"}`, []highlightRow{{"title", []string{"<b>a</b> &lt;b&gt; &amp; c"}}}, "a <b> & c", "<b>a</b> &lt;b&gt; &amp; c", ""},
		"highlights elsewhere":  {`{"title":"a","blurb":"b"}`, []highlightRow{{"blurb", []string{"<b>b</b>"}}}, "a", "", "blurb"},
		"blank, null and none":  {`{"title":" ","author":{"name":null},"names":[],"blurb":"b"}`, nil, "b", "", ""},
		"invisible":             {`{"title":"\u200b","blurb":"b"}`, nil, "b", "", ""},
		"a path":                {`{"author":{"name":"Ada"},"names":["x"]}`, nil, "Ada", "", ""},
		"a name with a dot":     {`{"author.name":"Eve","author":{"name":"Ada"}}`, nil, "Eve", "", ""},
		"the first of an array": {`{"names":[null,"Ada","Eve"]}`, []highlightRow{{"names", []string{"<b>Eve</b>"}}}, "Ada", "", "names"},
		"one of several":        {`{"names":["Ada","Ada II"]}`, []highlightRow{{"names", []string{"<b>Ada</b>", "<b>Ada</b> II"}}}, "Ada", "<b>Ada</b>", "names"},
		"a number":              {`{"title":1984.0}`, nil, "1984.0", "", ""},
		"lines":                 {`{"title":" two\n lines "}`, nil, "two lines", "", ""},
		"fragments":             {`{"title":` + quote(long) + `}`, []highlightRow{{"title", []string{"<b>word</b> word"}}}, shortened(strings.TrimSpace(long), maxShown), "", "title"},
		"nothing":               {`{"sku":"a","page":"<p>x</p>","other":"y"}`, nil, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := previewHit{Highlights: test.highlights}
			h.Body = json.RawMessage(test.body)
			h.head(mappings)
			var left []string
			for _, row := range h.Highlights {
				left = append(left, row.Field)
			}
			if h.Heading != test.heading || h.Marked != test.marked || strings.Join(left, " ") != test.left {
				t.Errorf("headed %q, marked %q, with %q below", h.Heading, h.Marked, left)
			}
		})
	}
}

func quote(s string) string { raw, _ := json.Marshal(s); return string(raw) }
