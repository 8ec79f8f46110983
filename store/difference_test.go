package store_test

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
)

// difference is cmp.Diff for values that are compared thousands of times and mostly equal. cmp compares the bodies of hits byte by byte, which took a
// test of searches longer than the searches themselves.
func difference[T any](want, got T) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}
