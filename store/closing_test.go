package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/storetest"
)

// A server that ends does not wait for what is being read for earlier searches, however long the search timeout is.
func TestEndsWithoutWhatSearchesHaveBegun(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	config := storeConfig(db)
	config.SearchTimeout = time.Hour
	s := siteWith(t, db, config)
	s.create(t, "docs", "title text")
	s.put(t, "docs", "1", `{"title":"one"}`)
	tx, err := db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), "LOCK TABLE app_demo_derived.docs_words IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := s.svc.Search(ctx, demo, "docs", service.SearchRequest{Query: "other "}); err == nil {
		t.Fatal("the search does not wait")
	}
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Error("the server does not end")
	}
}
