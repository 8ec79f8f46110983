package store_test

import (
	"context"
	"os"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
)

func TestAccelSetup(t *testing.T) {
	url := os.Getenv("ACCELSETUP")
	if url == "" {
		t.Skip()
	}
	ctx := context.Background()
	st, err := store.Open(ctx, store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	svc := service.New(st, service.Config{})
	st.CreateApplication(ctx, "demo")
	if err := svc.CreateIndex(ctx, "demo", "arxiv", []mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "abstract", Type: mapping.LongText}, {Name: "authors", Type: mapping.Name}, {Name: "categories", Type: mapping.Keyword}, {Name: "primary_category", Type: mapping.Keyword}, {Name: "created", Type: mapping.Date}}); err != nil {
		t.Fatal(err)
	}
}
