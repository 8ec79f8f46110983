package service

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// settingsReader reads the settings of an index from JSON whose syntax was checked, and collects the faults with their
// places, as many as an answer may list. Names are case-sensitive, as in all requests; encoding/json would accept any case.
type settingsReader struct {
	faults []FieldError
}

func (r *settingsReader) full() bool { return len(r.faults) >= document.MaxProblems }

func (r *settingsReader) fault(at, message string, value any) {
	if r.full() {
		return
	}
	r.faults = append(r.faults, FieldError{Location: at, Message: message, Value: value})
}

// only records a fault for each member that is not among names.
func (r *settingsReader) only(at string, members map[string]json.RawMessage, names ...string) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if r.full() {
			return
		}
		if !slices.Contains(names, name) {
			hint := Counterpart(name, names)
			if hint == "" {
				hint = "expected one of " + strings.Join(names, ", ")
			}
			r.fault(at+"."+name, "is unknown; "+hint, nil)
		}
	}
}

// object reads an object that may have only the members in names. If raw is not an object, it records expected as the fault and returns false.
func (r *settingsReader) object(at string, raw json.RawMessage, expected string, names ...string) (map[string]json.RawMessage, bool) {
	if raw[0] != '{' {
		r.fault(at, expected, raw)
		return nil, false
	}
	members, _ := document.Members(raw)
	r.only(at, members, names...)
	return members, true
}

// list reads a list of up to limit strings; fault returns what is wrong with one, or "".
func (r *settingsReader) list(at string, raw json.RawMessage, of string, limit int, fault func(string) string) []string {
	if raw[0] != '[' {
		r.fault(at, "must be a list of "+of, raw)
		return nil
	}
	elements, ok := elementsOf(raw, limit)
	if !ok {
		r.fault(at, fmt.Sprintf("may have at most %d %s", limit, of), nil)
		return nil
	}
	out := make([]string, len(elements))
	for i, element := range elements {
		if element[0] != '"' || json.Unmarshal(element, &out[i]) != nil {
			r.fault(fmt.Sprintf("%s[%d]", at, i), "must be a string", element)
		} else if message := fault(out[i]); message != "" {
			r.fault(fmt.Sprintf("%s[%d]", at, i), message, out[i])
		}
	}
	return out
}

// elementsOf returns the elements of a list; ok is false if it has more than most.
func elementsOf(list json.RawMessage, most int) (elements []json.RawMessage, ok bool) {
	n := 0
	document.EachElement(list, func(element json.RawMessage) {
		if n++; n <= most {
			elements = append(elements, element)
		}
	})
	return elements, n <= most
}

func (r *settingsReader) language(at string, raw json.RawMessage, languages []string) string {
	var language string
	if json.Unmarshal(raw, &language) != nil {
		r.fault(at, "must be a string", raw)
	} else if !slices.Contains(languages, language) {
		r.fault(at, "must be one of "+strings.Join(languages, ", "), language)
	}
	return language
}

// autocomplete reads the settings of suggestions; fields that are absent, or null, stay as they are in current.
func (r *settingsReader) autocomplete(at string, raw json.RawMessage, current Autocomplete) Autocomplete {
	members, _ := r.object(at, raw, `must be {"fields": [names of fields]}`, "fields")
	fields := members["fields"]
	if fields == nil || string(fields) == "null" {
		return current
	}
	return Autocomplete{Fields: r.list(at+".fields", fields, "fields", maxAutocompletion, fieldFault)}
}

func (r *settingsReader) synonyms(at string, raw json.RawMessage) []Synonym {
	var entries []json.RawMessage
	ok := raw[0] == '['
	if ok {
		entries, ok = elementsOf(raw, maxSynonyms)
	}
	if !ok {
		r.fault(at, fmt.Sprintf(`must be a list of at most %d synonyms, such as [["film","movie"], {"from":["tv"],"to":["television"]}]`, maxSynonyms), nil)
		return nil
	}
	out := make([]Synonym, len(entries))
	for i, entry := range entries {
		out[i] = r.synonym(fmt.Sprintf("%s[%d]", at, i), entry)
	}
	return out
}

// synonym reads a synonym in either form.
func (r *settingsReader) synonym(at string, raw json.RawMessage) Synonym {
	if raw[0] == '[' {
		return Synonym{Equivalent: r.synonymWords(at, raw, 2)}
	}
	const expected = `must be a list of equivalents, or {"from":["tv"],"to":["television"]}`
	members, ok := r.object(at, raw, expected, "from", "to")
	if !ok {
		return Synonym{}
	}
	from, to := members["from"], members["to"]
	if from == nil || to == nil {
		r.fault(at, expected, raw)
		return Synonym{}
	}
	return Synonym{From: r.synonymWords(at+".from", from, 1), To: r.synonymWords(at+".to", to, 1)}
}

func (r *settingsReader) synonymWords(at string, raw json.RawMessage, least int) []string {
	before := len(r.faults)
	words := r.list(at, raw, "words", maxSynonymWords, wordFault)
	if len(words) < least && len(r.faults) == before {
		message := "must have at least two words"
		if least == 1 {
			message = "must not be empty"
		}
		r.fault(at, message, raw)
	}
	return words
}

func wordFault(w string) string {
	if strings.TrimSpace(w) == "" || utf8.RuneCountInString(w) > maxWordLength || !Storable(w) {
		return fmt.Sprintf("must be a word of 1 to %d characters", maxWordLength)
	}
	return ""
}

func stopWordFault(w string) string {
	if message := wordFault(w); message != "" {
		return message
	}
	if len(strings.Fields(w)) > 1 {
		return "must be one word"
	}
	return ""
}

func fieldFault(name string) string {
	if name == "" || strings.HasPrefix(name, "_") || !Storable(name) {
		return "must be the name of a property"
	}
	return mapping.NameFault(name)
}
