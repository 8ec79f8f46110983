package filter

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// step is the last step of a path: filter.price.gte. Only the path of a fault is written out: in a deeply nested
// filter, the paths of all values would take ten thousand times the size of the filter.
type step struct {
	within *step // nil for the first one, which is the filter
	name   string
	item   int // the index in an array; -1 for a member, which has a name
}

// root is the place of a filter that is an object.
var root = Pos{path: &step{}}

func (p Pos) item(i int) Pos { return Pos{path: &step{within: p.path, item: i}} }

func (p Pos) member(name string) Pos { return Pos{path: &step{within: p.path, name: name, item: -1}} }

// rootSegment is the beginning of all paths.
const rootSegment = "filter"

// String returns the path; it is empty for a place in a string.
func (s *step) String() string {
	var segments []string
	for ; s != nil; s = s.within {
		switch {
		case s.within == nil:
			segments = append(segments, rootSegment)
		case s.item < 0:
			segments = append(segments, memberSegment(s.name))
		default:
			segments = append(segments, itemSegment(s.item))
		}
	}
	slices.Reverse(segments)
	return strings.Join(segments, "")
}

func itemSegment(i int) string { return "[" + strconv.Itoa(i) + "]" }

func memberSegment(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, cut(name)) // a name of a megabyte should not come back in a message
	if name == "" {
		name = `""`
	}
	return "." + name
}

// ValueAt returns the value in a filter, as it was sent, to which the path of an [Error] points; nil if there is none.
func ValueAt(raw json.RawMessage, path string) json.RawMessage {
	below, ok := strings.CutPrefix(path, rootSegment)
	switch {
	case !ok:
		return nil
	case below == "":
		return raw
	}
	return valueAt(json.NewDecoder(bytes.NewReader(raw)), below)
}

// valueAt reads the next value, and returns what it has at a path, or nil.
func valueAt(dec *json.Decoder, path string) json.RawMessage {
	var value json.RawMessage
	if path == "" {
		if dec.Decode(&value) != nil {
			return nil
		}
		return value
	}
	token, _ := dec.Token() // nil after an error
	open, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	for i := 0; dec.More(); i++ {
		segment := itemSegment(i)
		if open == '{' {
			token, _ := dec.Token()
			name, _ := token.(string)
			segment = memberSegment(name)
		}
		below, ok := strings.CutPrefix(path, segment)
		if !ok {
			if dec.Decode(&value) != nil {
				return nil
			}
		} else if found := valueAt(dec, below); found != nil {
			return found
		}
	}
	_, _ = dec.Token() // the closing delimiter
	return nil
}
