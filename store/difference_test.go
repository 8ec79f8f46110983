package store_test

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
)

// difference is cmp.Diff for what is compared thousands of times and mostly the same. cmp goes through the bodies of hits byte by byte,
// which took a test of searches more time than all that it searched for.
func difference[T any](want, got T) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}
