package store_test

import (
	"testing"
)

// A word that no document has any more is treated like an unknown one, although the vocabulary keeps it until many documents have changed. A cursor
// continues with what the first page was searched for.
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

// The same holds for a rare word whose documents were counted along with postings: a search that finds nothing counts them again, and only then.
func TestRareWordsOfDocumentsThatAreGone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title name")
	s.many(t, "things", 200, func(int) string { return `{"title":"common thing"}` })
	s.put(t, "things", "1", `{"title":"Keyboard"}`, "2", `{"title":"Keyborad"}`, "3", `{"title":"Keyboard, cheap"}`,
		"4", `{"title":"zebra keyboard"}`, "5", `{"title":"zebra"}`, "6", `{"title":"zebra"}`)
	if err := s.Settle(t.Context(), s.current(t, "things")); err != nil {
		t.Fatal(err)
	}
	s.buildPostings(t)
	check := func(keyborad, cheap string) {
		t.Helper()
		for query, want := range map[string]string{"keyborad ": keyborad, "keyborad cheap ": cheap} {
			if got := s.found(t, "things", forWords(query), matching("all"), sortedBy("_id")); got != want {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
	}
	check("2", "")
	s.put(t, "things", "2", `{"title":"Keyboard"}`)
	s.put(t, "things", "6", `{"title":"common"}`)
	rarity := func(query string) float64 {
		t.Helper()
		hits := s.search(t, "things", forWords(query), matching("all"), explained).Hits
		if len(hits) == 0 {
			t.Fatalf("%q finds nothing", query)
		}
		return hits[0].Explanation.Words[0].Rarity
	}
	if alone, beside := rarity("zebra "), rarity("zebra keyborad "); alone != beside {
		t.Errorf("a word has rarity %g, and %g beside one that no document has any more", alone, beside)
	}
	check("1 2 3 4", "3")
}

// While all words are counted again for another mapping, searches use the previous ones: the documents are the same.
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
