package service

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// parallelLeast is the number of things from which it pays to wake another processor for half of them.
const parallelLeast = 4

// inHalves calls f for each number below n: where there are several, for half of them on another goroutine. It returns
// one of the errors, and panics where f does.
func inHalves(n int, f func(i int) error) error {
	span := func(from, to int) error {
		for i := from; i < to; i++ {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	if n < parallelLeast || runtime.GOMAXPROCS(0) == 1 {
		return span(0, n)
	}
	second := aside(func() (struct{}, error) { return struct{}{}, span(n/2, n) })
	err := span(0, n/2)
	_, other := second()
	return cmp.Or(err, other)
}

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
