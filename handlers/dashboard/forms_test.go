package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service"
)

// full makes b a server whose room for bodies is all taken until others is released.
func (b *bundle) full() (svc *service.Service, others *service.BodyRoom) {
	b.t.Helper()
	svc = service.New(b.store, service.Config{Limits: service.Limits{Bodies: 1 << 20, Wait: 10 * time.Millisecond}})
	b.url = b.serve(svc, dashboard.Config{})
	others = svc.BodyRoom(app)
	if err := others.Grow(b.t.Context(), 1<<20); err != nil {
		b.t.Fatal(err)
	}
	return svc, others
}

// A large document in the editor counts as a body, like one that comes through the API.
func TestLargeFormsNeedRoom(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	svc, others := b.full()
	c := b.signedIn()
	const path = "/dashboard/indices/films/document"
	large := `{"title":"` + strings.Repeat("x", 200<<10) + `"}`
	c.post(path, "new", "1", "id", "large", "document", large).want(t, http.StatusTooManyRequests, "nothing was applied", "data-unsent")
	c.post(path, "new", "1", "id", "small", "document", `{}`).wantRedirect(t, path+"?done=document-saved&id=small")
	others.Release()
	c.post(path, "new", "1", "id", "large", "document", large).wantRedirect(t, path+"?done=document-saved&id=large")
	if got := svc.Load().Bodies.Inside; got != 0 {
		t.Errorf("%d bytes are left behind", got)
	}
}

// The longest lists of synonyms that an index may have can be sent, also in scripts whose letters take two bytes: in a form, six.
func TestLongSynonymsFit(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	const path = "/dashboard/indices/films/settings"
	var synonyms strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&synonyms, "%[1]s%[2]d, %[1]sи %[2]d\n", strings.Repeat("слово ", 13), i)
	}
	seen := seenField.FindStringSubmatch(c.get(path).body)[1]
	c.post(path, "seen", seen, "language", "english", "synonyms", synonyms.String()).wantRedirect(t, path+"?done=settings-saved")
}
