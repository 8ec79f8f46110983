package filter_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/filter/filtertest"
	"github.com/rowansearch/rowan/service/mapping"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, parse := range map[string]func(string) (filter.Node, error){
		"strings": filter.Parse,
		"objects": func(s string) (filter.Node, error) { return filter.ParseJSON(json.RawMessage(s)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			for _, src := range lines(t, filepath.Join("testdata", "golden", name+".filter")) {
				fmt.Fprintf(&got, "%s\n%s\n", src, outcome(src, parse))
			}
			golden := filepath.Join("testdata", "golden", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("-want +got (go test -run Golden -update writes it):\n%s", diff)
			}
		})
	}
}

// lines returns the lines of a file that are neither empty nor comments.
func lines(t testing.TB, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// outcome describes what becomes of a filter: how it prints, and what it is bound to or what is wrong with it.
func outcome(src string, parse func(string) (filter.Node, error)) string {
	n, err := parse(src)
	if err != nil {
		return "  syntax: " + err.Error() + "\n"
	}
	out := "  prints: " + n.String() + "\n"
	c, err := filter.Bind(n, filtertest.KindOf(filtertest.Types))
	if err != nil {
		return out + "  error:  " + err.Error() + "\n"
	}
	return out + "  means:  " + describe(c) + "\n"
}

var kinds = map[mapping.Kind]string{
	mapping.KindUnmapped: "unmapped", mapping.KindFolded: "folded", mapping.KindExact: "exact",
	mapping.KindLevels: "levels", mapping.KindNumber: "number", mapping.KindBool: "bool", mapping.KindDate: "date",
	mapping.KindPresence: "presence", mapping.KindID: "id",
}

func describe(c filter.Cond) string {
	switch c := c.(type) {
	case filter.And:
		return "and" + describeAll(c)
	case filter.Or:
		return "or" + describeAll(c)
	case filter.Not:
		return "not(" + describe(c.Cond) + ")"
	case filter.Exists:
		return fmt.Sprintf("exists(%s:%s)", c.Field, kinds[c.Kind])
	case filter.Equal:
		var values []string
		for _, v := range c.Values {
			values = append(values, describeValue(c.Kind, v))
		}
		return fmt.Sprintf("equal(%s:%s, %s)", c.Field, kinds[c.Kind], strings.Join(values, ", "))
	case filter.Range:
		low, high, open, end := "-", "-", "[", "]"
		if c.Low != nil {
			low = describeValue(c.Kind, *c.Low)
		}
		if c.High != nil {
			high = describeValue(c.Kind, *c.High)
		}
		if c.LowOpen {
			open = "("
		}
		if c.HighOpen {
			end = ")"
		}
		return fmt.Sprintf("range(%s:%s, %s%s, %s%s)", c.Field, kinds[c.Kind], open, low, high, end)
	case filter.Prefix:
		return fmt.Sprintf("prefix(%s:%s, %s)", c.Field, kinds[c.Kind], describeValue(c.Kind, c.Value))
	}
	panic("unknown Cond")
}

func describeAll(conds []filter.Cond) string {
	var members []string
	for _, c := range conds {
		members = append(members, describe(c))
	}
	return "(" + strings.Join(members, ", ") + ")"
}

func describeValue(kind mapping.Kind, v filter.Value) string {
	switch kind {
	case mapping.KindNumber:
		return v.Number
	case mapping.KindBool:
		return fmt.Sprint(v.Bool)
	case mapping.KindDate:
		return v.Time.Format(time.RFC3339Nano)
	case mapping.KindUnmapped:
		var alternatives []string
		if v.JSON.Has(filter.JSONString) {
			alternatives = append(alternatives, fmt.Sprintf("%q", v.Text))
		}
		if v.JSON.Has(filter.JSONNumber) {
			alternatives = append(alternatives, v.Number)
		}
		if v.JSON.Has(filter.JSONBool) {
			alternatives = append(alternatives, fmt.Sprint(v.Bool))
		}
		return strings.Join(alternatives, "|")
	}
	return fmt.Sprintf("%q", v.Text)
}
