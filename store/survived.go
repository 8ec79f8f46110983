package store

import (
	"fmt"
	"runtime/debug"
)

// survived runs a round of background work on an index, and makes an error of a panic. The work is done again after a while, on
// whichever server: a document at which it panics would end them all, one after the other, and searches do not need it.
func survived[T any](round func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: panic in the background: %v\n%s", p, debug.Stack())
		}
	}()
	return round()
}
