package store_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// A mapping that makes suggestions has made them when it is answered for.
func TestReshapedIndexSuggests(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := storetest.New(t)
	st, err := store.Open(ctx, store.Config{URL: db.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := st.CreateApplication(ctx, "demo"); err != nil {
		t.Fatal(err)
	}
	svc := service.New(st, service.Config{})
	if err := svc.CreateIndex(ctx, "demo", "shop", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.UpsertDocument(ctx, "demo", "shop", "1", []byte(`{"title":"Espresso machine"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.UpdateIndex(ctx, "demo", "shop", []mapping.Mapping{{Name: "title", Type: mapping.Completion}}, true); err != nil {
		t.Fatal(err)
	}
	got, err := svc.Suggest(ctx, service.Principal{Application: "demo"}, "shop", "esp")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Espresso machine"}, got.Autocomplete); diff != "" {
		t.Errorf("suggestions right after the mapping (-want +got):\n%s", diff)
	}
}
