package service

import (
	"fmt"
	"runtime/debug"
)

// aside runs f on its own goroutine. wait waits for f, and panics if f did: a panic in a request is answered with
// an error, but one in another goroutine ends the process.
func aside[T any](f func() (T, error)) (wait func() (T, error)) {
	var value T
	var err error
	panicked := ""
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		value, err = f()
	}()
	return func() (T, error) {
		<-done
		if panicked != "" {
			panic(panicked)
		}
		return value, err
	}
}
