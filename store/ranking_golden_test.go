package store_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/examples"
	"github.com/rowansearch/rowan/service"
)

const rankingGolden = "testdata/ranking.golden"

// rankedQueries are queries that a person might make for the films: words, names, typos, prefixes, sentences, other scripts.
var rankedQueries = []string{
	"kurosawa samurai", "star wars", "star w", "godfahter", "the lord of the rings", "amelie", "paris love", "war",
	"a boy and his dog", "hitchcock", "\"seven samurai\"", "bicycle -thieves", "alien OR predator", "七人の侍",
	"man who knew too much", "scince fiction", "robot", "new york taxi driver", "french comedy", "the",
}

// TestRankedLists shows the effect of a ranking change on lists that a person can judge: look at the difference before updating the file with
// -update.
func TestRankedLists(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	mappings, err := examples.FilmMappings()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.svc.CreateIndex(ctx, "demo", "films", mappings); err != nil {
		t.Fatal(err)
	}
	var actions []json.RawMessage
	for _, film := range examples.Films() {
		var id struct {
			ID string `json:"_id"`
		}
		if err := json.Unmarshal(film, &id); err != nil {
			t.Fatal(err)
		}
		actions = append(actions, json.RawMessage(fmt.Sprintf(`{"action":"upsert","_id":%q,"body":%s}`, id.ID, film)))
	}
	batch, err := json.Marshal(actions)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.svc.WriteBatch(ctx, "demo", "films", batch); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, q := range rankedQueries {
		five := 5
		resp, err := s.svc.Search(ctx, service.Principal{Application: "demo"}, "films", service.SearchRequest{Query: q, PerPage: &five})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: %d found (%s)\n", q, resp.Total, resp.Params.Match)
		for _, h := range resp.Hits {
			fmt.Fprintf(&b, "  %7.3f %s\n", h.Score, h.ID)
		}
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(rankingGolden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(rankingGolden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("the ranked lists have changed; write them anew with -update if they are better (-want +got):\n%s", diff)
	}
}
