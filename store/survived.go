package store

import (
	"fmt"
	"runtime/debug"
)

// survived runs a round of background work on an index, and turns a panic into an error. The work is tried again later, on any server: otherwise a
// document that causes a panic would end all servers, one after the other, although searches do not need the work.
func survived[T any](round func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: panic in the background: %v\n%s", p, debug.Stack())
		}
	}()
	return round()
}
