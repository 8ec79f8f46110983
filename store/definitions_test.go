package store_test

import (
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/storetest"
)

// Of a search and another that is to be defined over its name, made at the same time on two servers, one is refused.
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
