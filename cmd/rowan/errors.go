package main

import (
	"context"
	"errors"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// adviseError is an error with advice on what to do about it.
type adviseError struct {
	error
	advice string
}

func (e adviseError) Unwrap() error { return e.error }

// explain returns the text of an error for the person at the terminal.
func explain(err error) string {
	if advised, ok := errors.AsType[adviseError](err); ok {
		return explain(advised.error) + "\n  " + advised.advice
	}
	if problem, ok := errors.AsType[*service.Error](err); ok {
		var b strings.Builder
		b.WriteString(problem.Detail)
		for _, f := range problem.Fields {
			if !strings.Contains(problem.Detail, f.Message) {
				b.WriteString("\n  " + flag(f.Location) + ": " + f.Message)
			}
		}
		if cause := problem.Unwrap(); cause != nil {
			b.WriteString("\n  " + cause.Error())
		}
		return b.String()
	}
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return err.Error()
}

// flag returns the flag that sets the value at a location of a request: --expires-at for body.expires_at.
func flag(location string) string {
	name, ok := strings.CutPrefix(location, "body.")
	if !ok {
		return location
	}
	return "--" + strings.ReplaceAll(name, "_", "-")
}
