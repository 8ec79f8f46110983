package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/storetest"
)

// If a search, and another one over its name, are defined at the same time on two servers, one is rejected.
func TestSearchesOverEachOtherAtOnce(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	servers := []*site{siteWith(t, db, storeConfig(db)), join(t, db)}
	servers[0].create(t, "films", "title name")
	release := holding(t, db, "SELECT FROM rowan.applications FOR UPDATE")
	ended := make(chan error)
	for i, def := range []service.SearchDefinition{{Name: "over", Index: "below"}, {Name: "below", Index: "films"}} {
		go func() {
			_, err := servers[i].svc.PutSearch(t.Context(), "demo", def)
			ended <- err
		}()
	}
	eventually(t, "both wait for the catalog", func() bool {
		var waiting int
		err := db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting)
		return err == nil && waiting == 2
	})
	release()
	refused := 0
	for range 2 {
		switch err := <-ended; service.ErrorCode(err) {
		case "":
		case service.CodeNameTaken, service.CodeInvalidRequest:
			refused++
		default:
			t.Errorf("refused otherwise: %v", err)
		}
	}
	if list, err := servers[0].svc.SearchDefinitions(t.Context(), "demo"); err != nil || len(list) != 1 || refused != 1 {
		t.Errorf("%d are refused, and there are %v (%v)", refused, list, err)
	}
}

// The total size of an application's defined searches is bounded: a list of them is one answer.
func TestDefinedSearchesAreBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title name")
	filter := func(size int) json.RawMessage { return json.RawMessage(`"title = ` + strings.Repeat("x", size) + `"`) }
	put := func(name string, size int) error {
		_, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: name, Index: "films", Filter: filter(size)})
		return err
	}
	for i := range 4 {
		if err := put(fmt.Sprint("s", i), 1_000_000); err != nil {
			t.Fatal(err)
		}
	}
	if err := put("s4", 1_000_000); service.ErrorCode(err) != service.CodeInvalidRequest {
		t.Errorf("a search too many: %v", err)
	}
	if err := put("s3", 10); err != nil {
		t.Errorf("a smaller one in the place of another: %v", err)
	}
	if err := put("s4", 1_000_000); err != nil {
		t.Errorf("once there is room: %v", err)
	}
}

// A list of indices omits the words in their settings, which only searches and changes need: for many indices they may be very many.
func TestListsLeaveWordsOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title name")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "films", []byte(`{"language":"german","synonyms":[["film","movie"]],"stop_words":["the"]}`), true); err != nil {
		t.Fatal(err)
	}
	list, err := s.svc.Indices(t.Context(), "demo", "")
	if err != nil || len(list) != 1 || list[0].Settings.Synonyms != nil || len(list[0].Settings.StopWords) != 0 || list[0].Settings.Language != "german" {
		t.Errorf("%+v, %v", list, err)
	}
	if one, err := s.svc.IndexSettings(t.Context(), "demo", "films"); err != nil || len(one.Synonyms) != 1 || len(one.StopWords) != 1 {
		t.Errorf("%+v, %v", one, err)
	}
}
