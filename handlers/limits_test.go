package handlers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/openapi"
)

// As much as the OpenAPI document allows is accepted; one more is refused at its location.
func TestLimitsOfTheDocument(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{{"POST", "/v1/index/films", "", 202, "", nil}})
	list := func(n int, element string) string { // %d in an element is its number
		elements := make([]string, n)
		for i := range elements {
			elements[i] = strings.ReplaceAll(element, "%d", fmt.Sprint(i))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	letters := func(n int) string { return strings.Repeat("x", n) }
	settings := func(member string) func(n int) string {
		return func(n int) string {
			return `{"` + member + `":` + list(n, map[string]string{"synonyms": `["a%d","b%d"]`, "stop_words": `"a%d"`}[member]) + `}`
		}
	}
	const schemas, batch, path = "components schemas ", "paths /v1/index/{index}/batch ", "/v1/index/films"
	for _, limit := range []struct {
		at           string // where the document has the limit
		method, path string
		body         func(n int) string
		code         string // of the refusal
		location     string
	}{
		{batch + "post requestBody content application/json schema maxItems", "POST", path + "/batch", func(n int) string { return list(n, `{"_id":"%d"}`) }, "too_large", ""},
		{batch + "put requestBody content application/json schema maxItems", "PUT", path + "/batch", func(n int) string { return list(n, `{"action":"delete","_id":"%d"}`) }, "too_large", ""},
		{schemas + "BatchReadAction properties _id maxLength", "POST", path + "/batch", func(n int) string { return `[{"_id":"` + letters(n) + `"}]` }, "invalid_request", "body[0]._id"},
		{schemas + "BatchWriteAction properties _id maxLength", "PUT", path + "/batch", func(n int) string { return `[{"action":"upsert","body":{},"_id":"` + letters(n) + `"}]` }, "invalid_document", "body[0]._id"},
		{schemas + "Document properties _id maxLength", "POST", path + "/document", func(n int) string { return `{"_id":"` + letters(n) + `"}` }, "invalid_document", "body._id"},
		{schemas + "IndexRequest properties mappings maxItems", "PUT", path, func(n int) string { return `{"mappings":` + list(n, `{"name":"p%d","type":"bool"}`) + `}` }, "invalid_mapping", "body.mappings"},
		{schemas + "IndexSettingsPatch properties synonyms maxItems", "PATCH", path + "/settings", settings("synonyms"), "invalid_request", "body.synonyms"},
		{schemas + "IndexSettingsPatch properties stop_words maxItems", "PATCH", path + "/settings", settings("stop_words"), "invalid_request", "body.stop_words"},
		{schemas + "Autocomplete properties fields maxItems", "PATCH", path + "/settings", func(n int) string { return `{"autocomplete":{"fields":` + list(n, `"f%d"`) + `}}` }, "invalid_request", "body.autocomplete.fields"},
		{schemas + "IndexSettingsPatch properties stop_words items maxLength", "PATCH", path + "/settings", func(n int) string { return `{"stop_words":["` + letters(n) + `"]}` }, "invalid_request", "body.stop_words[0]"},
		{schemas + "OneWaySynonym properties to maxItems", "PATCH", path + "/settings", func(n int) string { return `{"synonyms":[{"from":["a"],"to":` + list(n, `"b%d"`) + `}]}` }, "invalid_request", "body.synonyms[0].to"},
		{schemas + "OneWaySynonym properties from items maxLength", "PATCH", path + "/settings", func(n int) string { return `{"synonyms":[{"from":["` + letters(n) + `"],"to":["b"]}]}` }, "invalid_request", "body.synonyms[0].from[0]"},
		{schemas + "FacetNames oneOf 0 maxItems", "POST", "/v1/search/films", func(n int) string { return `{"facets":` + list(n, `"f%d"`) + `}` }, "invalid_facets", "body.facets"},
		{schemas + "DefinitionRequest properties facets maxItems", "PUT", "/v1/search/best", func(n int) string { return `{"index":"films","facets":` + list(n, `"f%d"`) + `}` }, "invalid_request", "body.facets"},
		{schemas + "DefinitionRequest properties fields maxProperties", "PUT", "/v1/search/best", func(n int) string {
			weights := strings.Trim(list(n, `"f%d":1`), "[]")
			return `{"index":"films","fields":{` + weights + `}}`
		}, "invalid_request", "body.fields"},
		{schemas + "KeyRequest properties description maxLength", "POST", "/v1/keys", func(n int) string { return `{"type":"search","description":"` + letters(n) + `"}` }, "invalid_request", "body.description"},
	} {
		n := numberAt(t, limit.at)
		if got := c.do(limit.method, limit.path, limit.body(n)); got.status >= 300 {
			t.Errorf("%s: %d are %d %s", limit.at, n, got.status, got.body)
		}
		var p handlers.Problem
		got := c.do(limit.method, limit.path, limit.body(n+1))
		if err := json.Unmarshal([]byte(got.body), &p); err != nil {
			t.Fatal(err)
		}
		if string(p.Code) != limit.code || limit.location != "" && (len(p.Errors) == 0 || p.Errors[0].Location != limit.location) {
			t.Errorf("%s: %d are %d %s", limit.at, n+1, got.status, got.body)
		}
	}
}

// numberAt returns the number in the OpenAPI document to which names lead; 0 is the first of a list.
func numberAt(t *testing.T, place string) int {
	t.Helper()
	var at any
	if err := json.Unmarshal(openapi.JSON, &at); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(place) {
		if elements, ok := at.([]any); ok {
			at = elements[0]
			continue
		}
		members, _ := at.(map[string]any)
		at = members[name]
	}
	n, ok := at.(float64)
	if !ok {
		t.Fatalf("the document has no number at %s", place)
	}
	return int(n)
}
