package store

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenIndex has a field of each kind.
func goldenIndex() *service.Index {
	return &service.Index{ID: 7, Application: "demo", Name: "films", Version: 3, Settings: service.IndexSettings{Language: "english"}, Mappings: []mapping.Mapping{
		{Name: "title", Type: mapping.Name},
		{Name: "plot", Type: mapping.LongText},
		{Name: "genre", Type: mapping.Category},
		{Name: "code", Type: mapping.CaseSensitiveKeyword},
		{Name: "year", Type: mapping.Int},
		{Name: "price", Type: mapping.Price},
		{Name: "rating", Type: mapping.Float},
		{Name: "seen", Type: mapping.Bool},
		{Name: "shown", Type: mapping.Date},
		{Name: `o'dd "name".x`, Type: mapping.Keyword},
	}}
}

// goldenTerm is a word of the titles and the plots.
func goldenTerm(text, stem string, rarity float64) service.Term {
	one := func(l service.Lexeme, factor float64) service.Alternative {
		return service.Alternative{Sequence: []service.Lexeme{l}, Factor: factor}
	}
	return service.Term{Text: text, Repeats: 1, Rarity: rarity, Carried: rarity, Alternatives: map[mapping.Analysis][]service.Alternative{
		mapping.Plain:   {one(service.Lexeme{Text: text}, 1)},
		mapping.Stemmed: {one(service.Lexeme{Text: stem}, 1), one(service.Lexeme{Text: text, Prefix: true}, 0.8)},
	}}
}

// goldenLooked returns a term for which rows are examined.
func goldenLooked(t service.Term) service.Term {
	t.Looked = true
	return t
}

// goldenStopWord returns a word that only the titles are searched for.
func goldenStopWord() service.Term {
	return service.Term{Text: "the", Repeats: 1, Rarity: 2, Carried: 2, Stopped: true, Alternatives: map[mapping.Analysis][]service.Alternative{
		mapping.Plain: {{Sequence: []service.Lexeme{{Text: "the"}}, Factor: 1}},
	}}
}

// goldenBegun returns a stop word that may be the beginning of a word: texts do not have it as it is.
func goldenBegun() service.Term {
	return service.Term{Text: "th", Repeats: 1, Rarity: 2, Carried: 2, Alternatives: map[mapping.Analysis][]service.Alternative{
		mapping.Stemmed: {{Sequence: []service.Lexeme{{Text: "theatr"}}, Factor: 0.4}},
	}}
}

func goldenPhrase() service.Term {
	return service.Term{Text: "it's a dog", Repeats: 2, Rarity: 3, Carried: 3, Alternatives: map[mapping.Analysis][]service.Alternative{
		mapping.Plain:   {{Sequence: []service.Lexeme{{Text: "it's"}, {Text: `a\b`}, {Text: "dog"}}, Factor: 1}},
		mapping.Stemmed: {{Sequence: []service.Lexeme{{Text: "it'"}, {Text: "dog", Gap: 2}}, Factor: 1}},
	}}
}

func bound(t *testing.T, ix *service.Index, expression string) filter.Cond {
	t.Helper()
	node, err := filter.Parse(expression)
	if err != nil {
		t.Fatal(err)
	}
	cond, err := filter.Bind(node, func(name string) mapping.Kind {
		if m, ok := ix.Mapping(name); ok {
			return m.Type.Info().Kind
		}
		return mapping.KindUnmapped
	})
	if err != nil {
		t.Fatal(err)
	}
	return cond
}

func sorted(t *testing.T, ix *service.Index, expression string) []filter.SortKey {
	t.Helper()
	keys, err := filter.ParseSort(expression, func(name string) mapping.Kind {
		if m, ok := ix.Mapping(name); ok {
			return m.Type.Info().Kind
		}
		return mapping.KindUnmapped
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// The statements of the main kinds of searches. A change in one changes how the database is used: look at it, measure it, and update the files with
// -update.
func TestSearchSQL(t *testing.T) {
	t.Parallel()
	ix := goldenIndex()
	text := func(s string) *string { return &s }
	for name, plan := range map[string]service.Plan{
		"everything": {Match: service.MatchAll},
		"nothing":    {Match: service.MatchAll, Nothing: true},
		"count_only": {Match: service.MatchAll, Limit: -1},
		"all_words":  {Match: service.MatchAll, All: true, Terms: []service.Term{goldenTerm("dogs", "dog", 2), goldenTerm("park", "park", 1.5)}},
		"looked_at":  {Match: service.MatchAll, All: true, Terms: []service.Term{goldenLooked(goldenTerm("dogs", "dog", 2)), goldenTerm("park", "park", 1.5)}},
		"stop_word":  {Match: service.MatchAll, All: true, Terms: []service.Term{goldenStopWord()}},
		"begun_stop": {Match: service.MatchAll, Fields: []service.Field{{Name: "genre", Analysis: mapping.Stemmed, Weight: 2, Title: true, Measured: true}},
			Terms: []service.Term{goldenTerm("dogs", "dog", 2), goldenBegun()}},
		"any_words": {Match: service.MatchAny, All: true, Threshold: 0.1, Terms: []service.Term{goldenTerm("dogs", "dog", 2), goldenTerm("park", "park", 1.5)}},
		"phrase":    {Match: service.MatchAll, All: true, Terms: []service.Term{goldenPhrase()}},
		"exclusion": {Match: service.MatchAll, All: true, Terms: []service.Term{goldenTerm("dogs", "dog", 2)}, Excluded: []service.Term{goldenPhrase(), goldenTerm("cats", "cat", 0)}},
		"fields":    {Match: service.MatchAll, Fields: []service.Field{{Name: "title", Analysis: mapping.Plain, Weight: 3, Title: true}}, Terms: []service.Term{goldenTerm("dogs", "dog", 2)}},
		"explain":   {Match: service.MatchAll, All: true, Explain: true, Terms: []service.Term{goldenTerm("dogs", "dog", 2)}},
		"sort":      {Match: service.MatchAll, Sort: sorted(t, ix, "year, -title, genre, free desc")},
		"cursor":    {Match: service.MatchAll, Sort: sorted(t, ix, "-year, title"), After: &service.Cursor{Place: []*string{text("1984"), nil, text("1"), text("x")}}},
		"sorted_words": {Match: service.MatchAll, All: true, Terms: []service.Term{goldenTerm("dogs", "dog", 2)}, Sort: sorted(t, ix, "-year"),
			After: &service.Cursor{Place: []*string{text("1984"), text("0.5"), text("x")}}},
		"shown": {Match: service.MatchAll, After: &service.Cursor{Shown: []string{"x", "y"}}},
		"by_score": {Match: service.MatchAny, All: true, Threshold: 0.1, Sort: sorted(t, ix, "year, _score asc, -genre"),
			Terms: []service.Term{goldenTerm("dogs", "dog", 2), goldenTerm("park", "park", 1.5)}},
		"numbers": {Match: service.MatchAll, Filter: bound(t, ix, `rating >= 1.5 AND (rating = 1e400 OR rating > -1e400 OR rating > 1e400)
			AND year:[-2147483648 TO 2147483647] AND (year > -2147483649 OR year < -2147483648.5 OR year = 2147483648)`)},
		"by_id":  {Match: service.MatchAll, All: true, Terms: []service.Term{goldenTerm("dogs", "dog", 2)}, Sort: sorted(t, ix, "-_id")},
		"facets": {Match: service.MatchAll, Facets: []string{"genre", "year", "shown", "seen", "free"}},
		"disjunctive": {Match: service.MatchAll, Facets: []string{"genre", "code", "year"}, Filter: bound(t, ix, "seen = true"),
			Own: map[string]filter.Cond{"genre": bound(t, ix, "genre = Drama"), "code": bound(t, ix, "code IN [a, b]")}},
		"filter": {Match: service.MatchAll, Filter: bound(t, ix, `genre = "Drama > Crime" AND (year 1950 TO 1960 OR price > 9.99) AND NOT title STARTS WITH the AND shown <= 2024-05
			AND plot EXISTS AND _id != x AND code = A AND seen = true AND free > 3 AND free = 10 AND year:{1.5 TO 99999999999] AND `+"`o'dd \"name\".x`"+` = red`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plan
			p.Index = ix
			switch {
			case p.Limit == 0:
				p.Limit = 10
			case p.Limit < 0:
				p.Limit = 0
			}
			if p.Fields == nil {
				p.Fields = service.SearchedFields(ix)
			}
			st := searchsql.Search(table.ShapeOf(ix), &p, searchsql.Ranking{AverageLength: 100})
			for i := range st.Args {
				if !regexp.MustCompile(fmt.Sprintf(`\$%d\b`, i+1)).MatchString(st.SQL) {
					t.Errorf("parameter %d is not used, which PostgreSQL refuses", i+1)
				}
			}
			golden(t, name, spelled(st))
		})
	}
}

func TestTableSQL(t *testing.T) {
	t.Parallel()
	ix := goldenIndex()
	ix.Settings.Autocomplete.Fields = []string{"title"}
	sh := table.ShapeOf(ix)
	golden(t, "table", strings.Join(slices.Concat(sh.CreateTable(sh.Table), sh.CreateIndexes(sh.Table), createTriggers(sh, 7)), ";\n")+";\n")
}

// spelled returns a statement with its parameters.
func spelled(st sqltext.Statement) string {
	var b strings.Builder
	b.WriteString(st.SQL + ";\n")
	for i, a := range st.Args {
		switch v := a.(type) {
		case *string:
			if v == nil {
				a = nil
			} else {
				a = *v
			}
		case time.Time:
			a = v.UTC().Format(time.RFC3339Nano)
		}
		fmt.Fprintf(&b, "-- $%d = %v\n", i+1, a)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".sql")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
