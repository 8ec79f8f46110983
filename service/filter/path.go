package filter

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

func (p Pos) item(i int) Pos { return Pos{Path: p.Path + "[" + strconv.Itoa(i) + "]"} }

func (p Pos) member(name string) Pos {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, cut(name)) // a name of a megabyte should not come back in a message
	if name == "" {
		name = `""`
	}
	return Pos{Path: p.Path + "." + name}
}

// ValueAt is the value in a filter, as it was sent, that the path of an [Error] points at; nil if there is none.
func ValueAt(raw json.RawMessage, path string) json.RawMessage {
	return valueAt(raw, Pos{Path: "filter"}, path)
}

func valueAt(raw json.RawMessage, at Pos, path string) json.RawMessage {
	if at.Path == path {
		return raw
	}
	if !strings.HasPrefix(path, at.Path) {
		return nil
	}
	var members map[string]json.RawMessage
	var items []json.RawMessage
	switch raw = bytes.TrimSpace(raw); {
	case bytes.HasPrefix(raw, []byte("{")) && json.Unmarshal(raw, &members) == nil:
		for name, member := range members {
			if found := valueAt(member, at.member(name), path); found != nil {
				return found
			}
		}
	case bytes.HasPrefix(raw, []byte("[")) && json.Unmarshal(raw, &items) == nil:
		for i, item := range items {
			if found := valueAt(item, at.item(i), path); found != nil {
				return found
			}
		}
	}
	return nil
}
