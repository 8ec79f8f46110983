package store_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/storetest"
)

// If somebody renames the table of an index, requests and the background work report that it is missing, and everything continues when it is back.
func TestMissingTables(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	db := storetest.New(t)
	s := siteWith(t, db, loggingConfig(db, &log))
	s.create(t, "films", "title sentence")
	s.put(t, "films", "1", `{"title":"The seventh seal"}`)
	s.exec(t, "ALTER TABLE app_demo.films RENAME TO elsewhere")
	for name, ask := range map[string]func() error{
		"search": func() error {
			_, err := s.svc.Search(t.Context(), demo, "films", service.SearchRequest{Query: "seal "})
			return err
		},
		"read": func() error { _, err := s.svc.GetDocument(t.Context(), "demo", "films", "1"); return err },
		"write": func() error {
			_, err := s.svc.UpsertDocument(t.Context(), "demo", "films", "2", []byte(`{"title":"Persona"}`))
			return err
		},
		"counts": func() error { _, _, err := s.svc.Index(t.Context(), "demo", "films"); return err },
		"new mappings": func() error {
			_, err := s.svc.UpdateIndex(t.Context(), "demo", "films", []mapping.Mapping{{Name: "title", Type: mapping.Text}}, false)
			return err
		},
	} {
		if err := ask(); service.ErrorCode(err) != service.CodeUnavailable || !strings.Contains(err.Error(), `lacks a table or column that "films" needs`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.Start(t.Context())
	eventually(t, "the background work to fail", func() bool { return s.Stats().Work[0].Failed > 0 })
	s.exec(t, "ALTER TABLE app_demo.elsewhere RENAME TO films")
	if resp := s.search(t, "films", forWords("seal ")); resp.Total != 1 {
		t.Errorf("found %d when the table was back", resp.Total)
	}
	eventually(t, "the vocabulary", func() bool {
		return s.text(t, "SELECT count(*)::text FROM app_demo_derived.films_words") == "3"
	})
	s.Close()
	if !strings.Contains(log.String(), "could not be brought up to date") || !strings.Contains(log.String(), `relation \"app_demo.films\" does not exist`) {
		t.Errorf("the log does not tell what is missing: %s", log.String())
	}
}

// If somebody revokes rights of the service's role, requests report that the database does not grant them, and everything continues when it does.
func TestRevokedRights(t *testing.T) {
	t.Parallel()
	s, role, exec := limitedSite(t)
	s.create(t, "films", "title sentence")
	s.put(t, "films", "1", `{"title":"The seventh seal"}`)
	search := func() error {
		_, err := s.svc.Search(t.Context(), demo, "films", service.SearchRequest{Query: "seal "})
		return err
	}
	write := func() error {
		_, err := s.svc.UpsertDocument(t.Context(), "demo", "films", "2", []byte(`{"title":"Persona"}`))
		return err
	}
	change := func() error {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "films", []mapping.Mapping{{Name: "title", Type: mapping.Text}}, false)
		return err
	}
	for right, ask := range map[string]func() error{
		"SELECT ON app_demo.films":                 search,
		"INSERT ON app_demo.films":                 write,
		"USAGE ON SCHEMA app_demo":                 write,
		"CREATE ON SCHEMA app_demo":                change,
		"INSERT ON app_demo_derived.films_changes": write,
	} {
		exec("REVOKE " + right + " FROM " + role)
		err := ask()
		if e, ok := errors.AsType[*service.Error](err); !ok || e.Code != service.CodeUnavailable || e.RetryAfter == 0 || !strings.Contains(e.Error(), "does not grant the service a right") {
			t.Errorf("without %s: %v", right, err)
		}
		exec("GRANT " + right + " TO " + role)
		if err := ask(); err != nil {
			t.Errorf("with %s again: %v", right, err)
		}
	}
}
