package store_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

func TestWatchTellsThePlan(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, err := store.Open(ctx, store.Config{URL: storetest.New(t).URL, MaxConns: 4, WatchSearches: true})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := st.CreateApplication(ctx, "demo"); err != nil {
		t.Fatal(err)
	}
	svc := service.New(st, service.Config{})
	err = svc.CreateIndex(ctx, "demo", "shop", []mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "price", Type: mapping.Price}, {Name: "brand", Type: mapping.Keyword}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.UpsertDocument(ctx, "demo", "shop", "1", []byte(`{"title":"a red hushhush","price":778899,"brand":"Whispering"}`)); err != nil {
		t.Fatal(err)
	}
	search := func(ctx context.Context) {
		t.Helper()
		facets := "brand"
		found, err := svc.Search(ctx, service.Principal{Application: "demo"}, "shop", service.SearchRequest{
			Query: "red hushhush", Facets: service.FacetsInput{Expression: &facets}, Filter: service.FilterInput{Raw: []byte(`{"price":778899,"brand":"Whispering"}`)}})
		if err != nil || found.Total != 1 {
			t.Fatalf("found %+v, %v", found, err)
		}
	}
	search(ctx) // brings the vocabulary up to date, which takes longer than the search
	plan := func() string {
		t.Helper()
		watched, explain := st.Watch(ctx)
		search(watched)
		told := make(chan string, 1)
		explain(func(plan string) { told <- plan })
		return <-told
	}
	first := plan()
	if !strings.Contains(first, "cost=") {
		t.Errorf("the plan is %q", first)
	}
	for _, value := range []string{"hushhush", "778899", "hispering"} {
		if strings.Contains(first, value) {
			t.Errorf("the plan tells %q:\n%s", value, first)
		}
	}
	if second := plan(); second != "" {
		t.Errorf("another plan within ten seconds:\n%s", second)
	}
}

func TestNothingIsWatchedUnasked(t *testing.T) {
	t.Parallel()
	st := open(t, storetest.New(t))
	watched, explain := st.Watch(t.Context())
	if watched != t.Context() {
		t.Error("the context is another")
	}
	told := "nothing"
	explain(func(plan string) { told = plan })
	if told != "" {
		t.Errorf("told %q", told)
	}
}

// noPlan matches statements that have no plan, and those that are cut in the span.
var noPlan = regexp.MustCompile(`(?i)^\s*(begin|lock table|commit|rollback|set)\b|…$`)

// PostgreSQL has a plan for whatever a search runs, and it contains no value of the search.
func TestEveryStatementOfASearchHasAPlan(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	spans := tracetest.NewInMemoryExporter()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)).Tracer("test")
	st, err := store.Open(ctx, store.Config{URL: storetest.New(t).URL, MaxConns: 6, Tracer: tracer})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	st.AccelerateSmall(10, 40)
	if _, err := st.CreateApplication(ctx, "demo"); err != nil {
		t.Fatal(err)
	}
	svc := service.New(st, service.Config{Tracer: tracer})
	if err := svc.CreateIndex(ctx, "demo", "goods", acceleratedMappings); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	if _, err := svc.WriteBatch(ctx, "demo", "goods", someBatch(r, 300)); err != nil {
		t.Fatal(err)
	}
	ix, err := st.CurrentIndex(ctx, "demo", "goods")
	if err != nil {
		t.Fatal(err)
	}
	for again := true; again; {
		if again, err = st.Accelerate(ctx, ix); err != nil {
			t.Fatal(err)
		}
	}
	spans.Reset()
	for range 60 {
		req := someSearch(r)
		if _, err := svc.Search(ctx, demo, "goods", req); err != nil {
			t.Fatalf("%+v: %v", req, err)
		}
	}
	explained := map[string]bool{}
	for _, span := range spans.GetSpans() {
		for _, a := range span.Attributes {
			sql := a.Value.AsString()
			if a.Key != "db.query.text" || explained[sql] || noPlan.MatchString(sql) {
				continue
			}
			explained[sql] = true
			plan, err := st.PlanOf(ctx, sql)
			if err != nil || !strings.Contains(plan, "cost=") {
				t.Errorf("%s\nhas the plan %q, %v", sql, plan, err)
			}
			for _, word := range acceleratedWords {
				if strings.Contains(sql+plan, "'"+word) {
					t.Errorf("the word %s is in\n%s\n%s", word, sql, plan)
				}
			}
		}
	}
	postings := 0
	for sql := range explained {
		if strings.Contains(sql, "_postings") {
			postings++
		}
	}
	if len(explained) < 20 || postings == 0 {
		t.Errorf("the searches ran %d statements, %d on postings", len(explained), postings)
	}
}
