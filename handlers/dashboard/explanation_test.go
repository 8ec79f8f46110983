package dashboard_test

import (
	"math"
	"net/http"
	"testing"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service"
)

// The formula below the explanation of a score gives the scores in its table.
func TestExplanationSaysHow(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	b.put("films", "maglev", `{"title":"High-speed trains","description":"At high speed"}`)
	b.signedIn().get("/dashboard/search?in=films&q=high-speed&explain=1").
		want(t, http.StatusOK, "Share × repeats × rarity × (frequency + in a title), summed over the words, times the document’s boost of 1.")
	found, err := b.svc.Search(t.Context(), service.Principal{Application: app, Type: service.AdminKey}, "films", service.SearchRequest{Query: "high-speed", Explain: true})
	if err != nil || len(found.Hits) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, w := range found.Hits[0].Explanation.Words {
		if by := w.Share * float64(w.Repeats) * w.Rarity * (w.Frequency + w.TitleBonus); math.Abs(by-w.Score) > 1e-9 {
			t.Errorf("%s: %v, by the formula %v", w.Word, w.Score, by)
		}
	}
}
