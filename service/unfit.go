package service

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/rowansearch/rowan/service/document"
)

// UnfitMessage is the message for a document that the database cannot store.
const UnfitMessage = "is too large for PostgreSQL, or has values for more mapped properties than fit into one of its rows"

// UnfitError is the error of a write if some documents do not fit into a row of the database. IDs are those that are known.
type UnfitError struct {
	IDs []string
	Err error
}

func (e *UnfitError) Error() string { return e.Err.Error() }

// Unwrap returns the error for the client.
func (e *UnfitError) Unwrap() error { return e.Err }

// unfitIn turns an UnfitError into one that says where its documents stand in the body of a request: for a batch at
// its actions, which are nil if the body is a single document. It returns other errors as they are.
func unfitIn(actions []document.Action, err error) error {
	unfit, ok := errors.AsType[*UnfitError](err)
	if !ok {
		return err
	}
	e, ok := errors.AsType[*Error](unfit.Err)
	if !ok {
		return err
	}
	if actions == nil {
		return e.With(FieldError{Location: "body", Message: UnfitMessage})
	}
	return e.With(atActions(actions, unfit.IDs, func(string) string { return UnfitMessage })...)
}

// atActions returns the faults of documents, each at the last action of a batch that writes the document, in the order of the batch.
func atActions(actions []document.Action, ids []string, message func(id string) string) []FieldError {
	last := map[string]int{}
	for _, a := range actions {
		if a.Kind != document.ActionDelete {
			last[a.ID] = a.Index
		}
	}
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(last[a], last[b]) })
	var faults []FieldError
	for _, id := range ids[:min(len(ids), document.MaxProblems)] {
		faults = append(faults, FieldError{Location: fmt.Sprintf("body[%d].body", last[id]), Message: message(id)})
	}
	return faults
}
