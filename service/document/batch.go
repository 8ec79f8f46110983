package document

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ActionKind is what an action of a batch does.
type ActionKind int

// The kinds of actions.
const (
	// ActionCreate stores a new document under a generated _id.
	ActionCreate ActionKind = iota
	// ActionUpsert stores a document, replacing an existing one.
	ActionUpsert
	// ActionPatch changes properties of a document, or creates it.
	ActionPatch
	// ActionDelete removes a document.
	ActionDelete
)

// Action is one action of a batch, checked and ready to be applied.
type Action struct {
	Kind ActionKind
	ID   string
	// Body is what to store or to change, as in Scanned; nil for ActionDelete.
	Body json.RawMessage
	// Index is the place of the action in the request, from 0.
	Index int
}

// Batch is a batch write that was read.
type Batch struct {
	// Actions has one entry for each action of the request, in its order.
	Actions []Action
	// Problems are the faults, at most MaxProblems. If there are any, only they count: a batch is applied whole or not at all.
	Problems []Problem
}

// ScanBatch reads a batch write: a JSON array of {"action", "_id", "body"}. Documents are checked as Scan
// does. The error is a *SyntaxError if body is not JSON and a *TooManyActionsError for more than MaxActions.
//
// Action names are case-insensitive. An upsert or an update without an _id, either beside the document or in it,
// becomes an ActionCreate under a generated one; otherwise "update" is a patch.
func ScanBatch(body []byte, schema *Schema) (Batch, error) {
	r := batchReader{scanner: newScanner(body), schema: schema}
	err := r.read("actions", func(i int) bool {
		var a action
		if !r.action(i, &a) {
			return false
		}
		if done, ok := r.check(i, &a); ok {
			r.actions = append(r.actions, done)
		}
		return true
	})
	if err != nil {
		return Batch{}, err
	}
	if len(r.found) > 0 {
		return Batch{Problems: r.found}, nil
	}
	return Batch{Actions: r.actions}, nil
}

// ScanIDs reads a batch read, a JSON array of {"_id"}, and returns the ids in its order. Errors are those
// of ScanBatch.
func ScanIDs(body []byte) ([]string, []Problem, error) {
	r := batchReader{scanner: newScanner(body)}
	var ids []string
	err := r.read("objects with an _id", func(i int) bool {
		var a action
		if !r.ids(i, &a) {
			return false
		}
		if id, ok := r.id(i, &a); ok && id != nil {
			ids = append(ids, *id)
		} else if ok && a.object {
			r.add(i, "._id", "is missing: an action has the _id of the document to read", nil)
		}
		return true
	})
	if err != nil || len(r.found) > 0 {
		return nil, r.found, err
	}
	return ids, nil, nil
}

// batchReader reads the array of a batch.
type batchReader struct {
	*scanner
	schema  *Schema
	found   problems
	actions []Action
}

// action holds the members of an element of a batch, before they are checked. A missing member is a zero span.
type action struct {
	object   bool
	name, id span
	body     span
	document read // the body, if that is an object
}

// read reads the array and calls element at each element.
func (r *batchReader) read(what string, element func(i int) bool) error {
	if !r.begin() {
		return r.err
	}
	if r.peek() != '[' {
		start := r.pos
		if !r.skip(1) {
			return r.err
		}
		r.found.add("body", "must be an array of "+what, shown(r.data[start:r.pos]))
		if r.space(); r.pos < len(r.data) {
			r.fail("lines of JSON go between [ and ], with commas; another value begins")
		}
	} else {
		i := 0
		ok := r.elements(func() bool {
			if i == MaxActions {
				return false
			}
			i++
			return element(i - 1)
		})
		if !ok && r.err == nil {
			return &TooManyActionsError{Limit: MaxActions}
		}
		if !ok {
			return r.err
		}
	}
	if !r.end() {
		return r.err
	}
	return nil
}

func (r *batchReader) add(i int, member, message string, value any) {
	r.found.add(fmt.Sprintf("body[%d]%s", i, member), message, value)
}

// notObject reads an element that is no object, and adds the fault.
func (r *batchReader) notObject(i int) bool {
	start := r.pos
	if !r.skip(1) {
		return false
	}
	r.add(i, "", "must be an object", shown(r.data[start:r.pos]))
	return true
}

// unknown reads the value of a member that does not belong there, and adds the fault.
func (r *batchReader) unknown(i int, name []byte, members string) bool {
	if !r.found.full() {
		location := appendName(appendIndex([]byte("body"), i), name)
		r.found.add(string(location), "is unknown: an action has only "+members, nil)
	}
	return r.skip(1)
}

// ids reads an element of a batch read.
func (r *batchReader) ids(i int, a *action) bool {
	if a.object = r.peek() == '{'; !a.object {
		return r.notObject(i)
	}
	return r.members(func(name []byte) bool {
		if string(name) != "_id" {
			return r.unknown(i, name, "_id")
		}
		return r.spanOf(&a.id)
	})
}

// action reads an element of a batch write.
func (r *batchReader) action(i int, a *action) bool {
	if a.object = r.peek() == '{'; !a.object {
		return r.notObject(i)
	}
	return r.members(func(name []byte) bool {
		switch string(name) {
		case "action":
			return r.spanOf(&a.name)
		case "_id":
			return r.spanOf(&a.id)
		case "body":
			if r.peek() != '{' {
				a.document = read{}
				return r.spanOf(&a.body)
			}
			var ok bool
			a.document, ok = r.document(r.schema)
			a.body = a.document.all
			return ok
		}
		return r.unknown(i, name, "action, _id and body")
	})
}

// spanOf reads a value and stores where it is.
func (r *batchReader) spanOf(p *span) bool {
	start := r.pos
	ok := r.skip(1)
	*p = span{start, r.pos}
	return ok
}

// id returns the _id beside the document, nil if there is none. If it is wrong, it adds the fault and ok is false.
func (r *batchReader) id(i int, a *action) (id *string, ok bool) {
	if !a.id.there() {
		return nil, true
	}
	raw := a.id.of(r.data)
	if message := idFault(raw); message != "" {
		r.add(i, "._id", message, shown(raw))
		return nil, false
	}
	s := string(text(raw))
	return &s, true
}

// check adds the faults of an action. If it returns false, there is nothing to apply; of a batch with faults nothing is applied anyway.
func (r *batchReader) check(i int, a *action) (Action, bool) {
	if !a.object {
		return Action{}, false
	}
	kind, known := r.kind(i, a)
	if known {
		r.forget(kind, a)
	}
	id, sound := r.id(i, a)
	out := Action{Kind: kind, Index: i}
	if known {
		switch {
		case kind == ActionDelete && a.body.there():
			r.add(i, ".body", "must be omitted: delete takes no body", shown(a.body.of(r.data)))
		case kind != ActionDelete && !a.body.there():
			r.add(i, ".body", "is missing: "+kind.String()+" needs a document as its body", nil)
		}
	}
	if a.body.there() && (!known || kind != ActionDelete) {
		switch d := a.document; {
		case !d.all.there():
			r.add(i, ".body", "must be an object", shown(a.body.of(r.data)))
		case d.faults != 0:
			d.diagnose(r.data, r.schema, fmt.Sprintf("body[%d].body", i), &r.found)
		}
		out.Body = a.document.kept
	}
	if !known || !sound || a.document.faults != 0 && !a.document.soundID(r.data) || r.found.full() {
		return out, false
	}
	return r.withID(out, a, id)
}

// forget treats null as absent where the member must be left out: clients with one type for all actions send null for what
// is not set. Elsewhere null is a fault, because otherwise an _id that was lost on the way would silently become a new one.
func (r *batchReader) forget(kind ActionKind, a *action) {
	null := func(s span) bool { return string(s.of(r.data)) == "null" }
	if kind == ActionDelete && null(a.body) {
		a.body = span{}
	}
	if kind == ActionCreate && null(a.id) {
		a.id = span{}
	}
}

// kind reads the name of the action.
func (r *batchReader) kind(i int, a *action) (ActionKind, bool) {
	const names = "create, upsert, update, patch or delete"
	if !a.name.there() {
		r.add(i, ".action", "is missing: it is one of "+names, nil)
		return 0, false
	}
	if raw := a.name.of(r.data); raw[0] == '"' && len(raw) <= maxValueShown {
		switch strings.ToLower(string(text(raw))) {
		case "create":
			return ActionCreate, true
		case "upsert":
			return ActionUpsert, true
		case "update", "patch":
			return ActionPatch, true
		case "delete":
			return ActionDelete, true
		}
	}
	r.add(i, ".action", "must be one of "+names, shown(a.name.of(r.data)))
	return 0, false
}

// String returns the kind as a client may write it.
func (k ActionKind) String() string {
	return [...]string{"create", "upsert", "patch", "delete"}[k]
}

// withID gives an action, whose ids are valid, its _id: the one beside the document, the one in the document, or a
// new one. It adds a fault if these do not fit together.
func (r *batchReader) withID(out Action, a *action, beside *string) (Action, bool) {
	i := out.Index
	within := a.document.id
	if out.Kind == ActionDelete {
		within = span{} // it has no document
	}
	if out.Kind == ActionCreate {
		const message = "must be omitted: create generates the _id; upsert stores under an _id that you choose"
		switch {
		case beside != nil:
			r.add(i, "._id", message, *beside)
			return out, false
		case within.there():
			r.add(i, ".body._id", message, shown(within.of(r.data)))
			return out, false
		}
		out.ID = NewID()
		return out, true
	}
	id := beside
	if within.there() {
		s := string(text(within.of(r.data)))
		if beside != nil && s != *beside {
			r.add(i, ".body._id", "must equal the _id of the action, or be omitted", s)
			return out, false
		}
		id = &s
	}
	switch {
	case id != nil:
		out.ID = *id
		return out, true
	case out.Kind == ActionDelete, out.Kind == ActionPatch && !r.isUpdate(a):
		r.add(i, "._id", "is missing: "+out.Kind.String()+" needs the _id of a document", nil)
		return out, false
	}
	out.Kind, out.ID = ActionCreate, NewID()
	return out, true
}

// isUpdate reports whether a patch was written as "update", which creates a document if there is no _id.
func (r *batchReader) isUpdate(a *action) bool {
	return strings.EqualFold(string(text(a.name.of(r.data))), "update")
}
