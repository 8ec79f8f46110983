package handlers

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

var update = flag.Bool("update", false, "write the OpenAPI documents instead of comparing them")

func TestDocuments(t *testing.T) {
	json31, yaml31, json30, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"openapi.json": json31, "openapi.yaml": yaml31, "openapi-3.0.json": json30} {
		path := filepath.Join("..", "openapi", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("%s is stale; run go generate ./handlers (-committed +code):\n%s", path, diff)
		}
	}
}

func TestDocumentsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	first, firstYAML, first30, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, againYAML, again30, err := documents()
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(again) || string(firstYAML) != string(againYAML) || string(first30) != string(again30) {
			t.Fatal("the documents differ from one call to the next")
		}
	}
}

// operations returns every operation of the document.
func operations(t *testing.T) (*huma.OpenAPI, []*huma.Operation) {
	t.Helper()
	doc := newAPI(chi.NewRouter(), nil, Config{}.withDefaults()).oas.OpenAPI()
	var all []*huma.Operation
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				all = append(all, op)
			}
		}
	}
	if len(all) < 30 {
		t.Fatalf("only %d operations", len(all))
	}
	return doc, all
}

func TestOperationsAreDescribed(t *testing.T) {
	t.Parallel()
	doc, all := operations(t)
	tags := map[string]bool{}
	for _, tag := range doc.Tags {
		tags[tag.Name] = true
	}
	for _, op := range all {
		// Generated clients give each operation types of these names.
		for _, of := range []string{"Response", "Params"} {
			if own := strings.ToUpper(op.OperationID[:1]) + op.OperationID[1:] + of; doc.Components.Schemas.Map()[own] != nil {
				t.Errorf("the schema %s clashes with generated code for %s", own, op.OperationID)
			}
		}
		if op.OperationID == "" || op.Summary == "" || len(op.Tags) != 1 || !tags[op.Tags[0]] {
			t.Errorf("%s %s: id %q, summary %q, tags %v", op.Method, op.Path, op.OperationID, op.Summary, op.Tags)
		}
		public := strings.HasSuffix(op.Path, "/health")
		if public != (len(op.Security) == 0) {
			t.Errorf("%s: security %v", op.OperationID, op.Security)
		}
		if _, ok := op.Responses["500"]; !ok {
			t.Errorf("%s does not say that it may answer 500", op.OperationID)
		}
		if _, ok := op.Responses["401"]; ok == public {
			t.Errorf("%s: 401 described: %v", op.OperationID, ok)
		}
		examples := op.RequestBody != nil
		if examples {
			for kind, media := range op.RequestBody.Content {
				checkExample(t, doc, op.OperationID+" request "+kind, media)
			}
		}
		for status, response := range op.Responses {
			media, ok := response.Content[jsonType]
			if status[0] != '2' {
				media, ok = response.Content[problemType]
				if status == "503" && public {
					media, ok = response.Content[jsonType]
				}
				if !ok || media.Schema.Ref == "" {
					t.Errorf("%s %s: no schema of the error", op.OperationID, status)
				}
				continue
			}
			if !ok {
				if op.OperationID != "deleteKey" || status != "204" {
					t.Errorf("%s %s: no content", op.OperationID, status)
				}
				continue
			}
			checkExample(t, doc, op.OperationID+" "+status, media)
		}
	}
}

// Each status of the health checks is described as it is.
func TestHealthIsDescribed(t *testing.T) {
	t.Parallel()
	_, all := operations(t)
	for _, op := range all {
		if !strings.HasSuffix(op.Path, "/health") {
			continue
		}
		for status, want := range map[string]string{"200": `{"status":"ok"}`, "503": `{"status":"unavailable"}`} {
			response := op.Responses[status]
			if got, ok := response.Content[jsonType].Example.(json.RawMessage); !ok || string(got) != want {
				t.Errorf("%s %s: example %s", op.OperationID, status, got)
			}
			if (response.Headers["Retry-After"] != nil) != (status == "503") {
				t.Errorf("%s %s: headers %v", op.OperationID, status, response.Headers)
			}
		}
	}
}

// The schemas of requests have what GET answers and can be sent back, and have nothing that is refused for its form.
func TestSchemasOfRequests(t *testing.T) {
	t.Parallel()
	doc, _ := operations(t)
	for _, test := range []struct {
		schema, value string
		fits          bool
	}{
		{"DefinitionRequest", definitionExample, true},
		{"DefinitionRequest", `{"index":"films","colour":1}`, false},
		{"SearchRequest", `{"page":1,"per_page":"0"}`, true},
		{"SearchRequest", `{"per_page":-1}`, false},
		{"SearchRequest", `{"per_page":"-1"}`, false},
		{"IndexSettingsPatch", `{"synonyms":[["a","b"],{"from":["a"],"to":["b"]}]}`, true},
		{"IndexSettingsPatch", `{"synonyms":[["a"]]}`, false},
		{"IndexSettingsPatch", `{"synonyms":[{"from":["a"],"to":[]}]}`, false},
	} {
		var value any
		if err := json.Unmarshal([]byte(test.value), &value); err != nil {
			t.Fatal(err)
		}
		schemas, result := doc.Components.Schemas, &huma.ValidateResult{}
		huma.Validate(schemas, schemas.Map()[test.schema], huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, value, result)
		if fits := len(result.Errors) == 0; fits != test.fits {
			t.Errorf("%s %s: fits %t: %v", test.schema, test.value, fits, result.Errors)
		}
	}
}

// checkExample holds an example against its schema.
func checkExample(t *testing.T, doc *huma.OpenAPI, name string, media *huma.MediaType) {
	t.Helper()
	text, err := json.Marshal(media.Example)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil || value == nil {
		t.Errorf("%s: example %s: %v", name, text, err)
		return
	}
	result := &huma.ValidateResult{}
	huma.Validate(doc.Components.Schemas, media.Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, value, result)
	for _, err := range result.Errors {
		t.Errorf("%s: the example does not fit its schema: %v", name, err)
	}
}

// TestSchemasResolve follows every reference of the 3.0 document, from which clients are generated, and
// finds objects without a name, for which generators would have to invent one.
func TestSchemasResolve(t *testing.T) {
	t.Parallel()
	_, _, json30, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(json30, &doc); err != nil {
		t.Fatal(err)
	}
	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	used := map[string]bool{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name := strings.TrimPrefix(ref, schemaPrefix)
				if schemas[name] == nil {
					t.Errorf("%s: %s leads nowhere", at, ref)
				}
				used[name] = true
			}
			for key, member := range v {
				if key == "schema" && strings.HasPrefix(at, ".paths") {
					if m, ok := member.(map[string]any); ok && m["properties"] != nil {
						t.Errorf("%s: an object without a name", at)
					}
				}
				walk(at+"."+key, member)
			}
		case []any:
			for _, member := range v {
				walk(at+"[]", member)
			}
		}
	}
	walk("", doc)
	for name := range schemas {
		if !used[name] {
			t.Errorf("nothing uses the schema %s", name)
		}
	}
}

func TestProblemListsEveryCode(t *testing.T) {
	t.Parallel()
	doc, _ := operations(t)
	enum := doc.Components.Schemas.Map()["Problem"].Properties["code"].Enum
	var got []service.Code
	for _, v := range enum {
		got = append(got, service.Code(v.(string)))
	}
	if diff := cmp.Diff(service.Codes, got); diff != "" {
		t.Error(diff)
	}
}

// documents makes the OpenAPI documents: 3.1 as JSON and YAML, 3.0 as JSON. They depend on nothing but the
// code. The service hands out the copies in package openapi, which a test holds against these.
func documents() (json31, yaml31, json30 []byte, err error) {
	doc := newAPI(chi.NewRouter(), nil, Config{}.withDefaults()).oas.OpenAPI()
	if json31, err = doc.MarshalJSON(); err != nil {
		return nil, nil, nil, err
	}
	if yaml31, err = doc.YAML(); err != nil {
		return nil, nil, nil, err
	}
	if json30, err = downgrade(doc); err != nil {
		return nil, nil, nil, err
	}
	return indented(json31), yaml31, indented(json30), nil
}

// downgrade makes the document OpenAPI 3.0, where nothing may stand beside a $ref.
func downgrade(doc *huma.OpenAPI) ([]byte, error) {
	text, err := doc.Downgrade()
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	bareRefs(tree)
	return json.Marshal(tree)
}

func bareRefs(tree any) {
	switch node := tree.(type) {
	case map[string]any:
		if _, ok := node["$ref"].(string); ok {
			maps.DeleteFunc(node, func(name string, _ any) bool { return name != "$ref" })
		}
		for _, member := range node {
			bareRefs(member)
		}
	case []any:
		for _, member := range node {
			bareRefs(member)
		}
	}
}

func indented(text []byte) []byte {
	var buf bytes.Buffer
	_ = json.Indent(&buf, text, "", "  ") // it was encoded just now
	buf.WriteByte('\n')
	return buf.Bytes()
}
