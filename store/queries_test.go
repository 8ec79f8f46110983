package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// newAnalytics returns the analytics of one server.
func newAnalytics(st *store.Store, sample float64) *service.Analytics {
	return service.NewAnalytics(st, service.AnalyticsConfig{Sample: sample, Retention: time.Hour})
}

func createApplications(t *testing.T, st *store.Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if _, err := st.CreateApplication(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
}

func report(t *testing.T, st *store.Store, application string, since time.Time, limit int) service.QueryReport {
	t.Helper()
	r, err := st.QueryReport(t.Context(), application, since, limit)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// withoutTimes leaves out what differs from run to run.
var withoutTimes = cmpopts.IgnoreFields(service.QueryStat{}, "Last")

// What two servers record, of searches that were really made, is one report; each application sees its own.
func TestAnalyticsOfTwoServers(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	one, two := open(t, db), open(t, db)
	createApplications(t, one, "demo", "other")
	var services []*service.Service
	var analytics []*service.Analytics
	for _, st := range []*store.Store{one, two} {
		a := newAnalytics(st, 1)
		analytics = append(analytics, a)
		services = append(services, service.New(st, service.Config{Observers: []service.Observer{a}}))
	}
	for _, application := range []string{"demo", "other"} {
		if err := services[0].CreateIndex(t.Context(), application, "books", []mapping.Mapping{{Name: "title", Type: mapping.Name}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, title := range []string{"Solaris", "Ubik"} {
		if _, err := services[0].UpsertDocument(t.Context(), "demo", "books", title, []byte(`{"title":"`+title+`"}`)); err != nil {
			t.Fatal(err)
		}
	}
	second, perPage := 2, 1
	search := func(server int, application, index string, req service.SearchRequest) *service.SearchResponse {
		who := service.Principal{Application: application, Type: service.SearchKey}
		resp, err := services[server].Search(t.Context(), who, index, req)
		if err != nil && service.ErrorCode(err) != service.CodeSearchNotFound && service.ErrorCode(err) != service.CodeInvalidRequest {
			t.Fatal(err)
		}
		return resp
	}
	search(0, "demo", "books", service.SearchRequest{Query: "Solaris"})
	search(1, "demo", "books", service.SearchRequest{Query: "  solaris "})
	search(1, "demo", "books", service.SearchRequest{Query: "missing"})
	search(0, "other", "books", service.SearchRequest{Query: "solaris"})
	// None of these counts.
	search(0, "demo", "books", service.SearchRequest{Query: "of an administrator", Unrecorded: true})
	search(0, "demo", "books", service.SearchRequest{Query: "second page", Page: &second})
	search(0, "demo", "books", service.SearchRequest{Query: " \t"})
	search(0, "demo", "nowhere", service.SearchRequest{Query: "fails"})
	search(0, "demo", "books", service.SearchRequest{Query: "fails", Cursor: "nonsense"})
	begin := search(0, "demo", "books", service.SearchRequest{Query: "after a cursor OR solaris", PerPage: &perPage, Unrecorded: true})
	if begin.Cursor == "" || search(0, "demo", "books", service.SearchRequest{Query: "after a cursor OR solaris", Cursor: begin.Cursor}) == nil {
		t.Fatal("the search cannot be continued")
	}

	save := func(a *service.Analytics) {
		t.Helper()
		if err := a.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	save(analytics[0])
	save(analytics[1])
	since := time.Now().Add(-time.Minute)
	got := report(t, two, "demo", since, 10)
	solaris := service.QueryStat{Search: "books", Query: "solaris", Count: 2, Hits: 1}
	missing := service.QueryStat{Search: "books", Query: "missing", Count: 1, NothingFound: 1}
	latencies := cmpopts.IgnoreFields(service.QueryStat{}, "Mean", "Max")
	if diff := cmp.Diff([]service.QueryStat{solaris, missing}, got.Frequent, withoutTimes, latencies); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]service.QueryStat{missing}, got.Nothing, withoutTimes, latencies); diff != "" {
		t.Error(diff)
	}
	for _, q := range append(got.Slow, got.Frequent...) {
		if q.Mean <= 0 || q.Mean > q.Max || q.Last.Before(since) || q.Last.After(time.Now()) {
			t.Errorf("%+v", q)
		}
	}
	if got.Share != 1 {
		t.Errorf("%g of the searches are said to be recorded", got.Share)
	}
	other := report(t, one, "other", since, 10)
	if diff := cmp.Diff([]service.QueryStat{{Search: "books", Query: "solaris", Count: 1, NothingFound: 1}}, other.Frequent, withoutTimes, latencies); diff != "" {
		t.Error(diff)
	}

	// Saving again adds to the first counts.
	search(0, "demo", "books", service.SearchRequest{Query: "solaris"})
	save(analytics[0])
	if got := report(t, one, "demo", since, 10); got.Frequent[0].Count != 3 {
		t.Errorf("%d searches after one more", got.Frequent[0].Count)
	}
	// They are deleted with their application.
	if err := one.DeleteApplication(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := db.Pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM rowan.queries WHERE application_id = 'demo') + (SELECT count(*) FROM rowan.query_hours WHERE application_id = 'demo')").Scan(&left); err != nil {
		t.Fatal(err)
	}
	if left != 0 || len(report(t, one, "other", since, 10).Frequent) != 1 {
		t.Errorf("%d rows are left of a deleted application, or another's are gone", left)
	}
}

// quantity returns a count of the test's application in an hour.
func quantity(hour time.Time, query string, searches, nothing int64, total, longest time.Duration, found int64) service.QueryCount {
	return service.QueryCount{Application: "demo", Hour: hour, Search: "films", Query: query, Searches: searches, NothingFound: nothing,
		Total: total, Max: longest, LastFound: found, LastAt: hour.Add(time.Minute)}
}

func TestQueryReport(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	st := open(t, db)
	createApplications(t, st, "demo")
	now := time.Date(2026, 5, 1, 20, 0, 0, 0, time.UTC)
	before, long := now.Add(-time.Hour), now.Add(-48*time.Hour)
	save := func(hours []service.QueryHour, counts ...service.QueryCount) {
		t.Helper()
		if err := st.SaveQueries(t.Context(), counts, hours); err != nil {
			t.Fatal(err)
		}
	}
	save([]service.QueryHour{{Application: "demo", Hour: before, Searches: 100, Recorded: 25}},
		quantity(before, "often", 20, 0, 20*time.Millisecond, 2*time.Millisecond, 9),
		quantity(before, "slow", 1, 0, 300*time.Millisecond, 300*time.Millisecond, 3),
		quantity(before, "tragic", 4, 3, 40*time.Millisecond, 20*time.Millisecond, 0))
	save([]service.QueryHour{{Application: "demo", Hour: now, Searches: 60, Recorded: 15}},
		quantity(now, "often", 10, 1, 10*time.Millisecond, 5*time.Millisecond, 8),
		quantity(now, "once slow", 5, 5, 500*time.Millisecond, 496*time.Millisecond, 0))
	save([]service.QueryHour{{Application: "demo", Hour: long, Searches: 1000, Recorded: 1000}},
		quantity(long, "long ago", 1000, 1000, time.Hour, time.Minute, 0))

	got := report(t, st, "demo", before.Add(30*time.Minute), 3) // the hour that contains it counts
	often := service.QueryStat{Search: "films", Query: "often", Count: 30, NothingFound: 1, Mean: time.Millisecond, Max: 5 * time.Millisecond, Hits: 8, Last: now.Add(time.Minute)}
	onceSlow := service.QueryStat{Search: "films", Query: "once slow", Count: 5, NothingFound: 5, Mean: 100 * time.Millisecond, Max: 496 * time.Millisecond, Last: now.Add(time.Minute)}
	tragic := service.QueryStat{Search: "films", Query: "tragic", Count: 4, NothingFound: 3, Mean: 10 * time.Millisecond, Max: 20 * time.Millisecond, Last: before.Add(time.Minute)}
	slow := service.QueryStat{Search: "films", Query: "slow", Count: 1, Mean: 300 * time.Millisecond, Max: 300 * time.Millisecond, Hits: 3, Last: before.Add(time.Minute)}
	want := service.QueryReport{
		Frequent: []service.QueryStat{often, onceSlow, tragic},
		Slow:     []service.QueryStat{slow, onceSlow, tragic},
		Nothing:  []service.QueryStat{onceSlow, tragic, often},
		Share:    0.25,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateApproxTime(0)); diff != "" {
		t.Error(diff)
	}
	if got := report(t, st, "demo", before, 1); len(got.Frequent) != 1 || len(got.Slow) != 1 || len(got.Nothing) != 1 {
		t.Errorf("more than one of a kind in %+v", got)
	}
	if got := report(t, st, "nobody", before, 3); len(got.Frequent) != 0 || got.Share != 1 {
		t.Errorf("of an application without searches: %+v", got)
	}
	// An older search that is saved later does not count as the latest.
	save([]service.QueryHour{{Application: "demo", Hour: now, Searches: 1, Recorded: 1}},
		service.QueryCount{Application: "demo", Hour: now, Search: "films", Query: "often", Searches: 1, LastFound: 77, LastAt: now})
	if got := report(t, st, "demo", before, 1).Frequent[0]; got.Hits != 8 || !got.Last.Equal(now.Add(time.Minute)) || got.Count != 31 {
		t.Errorf("after an older one: %+v", got)
	}
}

// Many servers save the same rows at the same time while applications come and go: there are no deadlocks, and nothing is lost or counted twice.
func TestQueriesAreSavedAtOnce(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	const servers, rounds, texts = 4, 15, 40
	first := open(t, db)
	createApplications(t, first, "demo", "gone")
	stores := []*store.Store{first}
	for len(stores) < servers {
		stores = append(stores, open(t, db))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var group sync.WaitGroup
	failures := make(chan error, servers*rounds+2*rounds)
	for n, st := range stores {
		group.Go(func() {
			for round := range rounds {
				a := newAnalytics(st, 1)
				for i := range texts { // each server in a different order
					for _, application := range []string{"gone", "demo"} {
						a.Searched(ctx, service.Searched{Application: application, Search: "films", Query: fmt.Sprintf("%d words", (i*(n+1)+round)%texts), Took: time.Millisecond})
					}
				}
				if err := a.Save(ctx); err != nil {
					failures <- err
				}
			}
		})
	}
	group.Go(func() {
		for range rounds {
			if err := first.DeleteApplication(ctx, "gone"); err != nil {
				failures <- err
			}
			if _, err := first.CreateApplication(ctx, "gone"); err != nil {
				failures <- err
			}
			if err := first.DropQueries(ctx, time.Now().Add(-time.Hour)); err != nil {
				failures <- err
			}
		}
	})
	group.Wait()
	close(failures)
	for err := range failures {
		t.Error(err)
	}
	var searches, total int64
	err := db.Pool.QueryRow(ctx, `SELECT sum(searches), (SELECT sum(recorded) FROM rowan.query_hours WHERE application_id = 'demo')
		FROM rowan.queries WHERE application_id = 'demo'`).Scan(&searches, &total)
	if err != nil {
		t.Fatal(err)
	}
	if searches != servers*rounds*texts || total != searches {
		t.Errorf("%d searches, %d recorded, want %d", searches, total, servers*rounds*texts)
	}
	// A deadlock would have been resolved by repetition; PostgreSQL has counted it once the connections have ended.
	for _, st := range stores {
		st.Close()
	}
	connected, deadlocks := 1, 0
	for connected > 0 && ctx.Err() == nil {
		if err := db.Pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rowan'),
			(SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())`).Scan(&connected, &deadlocks); err != nil {
			t.Fatal(err)
		}
	}
	if deadlocks > 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}

func TestDropQueries(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	st := open(t, db)
	createApplications(t, st, "demo")
	now := time.Now().UTC().Truncate(time.Hour)
	// Takes more than one step.
	if _, err := db.Pool.Exec(t.Context(), `INSERT INTO rowan.queries SELECT 'demo', $1::timestamptz - '1h'::interval * (i % 10), 'films', 'text ' || i, 1, 0, 1, 1, $1, 1
		FROM generate_series(1, 20000) i`, now); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), `INSERT INTO rowan.query_hours SELECT 'demo', $1::timestamptz - '1h'::interval * i, 2000, 2000 FROM generate_series(0, 9) i`, now); err != nil {
		t.Fatal(err)
	}
	left := func() (queries, hours int) {
		t.Helper()
		if err := db.Pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM rowan.queries), (SELECT count(*) FROM rowan.query_hours)").Scan(&queries, &hours); err != nil {
			t.Fatal(err)
		}
		return queries, hours
	}
	// While another server is deleting, this one has nothing to do.
	tx, err := db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock("+store.QueriesLockClass+", 0)"); err != nil {
		t.Fatal(err)
	}
	if err := st.DropQueries(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if queries, hours := left(); queries != 20000 || hours != 10 {
		t.Errorf("%d queries and %d hours are left, though another server is at it", queries, hours)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A row that somebody is updating stays for the next time.
	if tx, err = db.Pool.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "UPDATE rowan.queries SET searches = 2 WHERE query = 'text 9'"); err != nil {
		t.Fatal(err)
	}
	if err := st.DropQueries(t.Context(), now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if queries, hours := left(); queries != 6001 || hours != 3 {
		t.Errorf("%d queries and %d hours are left, want those of 3 hours and one that was locked", queries, hours)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := st.DropQueries(t.Context(), now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if queries, _ := left(); queries != 6000 {
		t.Errorf("%d queries are left", queries)
	}
}

// A share of the searches is recorded, and the report states it.
func TestAnalyticsSample(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	st := open(t, db)
	createApplications(t, st, "demo")
	a := newAnalytics(st, 0.5)
	const searches = 4000
	for i := range searches {
		a.Searched(t.Context(), service.Searched{Application: "demo", Search: "films", Query: fmt.Sprintf("%d words", i%50), Total: 1})
	}
	if err := a.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := report(t, st, "demo", time.Now().Add(-time.Hour), 100)
	var counted int64
	for _, q := range got.Frequent {
		counted += q.Count
	}
	// Half of 4,000 plus or minus 200: six standard deviations.
	if counted < 1800 || counted > 2200 || got.Share != float64(counted)/searches {
		t.Errorf("%d of %d searches are recorded, and the share is said to be %g", counted, searches, got.Share)
	}
}

// While the database is unreachable, counts are lost; searches do not notice.
func TestAnalyticsWithoutDatabase(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	away, st := open(t, db), open(t, db)
	createApplications(t, st, "demo")
	search := service.Searched{Application: "demo", Search: "films", Query: "solaris", Total: 1}
	a := newAnalytics(away, 1)
	away.Close()
	a.Searched(t.Context(), search)
	if err := a.Save(t.Context()); err == nil {
		t.Error("saved without a database")
	}
	if got := report(t, st, "demo", time.Now().Add(-time.Hour), 1); len(got.Frequent) != 0 {
		t.Errorf("%+v", got)
	}
}
