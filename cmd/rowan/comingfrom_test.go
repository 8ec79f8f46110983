package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exports are files in the formats of other search engines.
var exports = map[string]string{
	// of its dump
	"indexes/products/documents.jsonl": `{"id":1,"title":"Espresso machine","price":199.9,"released":1714521600,"_geo":{"lat":45.4,"lng":9.2},"_vectors":{"default":{"regenerate":true,"embeddings":[[0.1]]}}}
{"id":2,"title":"Coffee grinder","price":49.5,"released":1704067200}
`,
	"typesense.ndjson": `{"id":"1","title":"Espresso machine","price":199.9,"released":1714521600}
{"id":"2","title":"Coffee grinder","price":49.5,"released":1704067200}
`,
	"algolia.ndjson": `{"title":"Espresso machine","price":199.9,"released":1714521600,"_tags":["kitchen"],"_geoloc":{"lat":45.4,"lng":9.2},"objectID":"1"}
{"title":"Coffee grinder","price":49.5,"released":null,"objectID":"2"}
`,
	"elasticsearch.ndjson": `{"_index":"products","_type":"_doc","_id":"1","_score":1,"_source":{"title":"Espresso machine","price":199.9,"released":"2024-05-01"}}
{"_index":"products","_type":"_doc","_id":"2","_score":1,"_source":{"title":"Coffee grinder","price":49.5,"released":"2024-01-01T00:00:00.000Z"}}
`,
	"mappings.json": `[{"name":"title","type":"sentence"},{"name":"price","type":"price"},{"name":"released","type":"date"},{"name":"geo.lat","type":"float"}]`,
}

// TestMovingData runs the commands of docs/coming-from.md that move data, on these files.
func TestMovingData(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "tar", "jq", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the commands need %s: %v", tool, err)
		}
	}
	page, err := os.ReadFile("../../docs/coming-from.md")
	if err != nil {
		t.Fatal(err)
	}
	before, section, _ := strings.Cut(string(page), "\n## Move the data\n")
	shellBlock := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	setup, moving := shellBlock.FindStringSubmatch(before), shellBlock.FindStringSubmatch(section)
	if setup == nil || moving == nil {
		t.Fatal("the page has no commands that move data")
	}
	commands := regexp.MustCompile(`(?m)^export U=.*\n`).ReplaceAllString(setup[1], "") + moving[1]

	dir := t.TempDir()
	for name, text := range exports {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dump := exec.CommandContext(t.Context(), "sh", "-c", "tar -czf products.dump indexes && rm -r indexes")
	dump.Dir = dir
	if out, err := dump.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	b := newBench(t)
	b.serve()
	shell := exec.CommandContext(t.Context(), "sh", "-ec", commands)
	shell.Dir = dir
	shell.Env = append(b.command().Env, "U=http://"+b.address, "ADMIN=shop:"+adminKey, "PATH="+filepath.Dir(b.binary)+":"+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, test := range []struct {
		index, filter string
		want          []string
	}{
		{"products-m", "released = 2024-05-01 AND geo.lat 45.3 TO 45.6 AND geo.lng 9 TO 9.4", []string{"1"}},
		{"products-m", "", []string{"1"}}, // the expensive one is left out
		{"products-t", "released < 2024-02", []string{"2"}},
		{"products-a", "released = 2024-05-01 AND tags = kitchen", []string{"1"}},
		{"products-a", "", []string{"1", "2"}},
		{"products-e", "released = 2024-05-01", []string{"1"}},
		{"products-e", "released = 2024-01-01 AND title = \"Coffee grinder\"", []string{"2"}},
	} {
		var answer struct {
			IDs []string `json:"ids"`
		}
		if err := json.Unmarshal([]byte(b.must("search", test.index, "--json", "--filter", test.filter)), &answer); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(answer.IDs); !slices.Equal(answer.IDs, test.want) {
			t.Errorf("%s where %s: %v, want %v; the commands said\n%s", test.index, test.filter, answer.IDs, test.want, out)
		}
	}
}
