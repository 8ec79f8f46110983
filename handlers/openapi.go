package handlers

import (
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/rowansearch/rowan/handlers/viewer"
	"github.com/rowansearch/rowan/openapi"
)

//go:generate go test -run ^TestDocuments$ -update .

// apiVersion is the version of the interface, not of the program: it changes when clients have to.
const apiVersion = "1.0.0"

const apiDescription = `Rowan stores JSON documents in named indices and searches them.

Every request but the health checks and these documents needs an API key: by HTTP basic authentication (user: the application id,
password: the key) or in the headers X-Service-Application and X-Service-API-Key. Search keys may only search.

The body of a request may be compressed: Content-Encoding: gzip. Size limits apply to the uncompressed body.

Every error is a problem (RFC 9457) with a stable code. Answers may gain properties in later versions: ignore those that you do not know. Every answer has an X-Request-Id header: that of the request, or a new one.`

func documentConfig() huma.Config {
	registry := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	nameSchemas(registry)
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Rowan", Version: apiVersion, Description: apiDescription,
				License: &huma.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"},
			},
			Servers: []*huma.Server{{URL: "/"}},
			Tags: []*huma.Tag{
				{Name: "Search", Description: "Finding documents."},
				{Name: "Documents", Description: "One document at a time."},
				{Name: "Batches", Description: "Up to 10,000 documents at a time."},
				{Name: "Indices", Description: "Containers of documents, their mappings and settings."},
				{Name: "Defined searches", Description: "Searches with a name: an index and how it is searched."},
				{Name: "Keys", Description: "API keys."},
				{Name: "Settings", Description: "Settings for all searches of the application."},
				{Name: "Health", Description: "For load balancers."},
			},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"basic":       {Type: "http", Scheme: "basic", Description: "User: the application id. Password: an API key."},
					"application": {Type: "apiKey", In: "header", Name: applicationHeader, Description: "The application id."},
					"apiKey":      {Type: "apiKey", In: "header", Name: keyHeader, Description: "An API key."},
				},
			},
			OnAddOperation: []huma.AddOpFunc{describeBody, openAnswers},
		},
		Formats:       map[string]huma.Format{jsonType: answerFormat, problemType: huma.DefaultJSONFormat},
		DefaultFormat: jsonType,
	}
}

// openAnswers allows additional properties in answers: where a schema forbids them, generated clients would refuse the answers of
// a later server. Requests stay closed, as the service refuses unknown properties.
func openAnswers(doc *huma.OpenAPI, described *huma.Operation) {
	var open func(*huma.Schema)
	open = func(s *huma.Schema) {
		if s == nil {
			return
		}
		if s.Ref != "" {
			s = doc.Components.Schemas.SchemaFromRef(s.Ref)
		}
		switch others := s.AdditionalProperties.(type) {
		case bool:
			if !others {
				s.AdditionalProperties = nil
			}
		case *huma.Schema:
			open(others)
		}
		for _, property := range s.Properties {
			open(property)
		}
		for _, choice := range slices.Concat(s.OneOf, s.AnyOf, []*huma.Schema{s.Items}) {
			open(choice)
		}
	}
	for _, response := range described.Responses {
		for _, media := range response.Content {
			open(media.Schema)
		}
	}
}

// mountDocuments serves the documents and their viewer, without credentials.
func mountDocuments(router chi.Router) {
	for path, file := range map[string]struct {
		kind string
		text []byte
	}{
		"/openapi.json":     {"application/json", openapi.JSON},
		"/openapi.yaml":     {"application/yaml", openapi.YAML},
		"/openapi-3.0.json": {"application/json", openapi.JSON30},
	} {
		router.Get(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind)
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(file.text) // the client may have gone
		})
	}
	// Each file has a route of its own, so that the router answers for other paths and methods.
	for name, handler := range viewer.Handlers() {
		router.Method(http.MethodGet, "/docs/"+name, handler)
	}
	router.Get("/docs", http.RedirectHandler("/docs/", http.StatusMovedPermanently).ServeHTTP)
}
