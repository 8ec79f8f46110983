package document

import (
	"encoding/json"
	"slices"
	"strings"
)

// Result is the outcome of one action, as the API names it.
type Result string

// The outcomes.
const (
	ResultCreated  Result = "created"
	ResultUpdated  Result = "updated"
	ResultNoop     Result = "noop"
	ResultDeleted  Result = "deleted"
	ResultNotFound Result = "not_found"
)

// Outcome is what an action did.
type Outcome struct {
	ID     string
	Result Result
}

// Change is what has to be written for one document once all actions have been applied.
type Change struct {
	ID string
	// Body is the document to store, nil to remove it.
	Body json.RawMessage
}

// IDs are the ids whose documents may exist before the batch, sorted by bytes and each once: what has to be
// locked, and looked up for Fold. Ids that were made for the batch are not among them.
func IDs(actions []Action) []string {
	return collect(actions, func(Action, bool) bool { return true })
}

// NeedsBodies are those of IDs whose current bodies Fold needs, because a patch comes before anything that
// replaces the document. Of the others it needs only to know whether they exist.
func NeedsBodies(actions []Action) []string {
	return collect(actions, func(a Action, first bool) bool { return first && a.Kind == ActionPatch })
}

func collect(actions []Action, wanted func(a Action, first bool) bool) []string {
	var ids []string
	met := make(map[string]bool, len(actions))
	taken := make(map[string]bool, len(actions))
	for _, a := range actions {
		if a.Kind == ActionCreate {
			continue
		}
		if wanted(a, !met[a.ID]) && !taken[a.ID] {
			taken[a.ID] = true
			ids = append(ids, a.ID)
		}
		met[a.ID] = true
	}
	slices.Sort(ids)
	return ids
}

// state is a document while actions are applied to it.
type state struct {
	existed, exists bool
	body            json.RawMessage
	written         bool // the body is no longer the one from before the batch
}

// Fold applies actions in order, several on one document included, and returns the outcome of each and the
// least that has to be written: at most one change a document, sorted by _id (bytes), so that batches that
// write in this order cannot deadlock. What was created and deleted again is not written, and neither is
// what patches left as it was. An upsert always writes.
//
// current tells whether a document exists before the batch, and its body if it is one of NeedsBodies. It
// is called once for each of IDs.
func Fold(actions []Action, current func(id string) (json.RawMessage, bool)) ([]Outcome, []Change) {
	outcomes := make([]Outcome, 0, len(actions))
	states := make(map[string]*state, len(actions))
	for _, a := range actions {
		s := states[a.ID]
		if s == nil {
			s = &state{}
			if a.Kind != ActionCreate {
				s.body, s.existed = current(a.ID)
				s.exists = s.existed
			}
			states[a.ID] = s
		}
		outcomes = append(outcomes, Outcome{ID: a.ID, Result: s.apply(a)})
	}
	return outcomes, changes(states)
}

func (s *state) apply(a Action) Result {
	existed := s.exists
	switch a.Kind {
	case ActionDelete:
		s.exists, s.body = false, nil
		if existed {
			return ResultDeleted
		}
		return ResultNotFound
	case ActionPatch:
		if existed {
			patched, changed := Patch(s.body, a.Body)
			if !changed {
				return ResultNoop
			}
			s.body, s.written = patched, true
			return ResultUpdated
		}
	}
	s.exists, s.written, s.body = true, true, a.Body
	if existed {
		return ResultUpdated
	}
	return ResultCreated
}

func changes(states map[string]*state) []Change {
	var list []Change
	for id, s := range states {
		switch {
		case s.exists && s.written:
			list = append(list, Change{ID: id, Body: s.body})
		case s.existed && !s.exists:
			list = append(list, Change{ID: id})
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.ID, b.ID) })
	return list
}
