package main

import (
	"context"
	"errors"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// explain words an error for the person at the terminal.
func explain(err error) string {
	if problem, ok := errors.AsType[*service.Error](err); ok {
		var b strings.Builder
		b.WriteString(problem.Detail)
		for _, f := range problem.Fields {
			b.WriteString("\n  " + f.Location + ": " + f.Message)
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
