package filter

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// step is the last step of a path: filter.price.gte. A path is written only where a fault is: of a filter that is nested deeply,
// those of all values would take ten thousand times the size of the filter.
type step struct {
	within *step // nil for the first one, which is the filter
	name   string
	item   int // the place in an array; -1 of a member, which has a name
}

// root is where a filter stands that is an object.
var root = Pos{path: &step{}}

func (p Pos) item(i int) Pos { return Pos{path: &step{within: p.path, item: i}} }

func (p Pos) member(name string) Pos { return Pos{path: &step{within: p.path, name: name, item: -1}} }

// rootSegment is what paths begin with.
const rootSegment = "filter"

// String writes the path; that of a string is empty.
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

// ValueAt is the value in a filter, as it was sent, that the path of an [Error] points at; nil if there is none.
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

// valueAt reads the next value, and returns what is in it at a path, or nil.
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
	_, _ = dec.Token() // what closes it
	return nil
}
