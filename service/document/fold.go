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
	// patched is the body taken apart, from the first patch on: many patches of one document take it apart, and put it together,
	// once. It is behind the body then.
	patched *object
}

// Fold applies actions in order, several on one document included, and returns the outcome of each and the
// least that has to be written: at most one change a document, sorted by _id (bytes), so that batches that
// write in this order cannot deadlock. What was created and deleted again is not written, and neither is
// what patches left as it was. An upsert always writes.
//
// current tells whether a document exists before the batch, and its body if it is one of NeedsBodies. It
// is called once for each of IDs.
func Fold(actions []Action, current func(id string) (json.RawMessage, bool)) ([]Outcome, []Change) {
	outcomes := make([]Outcome, len(actions))
	var changes []Change
	// One document after the other, so that only one is taken apart at a time: that takes several times its size.
	for _, places := range byID(actions) {
		id := actions[places[0]].ID
		s := &state{}
		if actions[places[0]].Kind != ActionCreate {
			s.body, s.existed = current(id)
			s.exists = s.existed
		}
		for _, i := range places {
			outcomes[i] = Outcome{ID: id, Result: s.apply(actions[i])}
		}
		if c, changed := s.change(id); changed {
			changes = append(changes, c)
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.ID, b.ID) })
	return outcomes, changes
}

// byID are the places of the actions on each document, in order.
func byID(actions []Action) [][]int {
	at := make(map[string]int, len(actions))
	var list [][]int
	for i, a := range actions {
		n, met := at[a.ID]
		if !met {
			n = len(list)
			at[a.ID] = n
			list = append(list, nil)
		}
		list[n] = append(list[n], i)
	}
	return list
}

func (s *state) apply(a Action) Result {
	existed := s.exists
	switch a.Kind {
	case ActionDelete:
		s.exists, s.body, s.patched = false, nil, nil
		if existed {
			return ResultDeleted
		}
		return ResultNotFound
	case ActionPatch:
		if existed {
			if !s.patch(a.Body) {
				return ResultNoop
			}
			s.written = true
			return ResultUpdated
		}
	}
	s.exists, s.written, s.body, s.patched = true, true, a.Body, nil
	if existed {
		return ResultUpdated
	}
	return ResultCreated
}

// patch is Patch for one of several patches.
func (s *state) patch(change json.RawMessage) (changed bool) {
	if s.patched == nil {
		o := parseObject(s.body)
		s.patched = &o
	}
	return s.patched.patch(change)
}

// change is what has to be written for the document, if anything has.
func (s *state) change(id string) (c Change, changed bool) {
	switch {
	case s.exists && s.written:
		if s.patched != nil {
			s.body = s.patched.encode()
		}
		return Change{ID: id, Body: s.body}, true
	case s.existed && !s.exists:
		return Change{ID: id}, true
	}
	return Change{}, false
}
