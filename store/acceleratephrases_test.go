package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// counted is a search that is counted from postings.
type counted struct {
	query string
	match service.Match
	want  int64
}

// checkCounts fills an index with documents, each many times, and compares what postings and the plain statement count.
func checkCounts(t *testing.T, documents []string, searches []counted) {
	t.Helper()
	ctx := context.Background()
	st, checked, svc := newChecked(t, 6, 15, 40)
	if err := svc.CreateIndex(ctx, "demo", "things", acceleratedMappings); err != nil {
		t.Fatal(err)
	}
	actions := make([]string, 40*len(documents))
	for i := range actions {
		actions[i] = fmt.Sprintf(`{"action":"upsert","_id":"%d","body":%s}`, i, documents[i%len(documents)])
	}
	if _, err := svc.WriteBatch(ctx, "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
		t.Fatal(err)
	}
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	for _, c := range searches {
		before := checked.accelerated.Load()
		resp, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: c.query, Match: c.match, PerPage: new(int)})
		if err != nil {
			t.Fatal(err)
		}
		if resp.Total != c.want || checked.accelerated.Load() == before {
			t.Errorf("%s: found %d, want %d, from postings: %v", c.query, resp.Total, c.want, checked.accelerated.Load() > before)
		}
	}
}

// Two phrases of a query may have the same lexemes in different fields: walks river in stemmed texts, and walk river in names. Each is only found in
// its own fields.
func TestPhrasesOfTheSameLexemesInOtherFields(t *testing.T) {
	checkCounts(t, []string{`{"author":"walk river"}`, `{"author":"walks river"}`, `{"title":"walk river"}`, `{"title":"walks river"}`, `{"title":"river walks walk"}`}, []counted{
		{`"walk river" -"walks river"`, service.MatchAll, 40},
		{`"walks river" "walk river"`, service.MatchAll, 80},
		{`"walks river" "walk river"`, service.MatchAny, 160},
		{`"walks river"`, service.MatchAll, 120},
	})
}

// Parts of a hyphenated word are words of texts, categories and tags, but not of keywords, even if a keyword is the same whole value as a tag.
func TestPartsOfWordsAreNoKeywords(t *testing.T) {
	checkCounts(t, []string{`{"brand":"river"}`, `{"tags":["river"]}`, `{"title":"stone"}`, `{"title":"river stone"}`, `{"title":"tree"}`}, []counted{
		{"river-stone ", service.MatchAny, 120},
		{"river ", service.MatchAny, 120},
	})
}
