package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// decoder reads a JSON body strictly and collects the faults with their locations, instead of stopping at the first one as
// encoding/json does. Names are case-sensitive; of duplicates the last one wins.
type decoder struct {
	faults []service.FieldError // no more than an answer lists
	more   int                  // how many faults there are besides
	// sent are the numbers that were not sent as they are read (in quotes, or beyond the range of int), by location.
	sent map[string]json.RawMessage
}

// object is a JSON object that is being read.
type object struct {
	d       *decoder
	at      string
	members map[string]json.RawMessage
}

// decodeBody checks that body is a JSON object. It returns an invalid_json error if the body is not JSON; any other fault
// is kept for err. An empty body is an empty object.
func decodeBody(body []byte) (*decoder, object, error) {
	d := &decoder{}
	if len(body) == 0 {
		return d, object{d: d, at: "body"}, nil
	}
	var raw json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, object{}, invalidJSON(body, err)
	}
	o, _ := d.object("body", raw)
	return d, o, nil
}

func invalidJSON(body []byte, err error) error {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return service.Errorf(service.CodeInvalidJSON, "The body is not JSON.").Because(err)
	}
	if strings.Contains(syntax.Error(), "exceeded max depth") { // 10,000 levels: it may well be JSON
		return service.Errorf(service.CodeInvalidRequest, "The body is nested too deeply. Send fewer levels of objects and arrays.").
			With(service.FieldError{Location: "body", Message: "is nested too deeply"}).Because(err)
	}
	before := body[:min(int(syntax.Offset), len(body))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return service.Errorf(service.CodeInvalidJSON, "The body is not JSON: %s (line %d, byte %d).", syntax.Error(), line, column)
}

// err returns the collected faults as one error with the given code, or nil if there are none.
func (d *decoder) err(code service.Code) error {
	if len(d.faults) == 0 {
		return nil
	}
	return service.Errorf(code, "%s", summary(d.faults, d.more)).With(d.faults...)
}

// asSent sets the values of the faults that service finds in numbers to what was sent.
func (d *decoder) asSent(err error) error {
	if e, ok := errors.AsType[*service.Error](err); ok {
		for i, f := range e.Fields {
			if raw, ok := d.sent[f.Location]; ok {
				e.Fields[i].Value = raw
			}
		}
	}
	return err
}

func (d *decoder) full() bool { return len(d.faults) >= maxProblemErrors }

func (d *decoder) fault(at string, value json.RawMessage, format string, args ...any) {
	if d.full() {
		d.more++
		return
	}
	f := service.FieldError{Location: at, Message: fmt.Sprintf(format, args...)}
	if value != nil {
		f.Value = value
	}
	d.faults = append(d.faults, f)
}

func (d *decoder) object(at string, raw json.RawMessage) (object, bool) {
	o := object{d: d, at: at}
	if raw[0] != '{' {
		d.fault(at, raw, "expected an object")
		return o, false
	}
	var more int
	o.members, more = document.Members(raw)
	d.more += more
	return o, true
}

func (d *decoder) str(at string, raw json.RawMessage) string { return d.strAs(at, raw, "a string") }

// strAs is str with a description of the expected string for the message.
func (d *decoder) strAs(at string, raw json.RawMessage, expected string) string {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		d.fault(at, raw, "expected %s", expected)
	}
	return s
}

// elements calls do with each element of an array, and returns the number of elements. Anything else is a fault.
func (d *decoder) elements(at string, raw json.RawMessage, of string, do func(i int, element json.RawMessage)) (n int) {
	if raw[0] != '[' {
		d.fault(at, raw, "expected an array of %s", of)
		return 0
	}
	document.EachElement(raw, func(element json.RawMessage) {
		do(n, element)
		n++
	})
	return n
}

// only reports the members that are not among names as faults.
func (o object) only(names ...string) {
	var unknown []string
	for name := range o.members {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for i, name := range unknown {
		if o.d.full() { // suggestions for the rest would take longer than everything else
			o.d.more += len(unknown) - i
			return
		}
		hint := service.Counterpart(name, names)
		if hint == "" {
			hint = knownNames(names)
		}
		o.d.fault(o.at+"."+name, o.members[name], "unknown property; %s", hint)
	}
}

// get returns a member. null counts as absent, as many clients send it for what is not set.
func (o object) get(name string) (json.RawMessage, bool) {
	raw, ok := o.members[name]
	return raw, ok && string(raw) != "null"
}

func (o object) str(name string) string {
	if raw, ok := o.get(name); ok {
		return o.d.str(o.at+"."+name, raw)
	}
	return ""
}

func (o object) strPtr(name, expected string) *string {
	if raw, ok := o.get(name); ok {
		s := o.d.strAs(o.at+"."+name, raw, expected)
		return &s
	}
	return nil
}

// required is str for a member that must be present.
func (o object) required(name string) string {
	if raw, ok := o.members[name]; ok { // null is reported as not being a string
		return o.d.str(o.at+"."+name, raw)
	}
	o.d.fault(o.at+"."+name, nil, "required")
	return ""
}

func (o object) oneOf(name string, values ...string) string {
	raw, ok := o.get(name)
	if !ok {
		return ""
	}
	s := o.str(name)
	if raw[0] == '"' && !slices.Contains(values, s) {
		o.d.fault(o.at+"."+name, raw, "expected one of %s", strings.Join(values, ", "))
	}
	return s
}

// integer reads an integer, or one in quotes; anything else, including null, is a fault. An integer beyond the range of int
// becomes the nearest int, so that limits apply to it as to any other number.
func (o object) integer(name string) *int {
	raw, ok := o.members[name]
	if !ok {
		return nil
	}
	text := string(raw)
	if text[0] == '"' && json.Unmarshal(raw, &text) != nil {
		text = ""
	}
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		o.d.fault(o.at+"."+name, raw, "expected an integer, or one in quotes")
		return nil
	}
	n, _ := strconv.Atoi(text) // only its range can be wrong
	if strconv.Itoa(n) != string(raw) {
		if o.d.sent == nil {
			o.d.sent = map[string]json.RawMessage{}
		}
		o.d.sent[o.at+"."+name] = raw
	}
	return &n
}

func (o object) boolean(name string) *bool {
	raw, ok := o.get(name)
	if !ok {
		return nil
	}
	var b bool
	if json.Unmarshal(raw, &b) != nil {
		o.d.fault(o.at+"."+name, raw, "expected true or false")
		return nil
	}
	return &b
}

func (o object) strings(name string) []string {
	raw, ok := o.get(name)
	if !ok {
		return nil
	}
	out := []string{}
	o.d.elements(o.at+"."+name, raw, "strings", func(i int, element json.RawMessage) {
		if o.d.full() && element[0] != '"' {
			o.d.more++
			return
		}
		if s := o.d.str(fmt.Sprintf("%s.%s[%d]", o.at, name, i), element); len(o.d.faults) == 0 { // after a fault nobody needs them
			out = append(out, s)
		}
	})
	return out
}

// filter returns a filter as it was sent, a string or an object; nil if there is none.
func (o object) filter(name string) json.RawMessage {
	raw, ok := o.get(name)
	if !ok {
		return nil
	}
	if raw[0] != '"' && raw[0] != '{' {
		o.d.fault(o.at+"."+name, raw, `expected a string or an object, such as "brand = Acme AND price > 10" or {"brand": "Acme", "price": {"gt": 10}}`)
		return nil
	}
	return raw
}

// mappings reads a list of mappings. service checks their names and types.
func (d *decoder) mappings(at string, raw json.RawMessage) []mapping.Mapping {
	out := []mapping.Mapping{}
	d.elements(at, raw, `mappings, such as [{"name": "title", "type": "sentence"}]`, func(i int, element json.RawMessage) {
		o, ok := d.object(fmt.Sprintf("%s[%d]", at, i), element)
		if !ok {
			return
		}
		o.only("name", "type")
		if m := (mapping.Mapping{Name: o.required("name"), Type: mapping.Type(o.required("type"))}); len(d.faults) == 0 {
			out = append(out, m)
		}
	})
	return out
}
