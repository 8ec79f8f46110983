package handlers

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// Generators that write one file per schema (orval, kubb) list these files in index.ts, which overwrote the file of a schema named Index.
func TestNoSchemaIsNamedAsAListOfFiles(t *testing.T) {
	t.Parallel()
	json31, _, json30, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{json31, json30} {
		var document struct {
			Components struct{ Schemas map[string]any }
		}
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		if len(document.Components.Schemas) == 0 {
			t.Error("no schemas were found")
		}
		for name := range document.Components.Schemas {
			if strings.EqualFold(name, "index") {
				t.Errorf("a schema is named %s", name)
			}
		}
	}
}

func TestDocumentsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	first, firstYAML, first30, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		again, againYAML, again30, err := documents()
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(again) || string(firstYAML) != string(againYAML) || string(first30) != string(again30) {
			t.Fatal("the documents differ from one call to the next")
		}
	}
}

// operations returns the OpenAPI document and every operation in it.
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

// Each status of the health check is described as it is.
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

// The schemas of requests accept what GET answers and can be sent back, and reject what is refused for its form.
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

// checkExample checks an example against its schema.
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

// The examples are those of the 3.1 document; the 3.0 document lacks its alternatives.
func TestExamplesFitTheFormsOf30(t *testing.T) {
	t.Parallel()
	_, doc := trees(t)
	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	var check func(at string, schema map[string]any, value any)
	check = func(at string, schema map[string]any, value any) {
		if ref, ok := schema["$ref"].(string); ok {
			schema = schemas[strings.TrimPrefix(ref, schemaPrefix)].(map[string]any)
		}
		items, _ := schema["items"].(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		others, _ := schema["additionalProperties"].(map[string]any)
		var kind string
		switch value := value.(type) {
		case []any:
			kind = huma.TypeArray
			for _, item := range value {
				if items != nil && item != nil {
					check(at+"[]", items, item)
				}
			}
		case map[string]any:
			kind = huma.TypeObject
			for name, member := range value {
				if property, ok := properties[name].(map[string]any); ok {
					check(at+"."+name, property, member)
				} else if others != nil {
					check(at+"."+name, others, member)
				}
			}
		case string:
			kind = huma.TypeString
		}
		if kind != "" && schema["type"] != nil && schema["type"] != kind {
			t.Errorf("%s: the example has the type %s, the schema %v", at, kind, schema["type"])
		}
	}
	examples := 0
	var visit func(at string, tree any)
	visit = func(at string, tree any) {
		switch node := tree.(type) {
		case map[string]any:
			if schema, ok := node["schema"].(map[string]any); ok && node["example"] != nil {
				check(at, schema, node["example"])
				examples++
			}
			for name, member := range node {
				visit(at+"."+name, member)
			}
		case []any:
			for _, member := range node {
				visit(at, member)
			}
		}
	}
	visit("", doc["paths"])
	if examples == 0 {
		t.Error("no examples were found")
	}
}

// TestSchemasResolve follows every reference of the documents, from which clients are generated. It finds
// objects, enumerations and alternatives without a name, for which generators would have to invent one.
func TestSchemasResolve(t *testing.T) {
	t.Parallel()
	doc31, doc30 := trees(t)
	for _, doc := range []map[string]any{doc31, doc30} {
		testSchemasResolve(t, doc)
	}
}

func testSchemasResolve(t *testing.T, doc map[string]any) {
	t.Helper()
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
			if strings.Count(at, ".") != 3 || !strings.HasPrefix(at, ".components.schemas.") {
				if v["enum"] != nil {
					t.Errorf("%s: an enumeration without a name", at)
				}
				if choice := strings.HasSuffix(at, "Of[]") && v["type"] == "object"; choice || v["properties"] != nil && v["type"] == "object" {
					t.Errorf("%s: an object without a name", at)
				}
				for _, key := range []string{"oneOf", "anyOf"} {
					choices, _ := v[key].([]any)
					if len(choices) > 0 && !slices.ContainsFunc(choices, func(choice any) bool { return choice.(map[string]any)["type"] == typeNull }) {
						t.Errorf("%s: alternatives without a name", at)
					}
				}
			}
			for key, member := range v {
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
		// Generated Python imports these: a class of the same name would hide them. Match is a keyword of PHP.
		if slices.Contains([]string{"Any", "Client", "Mapping", "Response", "Unset", "Match"}, name) {
			t.Errorf("a schema called %s", name)
		}
		// Generated Go calls constructors so.
		if made, ok := strings.CutPrefix(name, "New"); ok && schemas[made] != nil {
			t.Errorf("a schema called %s beside %s", name, made)
		}
	}
}

// trees returns the 3.1 and 3.0 documents, decoded.
func trees(t *testing.T) (doc31, doc30 map[string]any) {
	t.Helper()
	json31, _, json30, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for text, doc := range map[*[]byte]*map[string]any{&json31: &doc31, &json30: &doc30} {
		if err := json.Unmarshal(*text, doc); err != nil {
			t.Fatal(err)
		}
	}
	return doc31, doc30
}

// Today's clients understand the answers of later servers, which may have more properties. Requests with unknown properties are refused.
func TestAnswersAreOpenAndRequestsClosed(t *testing.T) {
	t.Parallel()
	doc, all := operations(t)
	answered := map[string]bool{}
	var visit func(s *huma.Schema)
	visit = func(s *huma.Schema) {
		if s == nil || answered[s.Ref] {
			return
		}
		if s.Ref != "" {
			answered[s.Ref] = true
			s = doc.Components.Schemas.SchemaFromRef(s.Ref)
		}
		if s.AdditionalProperties == false {
			t.Errorf("answers have no other properties than %v", slices.Sorted(maps.Keys(s.Properties)))
		}
		others, _ := s.AdditionalProperties.(*huma.Schema)
		for _, inner := range slices.Concat(slices.Collect(maps.Values(s.Properties)), s.OneOf, s.AnyOf, []*huma.Schema{s.Items, others}) {
			visit(inner)
		}
	}
	for _, op := range all {
		for _, response := range op.Responses {
			for _, media := range response.Content {
				visit(media.Schema)
			}
		}
	}
	if !answered[schemaPrefix+"WordExplanation"] || !answered[schemaPrefix+"ProblemError"] {
		t.Errorf("only %d schemas of answers were found", len(answered))
	}
	for name, schema := range doc.Components.Schemas.Map() {
		if schema.Type == huma.TypeObject && !answered[schemaPrefix+name] && schema.AdditionalProperties == nil {
			t.Errorf("%s is of requests alone, and takes what the service refuses", name)
		}
	}
}

// Generated clients choose the media type of a body by its type.
func TestEachMediaTypeHasASchema(t *testing.T) {
	t.Parallel()
	_, all := operations(t)
	several := 0
	for _, op := range all {
		if op.RequestBody == nil || len(op.RequestBody.Content) < 2 {
			continue
		}
		several++
		if op.RequestBody.Content[jsonType].Schema.Ref == op.RequestBody.Content[mergePatchType].Schema.Ref {
			t.Errorf("%s: JSON and merge patches have the same schema", op.OperationID)
		}
	}
	if several == 0 {
		t.Error("no operation takes merge patches")
	}
}

// Each version of the document describes values that may be null or of several types in its own way.
func TestAlternativesOfBothVersions(t *testing.T) {
	t.Parallel()
	doc31, doc30 := trees(t)
	at := func(doc map[string]any, path ...string) any {
		var v any = doc
		for _, name := range path {
			v = v.(map[string]any)[name]
		}
		return v
	}
	entry := []string{"paths", "/v1/index/{index}/batch", "post", "responses", "200", "content", "application/json", "schema", "items"}
	value := []string{"components", "schemas", "FacetScalar", "anyOf"}
	value30 := []string{"components", "schemas", "FacetValue", "properties", "value"}
	filter := []string{"components", "schemas", "Filter"}
	filter30 := []string{"components", "schemas", "SearchRequest", "properties", "filter"}
	page := []string{"components", "schemas", "PageNumber"}
	facets := []string{"components", "schemas", "FacetNames"}
	facets30 := []string{"components", "schemas", "SearchRequest", "properties", "facets", "type"}
	document := map[string]any{"$ref": schemaPrefix + "Document"}
	for name, test := range map[string]struct{ got, want any }{
		"entry, 3.1":  {at(doc31, entry...), map[string]any{"anyOf": []any{document, map[string]any{"type": "null"}}}},
		"entry, 3.0":  {at(doc30, entry...), map[string]any{"allOf": []any{document}, "nullable": true}},
		"value, 3.1":  {at(doc31, value...), []any{map[string]any{"type": "string"}, map[string]any{"type": "number"}, map[string]any{"type": "boolean"}}},
		"value, 3.0":  {at(doc30, value30...), map[string]any{"description": "The value, as it is stored; numbers without trailing zeros."}},
		"filter, 3.1": {len(at(doc31, append(filter, "oneOf")...).([]any)), 2},
		"filter, 3.0": {at(doc30, filter30...), map[string]any{"description": "A filter: an expression, or an object of properties and their values."}},
		"page, 3.1":   {len(at(doc31, append(page, "oneOf")...).([]any)), 2},
		"page, 3.0":   {at(doc30, append(page, "type")...), "integer"},
		"page, least": {at(doc30, append(page, "minimum")...), 1.0},
		"size, least": {at(doc30, "components", "schemas", "PageSize", "minimum"), 0.0},
		"facets, 3.1": {len(at(doc31, append(facets, "oneOf")...).([]any)), 2},
		"facets, 3.0": {at(doc30, facets30...), "array"},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A generated client for Go (ogen) writes the name of an absent property if its schema has a name and takes any value: what it
// sends is not JSON then.
func TestPropertiesOfAnyValueHaveNoNamedSchemaIn30(t *testing.T) {
	t.Parallel()
	_, doc := trees(t)
	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	anything := 0
	for name, schema := range schemas {
		properties, _ := schema.(map[string]any)["properties"].(map[string]any)
		for property, value := range properties {
			value := value.(map[string]any)
			ref, named := value["$ref"].(string)
			if named {
				value = schemas[strings.TrimPrefix(ref, schemaPrefix)].(map[string]any)
			}
			if value["type"] != nil || value["allOf"] != nil {
				continue
			}
			anything++
			if named {
				t.Errorf("%s.%s refers to %s, which is any value", name, property, ref)
			}
		}
	}
	if anything == 0 {
		t.Error("no property takes any value")
	}
}

func TestProblemListsEveryCode(t *testing.T) {
	t.Parallel()
	doc, _ := operations(t)
	enum := doc.Components.Schemas.Map()["ProblemCode"].Enum
	var got []service.Code
	for _, v := range enum {
		got = append(got, service.Code(v.(string)))
	}
	if diff := cmp.Diff(service.Codes, got); diff != "" {
		t.Error(diff)
	}
}

// documents returns the OpenAPI documents: 3.1 as JSON and YAML, 3.0 as JSON. They depend only on the code.
// The service serves the copies in package openapi, which a test compares with these.
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

// downgrade returns the document as OpenAPI 3.0, in which nothing may stand beside a $ref, and there is no type null.
func downgrade(doc *huma.OpenAPI) ([]byte, error) {
	text, err := doc.Downgrade()
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	schemas := tree.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)
	inlineAlternatives(schemas, tree)
	bareRefs(tree)
	alternatives(tree)
	dropUnused(schemas, tree)
	return json.Marshal(tree)
}

// inlineAlternatives replaces references to schemas that consist only of alternatives by these, beside the descriptions there: 3.0
// has only one of the alternatives, or any value, and a name adds nothing to that.
func inlineAlternatives(schemas map[string]any, tree any) {
	switch node := tree.(type) {
	case map[string]any:
		if ref, ok := node["$ref"].(string); ok {
			schema := schemas[strings.TrimPrefix(ref, schemaPrefix)].(map[string]any)
			if len(schema) == 1 && (schema["oneOf"] != nil || schema["anyOf"] != nil) {
				delete(node, "$ref")
				maps.Copy(node, schema)
			}
		}
		for _, member := range node {
			inlineAlternatives(schemas, member)
		}
	case []any:
		for _, member := range node {
			inlineAlternatives(schemas, member)
		}
	}
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

// alternatives writes values that may be null as 3.0 does. From other alternatives, generators for 3.0 make empty classes, or code
// that does not compile: so alternatives that write the same value are reduced to the first one, and those with an object to any
// value.
func alternatives(tree any) {
	switch node := tree.(type) {
	case map[string]any:
		for _, key := range []string{"oneOf", "anyOf"} {
			choices, ok := node[key].([]any)
			if !ok {
				continue
			}
			delete(node, key)
			isNull := func(choice any) bool { return choice.(map[string]any)["type"] == typeNull }
			isObject := func(choice any) bool { return choice.(map[string]any)["$ref"] != nil }
			switch {
			case slices.ContainsFunc(choices, isNull):
				// Linters want a type beside nullable, but with a type openapi-python-client does not accept null.
				node["allOf"], node["nullable"] = slices.DeleteFunc(choices, isNull), true
			case key == "oneOf" && !slices.ContainsFunc(choices, isObject):
				maps.Copy(node, choices[0].(map[string]any))
			}
		}
		for _, member := range node {
			alternatives(member)
		}
	case []any:
		for _, member := range node {
			alternatives(member)
		}
	}
}

// dropUnused removes the schemas that only alternatives used.
func dropUnused(schemas map[string]any, tree any) {
	used := map[string]bool{}
	var walk func(any)
	walk = func(tree any) {
		switch node := tree.(type) {
		case map[string]any:
			if ref, ok := node["$ref"].(string); ok {
				used[strings.TrimPrefix(ref, schemaPrefix)] = true
			}
			for _, member := range node {
				walk(member)
			}
		case []any:
			for _, member := range node {
				walk(member)
			}
		}
	}
	walk(tree)
	maps.DeleteFunc(schemas, func(name string, _ any) bool { return !used[name] })
}

func indented(text []byte) []byte {
	var buf bytes.Buffer
	_ = json.Indent(&buf, text, "", "  ") // it has just been encoded
	buf.WriteByte('\n')
	return buf.Bytes()
}
