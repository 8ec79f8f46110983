package service

import (
	"fmt"
	"runtime/debug"
)

// aside runs f on a goroutine of its own. What it returns waits for f, and panics where f has: a request that panics is
// answered with an error, a goroutine that does ends the service.
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
