package store_test

import (
	"testing"
)

// A word that no document has any more is searched as one that the index does not know, though the vocabulary keeps it
// until many documents have changed. A cursor goes on with what the first page was searched for.
func TestWordsOfDocumentsThatAreGone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name")
	s.put(t, "things", "1", `{"title":"Keyboard"}`, "2", `{"title":"Keyborad"}`, "3", `{"title":"Keyboard cheap"}`, "4", `{"title":"cheap mouse"}`)
	ix := s.current(t, "things")
	settle := func() {
		t.Helper()
		if err := s.Settle(t.Context(), ix); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	if got := s.found(t, "things", forWords("keyborad ")); got != "2" {
		t.Errorf("a known word finds %q", got)
	}
	s.put(t, "things", "2", `{"title":"Keyboard"}`)
	settle()
	for query, want := range map[string]string{"keyborad ": "1 2 3", "keyborad cheap ": "3"} {
		if got := s.found(t, "things", forWords(query), matching("all")); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	req := ask(forWords("keyborad "))
	req.PerPage = new(2)
	first, err := s.svc.Search(t.Context(), demo, "things", req)
	if err != nil {
		t.Fatal(err)
	}
	req.Cursor = first.Cursor
	second, err := s.svc.Search(t.Context(), demo, "things", req)
	if err != nil || len(second.IDs) != 1 || second.IDs[0] != "3" || second.Total != 3 {
		t.Errorf("the second page is %+v, %v", second, err)
	}
}

// While all words are counted anew for another mapping, searches use those that were there before: the documents are the
// same.
func TestTyposWhileATableIsRebuilt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name", "name completion")
	s.many(t, "things", 3000, func(int) string { return `{"title":"mountain","name":"Mountain View"}` })
	ix := s.current(t, "things")
	if err := s.Settle(t.Context(), ix); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "things", mappings("title text"), true)
		done <- err
	}()
	for rebuilt := false; !rebuilt; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			rebuilt = true
		default:
		}
		resp := s.search(t, "things", forWords("mountian "))
		if resp.Total != 3000 {
			t.Fatalf("a misspelled word finds %d documents while the index is rebuilt", resp.Total)
		}
		if list, err := s.svc.Suggest(t.Context(), demo, "things", "moun"); err != nil || len(list.Autocomplete) != 1 {
			t.Fatalf("while the index is rebuilt these are suggested: %v, %v", list, err)
		}
	}
	if err := s.Settle(t.Context(), ix); err == nil {
		t.Error("the index is the one it was")
	}
}
