package store_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/store/storetest"
)

// If searches derive something for an index that is replaced in the meantime, or whose postings are, that is not a fault that an operator needs to
// read about.
func TestSupersededWorkIsNoFault(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	db := storetest.New(t)
	s := siteWith(t, db, loggingConfig(db, &log))
	s.AccelerateSmall(6)
	s.create(t, "things", "title sentence")
	for i := range 50 {
		s.put(t, "things", fmt.Sprint(i), `{"title":"a river"}`)
	}
	s.buildPostings(t)
	ix := things(t, s.Store)
	err := s.RememberLogged(t.Context(), ix, func() error {
		if err := s.Outgrow(t.Context(), ix); err != nil {
			return err
		}
		s.buildPostings(t)
		return nil
	})
	if err == nil {
		t.Error("logged documents were read of postings that had been built anew")
	}
	if _, err := s.svc.UpdateIndex(t.Context(), "demo", "things", mappings("title sentence", "year int"), false); err != nil {
		t.Fatal(err)
	}
	s.put(t, "things", "51", `{"title":"a river","year":2000}`)
	s.Freshen(t.Context(), ix)
	s.Close()
	if strings.Contains(log.String(), "level=WARN") {
		t.Error(log.String())
	}
}
