package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// After a key in the settings was replaced, the log names the keys that earlier settings created, as long as there are any.
func TestKeysOfEarlierSettings(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), store.Config{URL: storetest.New(t).URL})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	svc := service.New(st, service.Config{})
	start := func(key string) string {
		var log bytes.Buffer
		if _, err := (wanted{Application: "shop", AdminKey: key}).ensure(t.Context(), svc, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	if _, err := (wanted{Application: "shop"}).ensure(t.Context(), svc, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if log := start("the-first-admin-key"); !strings.Contains(log, "created a key from the settings") || strings.Contains(log, "earlier") {
		t.Errorf("the first key of the settings: %s", log)
	}
	keys, err := svc.Keys(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	first := ""
	for _, k := range keys {
		if k.Description == keyOfSettings {
			first = k.ID
		}
	}
	if log := start("the-second-admin-key"); !strings.Contains(log, "earlier") || !strings.Contains(log, "ids=["+first+"]") {
		t.Errorf("another key, beside %s: %s", first, log)
	}
	if log := start("the-second-admin-key"); log != "" {
		t.Errorf("the same key again: %s", log)
	}
	for _, k := range keys {
		if k.Type == service.AdminKey {
			if err := svc.DeleteKey(t.Context(), "shop", k.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if log := start("the-first-admin-key"); strings.Contains(log, "created") || !strings.Contains(log, "was reset or deleted") {
		t.Errorf("a key that was deleted: %s", log)
	}
}
