package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/filter"
)

// filters joins the filters of the definition, the key and the request.
func (r *searchRun) filters(def *SearchDefinition) error {
	raw, place := r.req.Filter.Raw, "body.filter"
	if r.req.Filters.Raw != nil {
		if raw != nil && !sameJSON(raw, r.req.Filters.Raw) {
			return Errorf(CodeInvalidFilter, "filter and filters are the same parameter under two names; send one.").With(
				FieldError{Location: "body.filters", Message: "differs from filter"})
		}
		if raw == nil {
			raw, place = r.req.Filters.Raw, "body.filters"
		}
	}
	var all filter.And
	for _, part := range []struct {
		raw         json.RawMessage
		what, place string
	}{
		{def.Filter, def.part("filter"), "filter of the search"},
		{keyFilter(r.who.Filter), "The filter of the key", "filter of the key"},
	} {
		if part.raw == nil {
			continue
		}
		_, cond, err := r.bind(part.raw, part.what, part.place)
		if err != nil && r.who.Type == SearchKey {
			// Holders of a search key may not read these filters, nor what is wrong with them, since that quotes them.
			const message = "does not fit the index"
			return Errorf(CodeInvalidFilter, "%s %s. Ask somebody with an admin key to correct it.", part.what, message).With(FieldError{Location: part.place, Message: message})
		}
		if err != nil {
			return err
		}
		all = append(all, cond)
	}
	if raw != nil {
		node, cond, err := r.bind(raw, "The filter", place)
		if err != nil {
			return err
		}
		all = append(all, r.takeOwn(node, cond)...)
	}
	if len(all) > 0 {
		r.plan.Filter = all
	}
	return nil
}

func keyFilter(expression string) json.RawMessage {
	if expression == "" {
		return nil
	}
	raw, err := json.Marshal(expression)
	if err != nil {
		panic(err) // a string always encodes
	}
	return raw
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// bind returns a filter as it was written, and as a condition on this index.
func (r *searchRun) bind(raw json.RawMessage, what, place string) (filter.Node, filter.Cond, error) {
	node, err := filter.ParseJSON(raw)
	if err == nil {
		var cond filter.Cond
		if cond, err = filter.Bind(node, r.kindOf); err == nil {
			return node, cond, nil
		}
	}
	return nil, nil, expressionError(CodeInvalidFilter, what, place, raw, err)
}

// expressionError returns the error for an expression that does not parse or does not fit. The path into an object
// is part of its location; a column has no place but the message.
func expressionError(code Code, what, place string, value any, err error) error {
	e, ok := errors.AsType[*filter.Error](err)
	if !ok {
		return err
	}
	detail := what + " cannot be used: " + e.Error()
	message := e.Error()
	if e.Path != "" && strings.HasPrefix(place, "body.") {
		place, message = place+strings.TrimPrefix(e.Path, "filter"), e.Message
		if raw, ok := value.(json.RawMessage); ok {
			value = nil
			if found := filter.ValueAt(raw, e.Path); found != nil {
				value = found
			}
		}
	}
	if !strings.HasSuffix(detail, ".") {
		detail += "."
	}
	return Errorf(code, "%s", detail).With(FieldError{Location: place, Message: message, Value: value})
}

// takeOwn moves those conditions of the request's filter that are about one disjunctive facet only to that facet, and returns the others. It
// looks for the field of a condition in the filter as it was written: an empty list is bound to a condition that never holds, and has no field.
func (r *searchRun) takeOwn(node filter.Node, cond filter.Cond) filter.And {
	nodes, parts := filter.Conjunction{node}, filter.And{cond}
	if joined, ok := node.(filter.Conjunction); ok {
		nodes, parts = joined, cond.(filter.And)
	}
	if len(r.req.Disjunctive) == 0 {
		return parts
	}
	r.plan.Own = map[string]filter.Cond{}
	var rest filter.And
	for i, part := range parts {
		field, one := onlyField(nodes[i])
		if one && slices.Contains(r.req.Disjunctive, field) {
			if before, ok := r.plan.Own[field]; ok {
				part = filter.And{before, part}
			}
			r.plan.Own[field] = part
			continue
		}
		rest = append(rest, part)
	}
	return rest
}

// onlyField returns the field that a filter is about, if it is about one alone.
func onlyField(node filter.Node) (field string, one bool) {
	for f := range filter.Fields(node) {
		if one && f != field {
			return "", false
		}
		field, one = f, true
	}
	return field, one
}
