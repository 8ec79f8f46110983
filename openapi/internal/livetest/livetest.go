// Package livetest runs the service for the tests of the generated clients: over a real database, behind the
// addresses of three replica hosts, one of which is gone.
package livetest

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// Service is a running service with one application.
type Service struct {
	// Hosts are the addresses of replica a, which works, b, where nothing listens, and c, which works.
	Hosts []string
	// Application has the keys Admin and Search.
	Application, Admin, Search string
}

// Start starts a service that ends with the test.
func Start(t testing.TB) Service {
	t.Helper()
	database, err := store.Open(t.Context(), store.Config{URL: storetest.New(t).URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(database.Close)
	svc := service.New(database, service.Config{})
	s := Service{Application: "demo"}
	if _, err := svc.CreateApplication(t.Context(), s.Application); err != nil {
		t.Fatal(err)
	}
	for kind, secret := range map[service.KeyType]*string{service.AdminKey: &s.Admin, service.SearchKey: &s.Search} {
		if _, *secret, err = svc.CreateKey(t.Context(), service.NewKey{Application: s.Application, Type: kind}); err != nil {
			t.Fatal(err)
		}
	}
	for _, up := range []bool{true, false, true} {
		server := httptest.NewServer(handlers.New(svc, handlers.Config{Logger: slog.New(slog.DiscardHandler)}))
		s.Hosts = append(s.Hosts, server.URL)
		if up {
			t.Cleanup(server.Close)
		} else {
			server.Close()
		}
	}
	return s
}
