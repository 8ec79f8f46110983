package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// filled is a document with a value of 35 letters in each of the first n fields.
func filled(n int) string {
	doc := map[string]string{"title": "a"}
	for i := range n {
		doc[fmt.Sprintf("f%d", i)] = fmt.Sprintf("value %d %s", i, strings.Repeat("x", 26))
	}
	body, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return string(body)
}

func keywords(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("f%d %s", i, mapping.Keyword))
	}
	return list
}

// places are the locations of an error's faults.
func places(t *testing.T, err error, code service.Code) string {
	t.Helper()
	e, ok := errors.AsType[*service.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("the error is %v, want %s", err, code)
	}
	var list []string
	for _, f := range e.Fields {
		list = append(list, f.Location)
	}
	return strings.Join(list, ", ")
}

func TestDocumentsThatDoNotFitIntoARowAreNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "wide", keywords(180)...)
	s.put(t, "wide", "old", `{"f1":"a"}`)
	write := func(actions string) error {
		_, err := s.svc.WriteBatch(t.Context(), "demo", "wide", []byte(actions))
		return err
	}
	wide := filled(180)
	// The ids are in another order than the actions; the last action that writes a document is named.
	err := write(`[{"action":"upsert","_id":"z","body":{"f1":"b"}},{"action":"upsert","_id":"y","body":` + wide + `},
		{"action":"upsert","_id":"x","body":` + wide + `},{"action":"delete","_id":"q"},{"action":"upsert","_id":"w","body":` + wide + `},{"action":"upsert","_id":"w","body":{}},
		{"action":"patch","_id":"old","body":` + wide + `},{"action":"create","body":` + wide + `}]`)
	if got, want := places(t, err, service.CodeInvalidDocument), "body[1].body, body[2].body, body[6].body, body[7].body"; got != want {
		t.Errorf("named are %s, want %s", got, want)
	}
	var many []string
	for i := range 450 {
		body := `{"f1":"a"}`
		if i%300 == 99 {
			body = wide
		}
		many = append(many, fmt.Sprintf(`{"action":"upsert","_id":"%04d","body":%s}`, i, body))
	}
	if got, want := places(t, write("["+strings.Join(many, ",")+"]"), service.CodeInvalidDocument), "body[99].body, body[399].body"; got != want {
		t.Errorf("of many, named are %s, want %s", got, want)
	}
	if _, err := s.svc.UpsertDocument(t.Context(), "demo", "wide", "one", []byte(wide)); places(t, err, service.CodeInvalidDocument) != "body" {
		t.Errorf("a single document: %v", err)
	}
	if _, err := s.svc.PatchDocument(t.Context(), "demo", "wide", "old", []byte(wide), false); places(t, err, service.CodeInvalidDocument) != "body" {
		t.Errorf("a patch: %v", err)
	}
	if got := s.found(t, "wide"); got != "old" {
		t.Errorf("there are %q", got)
	}
}

func TestStoredDocumentsThatDoNotFitIntoARowOfNewMappingsAreNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "wide", "title name")
	s.many(t, "wide", 60, func(i int) string {
		if i%4 == 3 {
			return filled(180)
		}
		return `{"f1":"a"}`
	})
	all := places(t, func() error {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "wide", mappings(keywords(180)...), false)
		return err
	}(), service.CodeMappingConflict)
	named := strings.Split(all, ", ")
	if len(named) != 10 {
		t.Errorf("named are %s", all)
	}
	for _, place := range named {
		doc, err := s.svc.GetDocument(t.Context(), "demo", "wide", strings.TrimPrefix(place, "document "))
		if err != nil || len(doc.Body) < 1000 {
			t.Errorf("%s is named: %v", place, err)
		}
	}
	if ix := s.current(t, "wide"); len(ix.Mappings) != 1 || s.search(t, "wide").Total != 60 {
		t.Errorf("the index has changed: %v", ix.Mappings)
	}
	// Nor is what the conflict has looked at there for the next change.
	if _, err := s.svc.UpdateIndex(t.Context(), "demo", "wide", mappings("f1 keyword"), false); err != nil {
		t.Error(err)
	}
}

// A document that is written while the new table is filled is copied once more in the end.
func TestDocumentWrittenMeanwhileThatDoesNotFitIntoARowIsNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "wide", "title name")
	s.put(t, "wide", "a", `{"f1":"a"}`, "b", `{"f1":"b"}`)
	release := holding(t, s.db, "SELECT FROM app_demo.wide")
	changed := make(chan error, 1)
	go func() {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "wide", mappings(keywords(180)...), false)
		changed <- err
	}()
	for waiting := false; !waiting; {
		err := s.db.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = 'app_demo.wide'::regclass)`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	s.put(t, "wide", "b", filled(180), "c", filled(180))
	release()
	if got, want := places(t, <-changed, service.CodeMappingConflict), "document b, document c"; got != want {
		t.Errorf("named are %s, want %s", got, want)
	}
}

func TestMappingsOfTooManyColumnsAreNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var fields []string
	for i := range 400 {
		fields = append(fields, fmt.Sprintf("f%d text", i))
	}
	if got := places(t, s.svc.CreateIndex(t.Context(), "demo", "wider", mappings(fields...)), service.CodeInvalidMapping); got != "body.mappings" {
		t.Errorf("created: %q is named", got)
	}
	s.create(t, "narrow", "title name")
	_, err := s.svc.UpdateIndex(t.Context(), "demo", "narrow", mappings(fields...), false)
	if got := places(t, err, service.CodeInvalidMapping); got != "body.mappings" {
		t.Errorf("changed: %q is named", got)
	}
}

func TestPatchesThatMakeDocumentsTooLargeAreNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.svc = service.New(s.Store, service.Config{Limits: service.Limits{Document: 1000}})
	s.create(t, "films", "title name")
	half := `"` + strings.Repeat("x", 600) + `"`
	s.put(t, "films", "a", `{"x":`+half+`}`, "b", `{"x":`+half+`}`)
	_, err := s.svc.WriteBatch(t.Context(), "demo", "films", []byte(`[{"action":"upsert","_id":"c","body":{}},{"action":"patch","_id":"b","body":{"y":`+half+`}},
		{"action":"patch","_id":"a","body":{"y":`+half+`}}]`))
	if got, want := places(t, err, service.CodeTooLarge), "body[1].body, body[2].body"; got != want {
		t.Errorf("named are %s, want %s", got, want)
	}
	_, err = s.svc.PatchDocument(t.Context(), "demo", "films", "a", []byte(`{"y":`+half+`}`), false)
	if got := places(t, err, service.CodeTooLarge); got != "body" {
		t.Errorf("a patch: %q is named", got)
	}
}
