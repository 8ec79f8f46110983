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

// Change is the write of one document.
type Change struct {
	ID string
	// Body is the document to store, nil to remove it.
	Body json.RawMessage
}

// IDs returns the ids whose documents may exist before the batch, sorted by bytes and without repetitions: those to
// lock, and to look up for Fold. Ids that were generated for the batch are not among them.
func IDs(actions []Action) []string {
	var ids []string
	for _, a := range actions {
		if a.Kind != ActionCreate {
			ids = append(ids, a.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// NeedsBodies reports whether Fold needs the current bodies of documents, because a patch comes before anything that replaces its document.
// Otherwise Fold needs only to know which documents exist.
func NeedsBodies(actions []Action) bool {
	met := make(map[string]bool, len(actions))
	for _, a := range actions {
		if a.Kind == ActionPatch && !met[a.ID] {
			return true
		}
		met[a.ID] = true
	}
	return false
}

// state is a document while actions are applied to it.
type state struct {
	existed, exists bool
	body            json.RawMessage
	written         bool // the body is no longer the one from before the batch
	// patched is the parsed body, from the first patch on, so that many patches of one document parse and encode it only once. body is out of date then.
	patched *object
}

// Fold applies actions in order, several on one document included, and returns the outcome of each and the writes that remain:
// at most one change per document, sorted by _id (bytes), so that batches that write in this order cannot deadlock. A document
// that was created and deleted again is not written, nor is one that patches left as it was. An upsert always writes.
//
// current returns whether a document exists before the batch, and its body if NeedsBodies. It is called once for each of IDs.
func Fold(actions []Action, current func(id string) (json.RawMessage, bool)) ([]Outcome, []Change) {
	outcomes := make([]Outcome, len(actions))
	var changes []Change
	// One document after the other, so that only one at a time is parsed: that takes several times its size.
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

// byID returns the indexes of the actions on each document, in order.
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

// change returns the write of the document, if one is needed.
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
