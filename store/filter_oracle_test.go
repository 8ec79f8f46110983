package store_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/filter/filtertest"
)

// A filter finds the same in the database as when applied to the documents one by one.
func TestFilterOracle(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var fields []string
	for name, kind := range filtertest.Types {
		fields = append(fields, name+" "+string(kind))
	}
	slices.Sort(fields)
	s.create(t, "things", fields...)
	rapid.Check(t, func(rt *rapid.T) {
		documents := map[string]map[string]any{}
		for _, d := range rapid.SliceOfN(filtertest.Documents(), 1, 12).Draw(rt, "documents") {
			documents[d["_id"].(string)] = d
		}
		var actions []map[string]any
		for id := range 20 {
			actions = append(actions, map[string]any{"action": "delete", "_id": strconv.Itoa(id + 1)})
		}
		for id, d := range documents {
			actions = append(actions, map[string]any{"action": "upsert", "_id": id, "body": d})
		}
		s.batch(t, "things", actions)
		for range 4 {
			node := filtertest.Filters().Draw(rt, "filter")
			cond, err := filter.Bind(node, filtertest.KindOf(filtertest.Types))
			if err != nil {
				rt.Fatal(err)
			}
			var want []string
			for id, d := range documents {
				if filtertest.Match(cond, reread(rt, d), filtertest.Types) {
					want = append(want, id)
				}
			}
			slices.Sort(want)
			resp, err := s.svc.Search(t.Context(), demo, "things", ask(filtered(node.String()), sortedBy("_id")))
			if err != nil {
				rt.Fatalf("%s: %v", node, err)
			}
			if got := strings.Join(resp.IDs, " "); got != strings.Join(want, " ") || resp.Total != int64(len(want)) {
				rt.Errorf("%s finds %q, total %d; it should find %q", node, got, resp.Total, want)
			}
		}
	})
}

// A whole number is compared correctly with any other, however small the other's difference from a whole number, and however large it is.
func TestNumbersThatAreHardlyWhole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "n int")
	s.put(t, "things", "minus", `{"n":-1}`, "one", `{"n":1}`, "zero", `{"n":0}`)
	for expression, want := range map[string]string{
		"n = 1e-60": "", "n > 1e-60": "one", "n >= 1e-60": "one", "n < 1e-60": "minus zero", "n <= 1e-60": "minus zero", "n != 1e-60": "minus one zero",
		"n = -1e-60": "", "n > -1e-60": "one zero", "n >= -1e-60": "one zero", "n < -1e-60": "minus", "n <= -1e-60": "minus",
		"n > 1e60": "", "n < 1e60": "minus one zero", "n > -1e60": "minus one zero", "n < -1e60": "", "n = 1e60": "",
		"n -1e-60 TO 1e-60": "zero", "n 1e-60 TO 1e60": "one", "n -1e60 TO -1e-60": "minus", "n >= 10e-1": "one", "n = -100e-2": "minus",
	} {
		if got := s.found(t, "things", filtered(expression), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", expression, got, want)
		}
	}
}

// A double too close to zero to have all its digits is zero in documents, filters and means.
func TestDoublesNextToZero(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "f float")
	s.put(t, "things", "least", `{"f":2.3e-308}`, "minus", `{"f":-2.3000000000000004e-308}`, "one", `{"f":1e-310}`, "two", `{"f":5e-324}`, "zero", `{"f":0}`)
	for expression, want := range map[string]string{
		"f = 5e-324": "one two zero", "f = 1e-310": "one two zero", "f = 0": "one two zero", "f != 1e-310": "least minus", "f >= 1e-310": "least one two zero",
		"f > 1e-310": "least", "f < -1e-310": "minus", "f = 2.3e-308": "least", "f = 1e-400": "one two zero",
	} {
		if got := s.found(t, "things", filtered(expression), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", expression, got, want)
		}
	}
	stats := s.search(t, "things", filtered("f != 0"), withFacets("f")).FacetStats["f"]
	if got := fmt.Sprintf("%s", stats.Avg); got != "0" {
		t.Errorf("the mean is %s, want 0", got)
	}
}

// reread returns a document as read from its JSON.
func reread(t *rapid.T, d map[string]any) map[string]any {
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var again map[string]any
	if err := dec.Decode(&again); err != nil {
		t.Fatal(err)
	}
	return again
}
