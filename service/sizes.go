package service

import (
	"encoding/json"
	"fmt"

	"github.com/rowansearch/rowan/service/document"
)

// tooLarge returns the error for documents of more than Limits.Document bytes. The transport refuses a request with a
// single document before it is read whole; documents of a batch, and those that have been changed, are measured here.
func (s *Service) tooLarge(format string, args ...any) *Error {
	return Errorf(CodeTooLarge, format+" has more than %d bytes; nothing was applied.", append(args, s.config.Limits.Document)...)
}

// checkSizes refuses the actions of a batch whose documents are too large.
func (s *Service) checkSizes(actions []document.Action) error {
	fault := s.tooLarge("A document of the batch")
	for _, a := range actions {
		if int64(len(a.Body)) > s.config.Limits.Document {
			fault.With(FieldError{Location: fmt.Sprintf("body[%d].body", a.Index), Message: fmt.Sprintf("has %d bytes; a document may have at most %d", len(a.Body), s.config.Limits.Document)})
		}
	}
	if len(fault.Fields) > 0 {
		return fault
	}
	return nil
}

// checkGrowth refuses the changes of a batch that leave documents too large.
func (s *Service) checkGrowth(actions []document.Action, current map[string]json.RawMessage, changes []Change) error {
	var ids []string
	grown := map[string]json.RawMessage{}
	for _, c := range changes {
		if s.outgrown(current[c.ID], c.Body) {
			ids, grown[c.ID] = append(ids, c.ID), c.Body
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return s.tooLarge("A changed document of the batch").With(atActions(actions, ids, func(id string) string { return s.outgrownMessage(grown[id]) })...)
}

// outgrown reports whether a change leaves a document too large. One that was too large before, under other limits, may get smaller.
func (s *Service) outgrown(old, changed json.RawMessage) bool {
	return int64(len(changed)) > s.config.Limits.Document && len(changed) > len(old)
}

func (s *Service) outgrownMessage(changed json.RawMessage) string {
	return fmt.Sprintf("makes the document %d bytes long; a document may have at most %d", len(changed), s.config.Limits.Document)
}
