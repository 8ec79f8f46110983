package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service/mapping"
)

// The largest indices are those of all, also where there are more than the page counts.
func TestLargestOfManyIndices(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	for i := range 101 {
		if err := b.svc.CreateIndex(t.Context(), app, fmt.Sprintf("empty-%03d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.svc.CreateIndex(t.Context(), app, "zebras", []mapping.Mapping{{Name: "name", Type: mapping.Name}}); err != nil {
		t.Fatal(err)
	}
	b.put("zebras", "1", `{"name":"Grévy’s zebra"}`)
	a := b.signedIn().get("/dashboard/")
	a.want(t, http.StatusOK, "<dd>102</dd>")
	if _, rows, _ := strings.Cut(a.body, "<tbody>"); !strings.HasPrefix(strings.TrimSpace(rows), `<tr><th scope="row"><a href="/dashboard/indices/zebras">`) {
		t.Errorf("the largest is not first:\n%s", rows)
	}
}
