package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/openapi/client"
	"github.com/rowansearch/rowan/openapi/internal/livetest"
)

// walk is the README's walk, and everything else that the service can do, in one go: later steps build on
// earlier ones.
type walk struct {
	t             *testing.T
	ctx           context.Context
	admin, search *client.ClientWithResponses
	service       livetest.Service
}

func TestWalk(t *testing.T) {
	t.Parallel()
	s := livetest.Start(t)
	w := &walk{t: t, ctx: t.Context(), service: s}
	w.admin, w.search = w.as(s.Admin), w.as(s.Search)
	w.index()
	w.batch()
	w.searches()
	w.documents()
	w.settings()
	w.definedSearches()
	w.keys()
	w.errors()
	w.end()
}

// as returns a client with a key. It signs with headers unless the key is the admin key, so that both ways are tested.
func (w *walk) as(key string) *client.ClientWithResponses {
	w.t.Helper()
	api, err := client.New(client.Config{Hosts: w.service.Hosts, Application: w.service.Application, Key: key, SignWithHeaders: key != w.service.Admin})
	if err != nil {
		w.t.Fatal(err)
	}
	return api
}

// must ends the walk if a step has failed.
func must[T any](w *walk, answer T, err error) T {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	return answer
}

func (w *walk) equal(what string, want, got any) {
	w.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// problem checks the error of a step that must fail.
func (w *walk) problem(err error, status int, code string) *client.Problem {
	w.t.Helper()
	problem, ok := errors.AsType[*client.Problem](err)
	if !ok || problem.Status != status || problem.Code != code || problem.RequestID == "" {
		w.t.Fatalf("got %v, want %d %s", err, status, code)
	}
	return problem
}

func (w *walk) index() {
	health, err := w.search.GetHealthWithResponse(w.ctx)
	w.equal("health", client.HealthStatusOk, must(w, health, err).JSON200.Status)
	created, err := w.admin.CreateIndexWithResponse(w.ctx, "shop", client.IndexRequest{Mappings: []client.FieldMapping{
		{Name: "title", Type: client.MappingTypeSentence}, {Name: "description", Type: client.MappingTypeLongText},
		{Name: "brand", Type: client.MappingTypeKeyword}, {Name: "category", Type: client.MappingTypeCategory},
		{Name: "price", Type: client.MappingTypePrice}, {Name: "released", Type: client.MappingTypeDate},
	}})
	w.equal("created", "shop", must(w, created, err).JSON202.Name)
	list, err := w.admin.ListIndicesWithResponse(w.ctx, &client.ListIndicesParams{Filter: new("s*")})
	w.equal("indices", 1, len(*must(w, list, err).JSON200))
}

func (w *walk) batch() {
	written, err := w.admin.WriteBatchWithResponse(w.ctx, "shop", []client.BatchWriteAction{
		{Action: client.ActionNameUpsert, ID: new("1"), Body: client.Document{
			"title": "Espresso machine", "brand": "Acme", "category": "Kitchen > Coffee", "price": 199.90, "released": "2024-05-01"}},
		{Action: client.ActionNameUpsert, ID: new("2"), Body: client.Document{
			"title": "Coffee grinder", "description": "Grinds beans for any espresso.", "brand": "Acme", "category": "Kitchen > Coffee", "price": 49.5}},
		{Action: client.ActionNameUpsert, ID: new("3"), Body: client.Document{
			"title": "Tea kettle", "brand": "Boil", "category": "Kitchen > Tea", "price": 35}},
	})
	for _, result := range *must(w, written, err).JSON200 {
		w.equal("result of "+result.ID, client.ActionOutcomeCreated, result.Result)
	}
	read, err := w.admin.ReadBatchWithResponse(w.ctx, "shop", []client.BatchReadAction{{ID: "3"}, {ID: "missing"}})
	documents := *must(w, read, err).JSON200
	if len(documents) != 2 || documents[0] == nil || documents[0].ID() != "3" || documents[1] != nil {
		w.t.Fatalf("read %s", read.Body)
	}
	index, err := w.admin.GetIndexWithResponse(w.ctx, "shop")
	w.equal("documents", int64(3), must(w, index, err).JSON200.Documents)
}

func (w *walk) searches() {
	found, err := w.search.SearchWithResponse(w.ctx, "shop", client.SearchRequest{
		Query: new("espreso machines"), Facets: []string{"brand", "category", "price"}, Filter: "price < 200",
	})
	result := must(w, found, err).JSON200
	if result.Total == 0 || result.Ids[0] != "1" || result.Hits["1"].Score <= 0 || len(result.Hits["1"].Highlight["title"]) == 0 {
		w.t.Fatalf("found %s", found.Body)
	}
	w.equal("title", any("Espresso machine"), result.Hits["1"].Document["title"])
	w.equal("facet brand", []client.FacetValue{{Value: "Acme", Count: result.Total}}, result.Facets["brand"])
	w.equal("largest price", "199.9", fmt.Sprint(result.FacetStats["price"].Max))

	found, err = w.search.SearchWithResponse(w.ctx, "shop", client.SearchRequest{
		Filter: map[string]any{"category": "Kitchen", "price": map[string]any{"gte": 40}}, Sort: new("-price"),
	})
	w.equal("by price", []string{"1", "2"}, must(w, found, err).JSON200.Ids)

	var paged []string
	request := client.SearchRequest{Sort: new("_id"), PerPage: new(2)}
	for {
		found, err = w.search.SearchWithResponse(w.ctx, "shop", request)
		result = must(w, found, err).JSON200
		paged = append(paged, result.Ids...)
		if len(result.Ids) == 0 || result.Cursor == nil {
			break
		}
		request.Cursor = result.Cursor
	}
	w.equal("paged", []string{"1", "2", "3"}, paged)

	found, err = w.search.SearchWithResponse(w.ctx, "shop", client.SearchRequest{Query: new("espresso"), Explain: new(true), PerPage: new(1)})
	result = must(w, found, err).JSON200
	if hit := result.Hits[result.Ids[0]]; hit.Explanation == nil || len(hit.Explanation.Words) != 1 {
		w.t.Errorf("no explanation in %s", found.Body)
	}

	several, err := w.search.MultiSearchWithResponse(w.ctx, client.MultiSearchRequest{Searches: []client.NamedSearchRequest{
		{Search: "shop", Query: new("kettle")}, {Search: "shop", PerPage: new(0), Facets: []string{"brand"}},
	}})
	results := must(w, several, err).JSON200.Results
	if len(results) != 2 || results[0].Total != 1 || len(results[1].Ids) != 0 || len(results[1].Facets["brand"]) != 2 {
		w.t.Errorf("several: %s", several.Body)
	}
}

func (w *walk) documents() {
	got, err := w.admin.GetDocumentWithResponse(w.ctx, "shop", "3")
	w.equal("price", any(json.Number("35")), (*must(w, got, err).JSON200)["price"])
	patched, err := w.admin.PatchDocumentWithResponse(w.ctx, "shop", "3", client.Document{"price": 29.90})
	var kettle struct {
		ID    string `json:"_id"`
		Title string
		Price float64
	}
	if err := must(w, patched, err).JSON200.Decode(&kettle); err != nil || kettle.ID != "3" || kettle.Title != "Tea kettle" || kettle.Price != 29.9 {
		w.t.Errorf("patched: %+v, %v", kettle, err)
	}
	put, err := w.admin.PutDocumentWithResponse(w.ctx, "shop", "3", &client.PutDocumentParams{Action: new(client.StoreActionPatch)}, client.Document{"brand": "Boiler"})
	w.equal("brand", any("Boiler"), (*must(w, put, err).JSON200)["brand"])
	created, err := w.admin.CreateDocumentWithResponse(w.ctx, "shop", client.Document{"title": "Cup", "large": json.Number("9007199254740993")})
	id := must(w, created, err).JSON201.ID()
	got, err = w.admin.GetDocumentWithResponse(w.ctx, "shop", id)
	w.equal("large number", any(json.Number("9007199254740993")), (*must(w, got, err).JSON200)["large"])
	saucer, err := client.NewDocument(struct {
		Title string `json:"title"`
	}{"Saucer"})
	if err != nil {
		w.t.Fatal(err)
	}
	const slashed = "a/b c?ü%"
	upserted, err := w.admin.UpsertDocumentWithResponse(w.ctx, "shop", slashed, nil, saucer)
	w.equal("id", slashed, must(w, upserted, err).JSON201.ID())
	for _, id := range []string{id, slashed} {
		deleted, err := w.admin.DeleteDocumentWithResponse(w.ctx, "shop", id)
		w.equal("deleted", id, must(w, deleted, err).JSON202.ID)
		_, err = w.admin.GetDocumentWithResponse(w.ctx, "shop", id)
		w.problem(err, 404, "document_not_found")
	}
}

func (w *walk) settings() {
	mapped, err := w.admin.PatchIndexWithResponse(w.ctx, "shop", client.IndexRequest{Mappings: []client.FieldMapping{{Name: "title", Type: client.MappingTypeCompletion}}})
	w.equal("mappings", 6, len(must(w, mapped, err).JSON200.Mappings))
	mapped, err = w.admin.PatchIndexWithResponse(w.ctx, "shop", client.IndexRequest{Mappings: mapped.JSON200.Mappings})
	must(w, mapped, err)
	replaced, err := w.admin.UpdateIndexWithResponse(w.ctx, "shop", client.IndexRequest{Mappings: mapped.JSON200.Mappings})
	w.equal("mappings", mapped.JSON200.Mappings, must(w, replaced, err).JSON200.Mappings)
	suggested, err := w.search.AutocompleteWithResponse(w.ctx, "shop", &client.AutocompleteParams{Q: new("esp")})
	w.equal("suggestions", []string{"Espresso machine"}, must(w, suggested, err).JSON200.Autocomplete)

	synonyms := []client.Synonym{{Words: []string{"kettle", "boiler"}}, {OneWay: &client.OneWaySynonym{From: []string{"appliance"}, To: []string{"machine"}}}}
	settings, err := w.admin.PatchIndexSettingsWithResponse(w.ctx, "shop", client.IndexSettingsPatch{Synonyms: synonyms, StopWords: []string{"please"}})
	w.equal("synonyms", synonyms, must(w, settings, err).JSON200.Synonyms)
	found, err := w.search.SearchWithResponse(w.ctx, "shop", client.SearchRequest{Query: new("appliance")})
	w.equal("by a synonym", []string{"1"}, must(w, found, err).JSON200.Ids)
	// An empty list removes, an absent one keeps.
	settings, err = w.admin.PatchIndexSettingsWithResponse(w.ctx, "shop", client.IndexSettingsPatch{Synonyms: []client.Synonym{}})
	w.equal("no synonyms", 0, len(must(w, settings, err).JSON200.Synonyms))
	w.equal("stop words", []string{"please"}, settings.JSON200.StopWords)
	put, err := w.admin.PutIndexSettingsWithResponse(w.ctx, "shop", client.IndexSettingsPatch{})
	w.equal("no stop words", 0, len(must(w, put, err).JSON200.StopWords))
	got, err := w.admin.GetIndexSettingsWithResponse(w.ctx, "shop")
	w.equal("language", "english", must(w, got, err).JSON200.Language)

	application, err := w.admin.PutSettingsWithResponse(w.ctx, client.ApplicationSettings{PerPage: 2})
	w.equal("per page", int64(2), must(w, application, err).JSON200.PerPage)
	read, err := w.admin.GetSettingsWithResponse(w.ctx)
	w.equal("per page", int64(2), must(w, read, err).JSON200.PerPage)
}

func (w *walk) definedSearches() {
	defined, err := w.admin.PutSearchWithResponse(w.ctx, "acme", client.DefinitionRequest{Index: "shop", Filter: "brand = Acme", Facets: []string{"category"}, Sort: new("price")})
	w.equal("defined", "acme", must(w, defined, err).JSON201.Name)
	got, err := w.admin.GetSearchWithResponse(w.ctx, "acme")
	w.equal("its filter", any("brand = Acme"), must(w, got, err).JSON200.Filter)
	list, err := w.admin.ListSearchesWithResponse(w.ctx)
	w.equal("searches", 1, len(*must(w, list, err).JSON200))
	found, err := w.search.SearchWithResponse(w.ctx, "acme", client.SearchRequest{})
	w.equal("found", []string{"2", "1"}, must(w, found, err).JSON200.Ids)
	w.equal("facet category", int64(2), found.JSON200.Facets["category"][0].Count)
	deleted, err := w.admin.DeleteSearchWithResponse(w.ctx, "acme")
	w.equal("deleted", "acme", must(w, deleted, err).JSON202.Name)
}

func (w *walk) keys() {
	expires := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	created, err := w.admin.CreateKeyWithResponse(w.ctx, client.KeyRequest{
		Type: client.KeyTypeSearch, Description: new("tenant"), Indices: []string{"shop"}, Filter: new("brand = Acme"), ExpiresAt: &expires,
	})
	key := must(w, created, err).JSON201
	if !key.ExpiresAt.Equal(expires) {
		w.t.Errorf("expires at %v, want %v", key.ExpiresAt, expires)
	}
	found, err := w.as(key.Key).SearchWithResponse(w.ctx, "shop", client.SearchRequest{Sort: new("_id")})
	w.equal("the tenant's", []string{"1", "2"}, must(w, found, err).JSON200.Ids)
	reset, err := w.admin.ResetKeyWithResponse(w.ctx, key.ID)
	again := must(w, reset, err).JSON200
	if again.ID != key.ID || again.Key == key.Key {
		w.t.Errorf("reset: %s", reset.Body)
	}
	list, err := w.admin.ListKeysWithResponse(w.ctx)
	w.equal("keys", 3, len(*must(w, list, err).JSON200))
	deleted, err := w.admin.DeleteKeyWithResponse(w.ctx, key.ID)
	w.equal("status", 204, must(w, deleted, err).StatusCode())
	_, err = w.as("rks_wrong").SearchWithResponse(w.ctx, "shop", client.SearchRequest{})
	w.problem(err, 401, "unauthorized")
}

func (w *walk) errors() {
	_, err := w.search.DeleteIndexWithResponse(w.ctx, "shop")
	w.problem(err, 403, "key_not_allowed")
	_, err = w.admin.GetIndexWithResponse(w.ctx, "missing")
	w.problem(err, 404, "index_not_found")
	_, err = w.admin.DeleteDocumentWithResponse(w.ctx, "shop", "..") // a path of its own, not the index
	w.problem(err, 404, "route_not_found")
	_, err = w.admin.CreateIndexWithResponse(w.ctx, "shop", client.IndexRequest{})
	w.problem(err, 409, "index_exists")
	_, err = w.search.SearchWithResponse(w.ctx, "shop", client.SearchRequest{Filter: "price <"})
	w.problem(err, 422, "invalid_filter")
	_, err = w.admin.WriteBatchWithResponse(w.ctx, "shop", []client.BatchWriteAction{
		{Action: "upsert", ID: new("4"), Body: client.Document{"price": 1}}, {Action: "upsert", ID: new("5"), Body: client.Document{"price": "much"}},
	})
	problem := w.problem(err, 422, "invalid_document")
	w.equal("place", "body[1].body.price", problem.Errors[0].Location)
	_, err = w.admin.GetDocumentWithResponse(w.ctx, "shop", "4")
	w.problem(err, 404, "document_not_found") // nothing of the batch was applied
}

func (w *walk) end() {
	cleared, err := w.admin.ClearIndexWithResponse(w.ctx, "shop")
	w.equal("cleared", "shop", must(w, cleared, err).JSON202.Name)
	found, err := w.search.SearchWithResponse(w.ctx, "shop", client.SearchRequest{})
	w.equal("found", int64(0), must(w, found, err).JSON200.Total)
	deleted, err := w.admin.DeleteIndexWithResponse(w.ctx, "shop")
	w.equal("deleted", "shop", must(w, deleted, err).JSON202.Name)
	_, err = w.search.SearchWithResponse(w.ctx, "shop", client.SearchRequest{})
	w.problem(err, 404, "search_not_found")
}
