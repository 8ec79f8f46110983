package filter_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/filter/filtertest"
	"github.com/rowansearch/rowan/service/mapping"
)

// TestDocs parses every example of the users' page on filters, and checks what the page says about it.
func TestDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/filter-syntax.md")
	if err != nil {
		t.Fatal(err)
	}
	page := readPage(string(text))
	kindOf := filtertest.KindOf(page.mappings(t))
	bound := func(src string) (filter.Cond, error) {
		n, err := parseAny(src)
		if err != nil {
			return nil, err
		}
		return filter.Bind(n, kindOf)
	}
	if len(page.examples) == 0 {
		t.Error("the page has no examples in blocks")
	}
	for _, src := range page.examples {
		if _, err := bound(src); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
	rows := func(header string, check func(src, rest string)) {
		if len(page.tables[header]) == 0 {
			t.Errorf("no table is headed %q", header)
		}
		for _, row := range page.tables[header] {
			check(codeSpan(row[0]), row[1])
		}
	}
	rows("Write", func(src, rest string) {
		got, err := bound(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			return
		}
		// "Instead of" columns begin with a filter that means the same.
		if !strings.HasPrefix(rest, "`") || strings.Contains(rest, "does not hold") {
			return
		}
		if same := codeSpan(rest); len(strings.Fields(same)) > 1 {
			want, err := bound(same)
			if err != nil {
				t.Errorf("%s: %v", same, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s is not %s: %s", src, same, diff)
			}
		}
	})
	rows("What was sent", func(src, want string) {
		if _, err := bound(src); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", src, err, want)
		}
	})
	rows("Sort", func(src, _ string) {
		if keys, err := filter.ParseSort(src, kindOf); err != nil || len(keys) == 0 {
			t.Errorf("%s: %v, %v", src, keys, err)
		}
	})
	rows("Facets", func(src, rest string) {
		names, err := filter.ParseNames(src)
		if err != nil || "`"+strings.Join(names, "` and `")+"`" != rest {
			t.Errorf("%s: %v, %v, but the page says %s", src, names, err, rest)
		}
	})
}

func parseAny(src string) (filter.Node, error) {
	if strings.HasPrefix(src, "{") {
		return filter.ParseObject(json.RawMessage(src))
	}
	return filter.Parse(src)
}

type page struct {
	// examples are the lines of blocks marked filter, and whole blocks marked json.
	examples []string
	// tables are the rows of all tables by the first cell of their heading.
	tables map[string][][]string
}

func readPage(text string) page {
	p := page{tables: map[string][][]string{}}
	var fence, block, heading string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			fence, block = strings.TrimPrefix(line, "```"), ""
		case fence != "" && line == "```":
			if fence == "json" {
				p.examples = append(p.examples, block)
			}
			fence = ""
		case fence == "filter":
			p.examples = append(p.examples, line)
		case fence != "":
			block += line + "\n"
		case !strings.HasPrefix(line, "|"):
			heading = ""
		default:
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			switch {
			case heading == "":
				heading = cells[0]
			case !strings.HasPrefix(cells[0], "---"):
				p.tables[heading] = append(p.tables[heading], cells)
			}
		}
	}
	return p
}

// codeSpan returns the code at the beginning of a cell.
func codeSpan(cell string) string {
	marks := cell[:len(cell)-len(strings.TrimLeft(cell, "`"))]
	code, _, _ := strings.Cut(cell[len(marks):], marks)
	return strings.TrimSpace(code)
}

// mappings reads the page's table of fields, which has two fields a row.
func (p page) mappings(t *testing.T) map[string]mapping.Type {
	t.Helper()
	types := map[string]mapping.Type{}
	for _, row := range p.tables["field"] {
		for i := 0; i+1 < len(row); i += 3 {
			if name := codeSpan(row[i]); name != "" {
				types[name] = mapping.Type(codeSpan(row[i+1]))
				if !types[name].Known() {
					t.Fatalf("%s has the unknown type %s", name, types[name])
				}
			}
		}
	}
	return types
}
