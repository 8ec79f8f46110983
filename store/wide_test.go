package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// PostgreSQL passes at most 100 arguments to a function, and has at most 1,600 columns in a table and 1,664 in a SELECT.
func TestManyFields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	fields := func(n int, kind string) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("f%d %s", i, kind))
		}
		return list
	}
	s.create(t, "wide", fields(330, string(mapping.LongText))...)
	s.put(t, "wide", "a", `{"f1":"river","f120":"house","f329":"mountain"}`, "b", `{"f200":"river road"}`, "c", `{"other":"river"}`)
	if got := s.found(t, "wide", forWords("river "), matching(service.MatchAll)); len(strings.Fields(got)) != 3 {
		t.Errorf("found %q", got)
	}
	hits := s.search(t, "wide", forWords("river house mountain road tree cloud "), matching(service.MatchAny), explained).Hits
	if len(hits) != 3 || len(hits[0].Explanation.Words) != 6 || len(hits[0].Explanation.Words[0].Fields) != 1 {
		t.Errorf("%+v", hits)
	}
	many := make([]string, 64)
	for i := range many {
		many[i] = fmt.Sprintf("word%d", i)
	}
	// As many words count as can be ranked in that many fields; the others are ignored.
	s.put(t, "wide", "first", `{"f1":"word0"}`, "last", `{"f1":"word63"}`)
	if got := s.found(t, "wide", forWords(strings.Join(many, " ")), matching(service.MatchAny)); got != "first" {
		t.Errorf("64 words in 331 fields find %q", got)
	}
	if got := s.search(t, "wide", forWords(strings.Join(many, " ")+" ")); got.TotalAllWords != 0 || got.Total != 1 {
		t.Errorf("64 words in 331 fields find %d, %d with all words", got.Total, got.TotalAllWords)
	}
	// The same holds for the last words of a phrase.
	s.put(t, "wide", "phrase", `{"f2":"`+strings.Join(many[:40], " ")+`"}`)
	if got := s.search(t, "wide", forWords(`"`+strings.Join(many, " ")+`"`)); strings.Join(got.IDs, " ") != "phrase" {
		t.Errorf("a phrase of 64 words in 331 fields finds %v", got.IDs)
	}
	var alike [][]string
	for i := range 4 {
		alike = append(alike, []string{"river"})
		for j := range 40 {
			alike[i] = append(alike[i], fmt.Sprintf("stream that has number %d", 40*i+j))
		}
	}
	s.synonyms(t, "wide", alike)
	if got := s.found(t, "wide", forWords("river "), matching(service.MatchAll)); len(strings.Fields(got)) != 3 {
		t.Errorf("a word with 160 long synonyms in 331 fields finds %q", got)
	}
	err := s.svc.CreateIndex(t.Context(), "demo", "wider", mappings(fields(400, string(mapping.Text))...))
	if code := service.ErrorCode(err); code != service.CodeInvalidMapping {
		t.Errorf("2,000 columns: %v", err)
	}
}

// Stop words, which names have, do not take the place of words that must be found.
func TestStopWordsInManyFields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var fields []string
	for i := range 250 {
		fields = append(fields, fmt.Sprintf("f%d name", i))
	}
	s.create(t, "wide", fields...)
	words := make([]string, 60)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", i)
	}
	s.put(t, "wide", "other", `{"f1":"The Who of a"}`, "phrase", `{"f2":"`+strings.Join(words, " ")+`"}`, "word", `{"f3":"river"}`)
	for query, want := range map[string]string{
		`the "` + strings.Join(words, " ") + `"`: "phrase",
		"the of a and in to is it be at on by or as an if so do he we me my no not but for from with this that these those what which who whom when where why how all any both each few more most other some such river ": "word",
	} {
		if got := s.found(t, "wide", forWords(query), matching(service.MatchAll)); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

// PostgreSQL keeps each former description of a table, with all of its columns, until the transaction ends: as many as there are changes of columns.
func TestMemoryToCreateAWideIndex(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "narrow", "title name") // creates the schemas
	var fields []string
	for i := range 290 {
		fields = append(fields, fmt.Sprintf("f%d sentence", i))
	}
	ix := &service.Index{Application: "demo", Name: "wide", Mappings: mappings(fields...), Settings: service.IndexSettings{Language: service.DefaultLanguage}}
	bytes, err := s.MemoryToCreate(t.Context(), ix)
	if err != nil {
		t.Fatal(err)
	}
	if bytes > 384<<20 {
		t.Errorf("PostgreSQL has taken %d MiB", bytes>>20)
	}
}

// Postings of hundreds of texts are built: for some the values are kept, for all who has them.
func TestPostingsOfManyFields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	var fields []string
	for i := range 290 {
		fields = append(fields, fmt.Sprintf("f%d sentence", i))
	}
	s.create(t, "things", fields...)
	s.many(t, "things", 60, func(i int) string {
		return fmt.Sprintf(`{"f0":"river %d","f289":"house %d","f%d":[null]}`, i%3, i%2, 1+i%5)
	})
	s.buildPostings(t)
	checked := &bothWays{Store: s.Store, t: t}
	site := &site{Store: s.Store, svc: service.New(checked, service.Config{})}
	for filter, want := range map[string]int64{"f0 EXISTS": 60, "f289 != \"house 1\"": 30, "f3 EXISTS": 12, "f100 IS NULL": 60} {
		if resp := site.search(t, "things", filtered(filter), withFacets("f0")); resp.Total != want {
			t.Errorf("%s: %d documents are found, want %d", filter, resp.Total, want)
		}
	}
	if n := checked.accelerated.Load(); n != 4 {
		t.Errorf("%d of 4 searches were answered from postings", n)
	}
}

// So are those of more values than one statement reads: of the last fields, the blocks know nothing.
func TestPostingsOfManyValues(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	fields := []string{"title sentence"}
	for i := range 399 {
		fields = append(fields, fmt.Sprintf("f%d %s", i, []mapping.Type{mapping.Bool, mapping.SearchableNumber}[i/330]))
	}
	s.create(t, "things", fields...)
	s.many(t, "things", 60, func(i int) string { return fmt.Sprintf(`{"title":"river","f0":%t,"f398":%d}`, i%2 == 0, i%2) })
	s.buildPostings(t)
	checked := &bothWays{Store: s.Store, t: t}
	site := &site{Store: s.Store, svc: service.New(checked, service.Config{})}
	for _, filter := range []string{"f0 = true", "f398 = 1"} {
		if resp := site.search(t, "things", forWords("river "), filtered(filter), withFacets("f0, f398")); resp.Total != 30 {
			t.Errorf("%s: %d documents are found, want 30", filter, resp.Total)
		}
	}
	if checked.accelerated.Load() == 0 {
		t.Error("no search was answered from postings")
	}
}
