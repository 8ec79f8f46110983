package store

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

func TestChunks(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for name, test := range map[string]struct{ sizes, want []int }{
		"none":       {nil, nil},
		"one":        {[]int{10}, []int{1}},
		"small ones": {make([]int, 2500), []int{1000, 1000, 500}},
		"large ones": {[]int{mib, mib, mib, mib, mib}, []int{4, 1}},
		"very large": {[]int{10, 16 * mib, 10, 10}, []int{1, 1, 2}},
	} {
		var changes []service.Change
		for i, size := range test.sizes {
			changes = append(changes, service.Change{ID: fmt.Sprint(i), Body: make(json.RawMessage, size)})
		}
		var got []int
		next := 0
		for chunk := range chunked(changes) {
			got = append(got, len(chunk))
			for _, c := range chunk {
				if c.ID != fmt.Sprint(next) {
					t.Fatalf("%s: %s comes where %d should", name, c.ID, next)
				}
				next++
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for range chunked(changes) {
			break // must not go on
		}
	}
}
