package document

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/mapping"
)

// maxMappings is how many mappings an index may have. PostgreSQL allows 1600 columns, of which a mapping needs one
// to five, so the store may still refuse fewer.
const maxMappings = 400

// CheckMappings returns the faults of the mappings of an index; location is the place of the list
// ("body.mappings"). NewSchema accepts a list without faults.
func CheckMappings(list []mapping.Mapping, location string) []Problem {
	var found problems
	if len(list) > maxMappings {
		found.add(location, fmt.Sprintf("must have at most %d mappings; it has %d", maxMappings, len(list)), nil)
		return found
	}
	first := make(map[string]int, len(list))
	for i, m := range list {
		here := fmt.Sprintf("%s[%d]", location, i)
		name := m.Name
		if len(name) > maxValueShown {
			name = strings.ToValidUTF8(cut([]byte(name)), "\ufffd")
		}
		if message := mappingNameFault(m.Name); message != "" {
			found.add(here+".name", message, name)
		} else if earlier, known := first[m.Name]; known {
			found.add(here+".name", fmt.Sprintf("is already mapped by %s[%d]; a property can have only one mapping", location, earlier), name)
		} else {
			first[m.Name] = i
		}
		if !m.Type.Known() {
			found.add(here+".type", "must be one of "+typeList()+typeHint(string(m.Type)), string(m.Type))
		}
	}
	return found
}

func mappingNameFault(name string) string {
	switch {
	case name == "":
		return "must not be empty"
	case !utf8.ValidString(name):
		return "must be valid UTF-8"
	case hasControl(name):
		return "must not contain control characters"
	case strings.ContainsRune(name, utf8.RuneError):
		return "must not contain U+FFFD, which half a surrogate pair is read as"
	case name[0] == '_':
		return messageName
	case name == "boost" || name == "autocomplete":
		return "cannot be mapped: the service itself uses this property"
	}
	if message := mapping.NameFault(name); message != "" {
		return message
	}
	for segment := range strings.SplitSeq(name, ".") {
		if segment == "" {
			return "must have a name before and after every dot"
		}
	}
	return ""
}

func typeList() string {
	names := make([]string, len(mapping.Types))
	for i, t := range mapping.Types {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}

// typeHint returns a hint for the name that another search engine has for a type; "" if it is not clear what is meant.
func typeHint(name string) string {
	element, array := strings.CutSuffix(strings.ToLower(name), "[]")
	hint := ""
	switch element {
	case "string":
		hint = "a string is a sentence, text or keyword"
	case "integer", "int32", "short", "byte":
		hint = "that is int"
	case "int64":
		hint = "that is long"
	case "double", "half_float", "scaled_float", "number":
		hint = "that is float, or price for exact decimals"
	case "boolean":
		hint = "that is bool"
	case "datetime", "timestamp":
		hint = "that is date"
	case "geopoint", "geo_point":
		hint = "store a place as two properties of type float"
	case "object", "nested":
		hint = "map what is inside, by its path (author.name)"
	default:
		if mapping.Type(element).Known() {
			hint = "that is " + element
		}
	}
	switch {
	case hint == "":
		return ""
	case array:
		hint += "; every type takes arrays"
	}
	return "; " + hint
}
