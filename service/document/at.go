package document

import "encoding/json"

// At is the value of a property, or of a dotted path into objects, as JSON: nil where there is none. As in mappings, a property
// that itself has a dot wins.
func At(object map[string]json.RawMessage, path string) json.RawMessage {
	if value, ok := object[path]; ok {
		return value
	}
	for i := range len(path) {
		if path[i] != '.' {
			continue
		}
		var inner map[string]json.RawMessage
		if json.Unmarshal(object[path[:i]], &inner) == nil {
			if value := At(inner, path[i+1:]); value != nil {
				return value
			}
		}
	}
	return nil
}
