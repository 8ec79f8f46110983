package document

import (
	"encoding/json"
	"strings"
)

// At returns the value of a property, or of a dotted path into objects, as JSON: nil if there is none. As in
// mappings, a property whose name has dots itself wins, and then the longest first step that leads to something.
func At(object map[string]json.RawMessage, path string) json.RawMessage {
	if value, ok := object[path]; ok {
		return value
	}
	for i := strings.LastIndexByte(path, '.'); i >= 0; i = strings.LastIndexByte(path[:i], '.') {
		var inner map[string]json.RawMessage
		if json.Unmarshal(object[path[:i]], &inner) == nil {
			if value := At(inner, path[i+1:]); value != nil {
				return value
			}
		}
	}
	return nil
}
