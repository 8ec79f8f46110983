package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of the settings of an index.
const (
	maxSynonyms       = 10000 // entries
	maxSynonymWords   = 50    // words in one entry
	maxStopWords      = 10000
	maxWordLength     = 200 // characters
	maxAutocompletion = 50  // fields
)

// MarshalJSON writes a list of equivalents as an array, a one-way synonym as an object.
func (s Synonym) MarshalJSON() ([]byte, error) {
	if len(s.From) > 0 {
		return json.Marshal(map[string][]string{"from": s.From, "to": s.To})
	}
	return json.Marshal(s.Equivalent)
}

// UnmarshalJSON reads either form.
func (s *Synonym) UnmarshalJSON(data []byte) error {
	*s = Synonym{}
	if err := json.Unmarshal(data, &s.Equivalent); err == nil {
		if len(s.Equivalent) < 2 {
			return errors.New("must have at least two words")
		}
		return nil
	}
	var oneWay struct{ From, To []string }
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&oneWay); err != nil || len(oneWay.From) == 0 || len(oneWay.To) == 0 {
		return errors.New(`must be a list of equivalents, or {"from":["tv"],"to":["television"]}`)
	}
	s.From, s.To = oneWay.From, oneWay.To
	return nil
}

// IndexSettings returns the settings of an index.
func (s *Service) IndexSettings(ctx context.Context, application, name string) (IndexSettings, error) {
	ix, err := s.store.CurrentIndex(ctx, application, name)
	if err != nil {
		return IndexSettings{}, err
	}
	return ix.Settings.complete(), nil
}

// complete fills in empty lists, so that clients see [] rather than null.
func (s IndexSettings) complete() IndexSettings {
	if s.Language == "" {
		s.Language = DefaultLanguage
	}
	if s.Autocomplete.Fields == nil {
		s.Autocomplete.Fields = []string{}
	}
	if s.Synonyms == nil {
		s.Synonyms = []Synonym{}
	}
	if s.StopWords == nil {
		s.StopWords = []string{}
	}
	return s
}

// UpdateIndexSettings replaces the settings by body (a JSON object), or with merge only those that it names.
// Another language or other autocompletion fields rebuild the index, while it is used. Error codes:
// index_not_found, invalid_json, invalid_request.
func (s *Service) UpdateIndexSettings(ctx context.Context, application, name string, body json.RawMessage, merge bool) (IndexSettings, error) {
	var updated IndexSettings
	err := s.reshaping(ctx, application, name, func(ix *Index) error {
		base := IndexSettings{}.complete()
		if merge {
			base = ix.Settings.complete()
		}
		next, err := s.decodeSettings(ctx, base, body)
		if err != nil {
			return err
		}
		reshaped, err := s.store.Reshape(ctx, ix, ix.Mappings, next)
		if err != nil {
			return err
		}
		updated = reshaped.Settings.complete()
		return nil
	})
	return updated, err
}

// settingNames are the settings of an index.
var settingNames = []string{"language", "autocomplete", "synonyms", "stop_words"}

func (s *Service) decodeSettings(ctx context.Context, settings IndexSettings, body json.RawMessage) (IndexSettings, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		if !json.Valid(body) {
			return settings, Errorf(CodeInvalidJSON, "The body is not JSON.")
		}
		return settings, Errorf(CodeInvalidRequest, "The settings do not fit; nothing was changed.").With(FieldError{Location: "body", Message: "must be an object"})
	}
	fault := Errorf(CodeInvalidRequest, "The settings do not fit; nothing was changed.")
	bad := func(location, message string, value any) {
		fault.With(FieldError{Location: location, Message: message, Value: value})
	}
	for key, raw := range members {
		if string(raw) == "null" && slices.Contains(settingNames, key) {
			continue // as if it were absent
		}
		switch key {
		case "language":
			if json.Unmarshal(raw, &settings.Language) != nil {
				bad("body.language", "must be a string", raw)
				continue
			}
			languages, err := s.store.Languages(ctx)
			if err != nil {
				return settings, err
			}
			if !slices.Contains(languages, settings.Language) {
				bad("body.language", "must be one of "+strings.Join(languages, ", "), settings.Language)
			}
		case "autocomplete":
			settings.Autocomplete = Autocomplete{}
			dec := json.NewDecoder(bytes.NewReader(raw))
			dec.DisallowUnknownFields()
			if dec.Decode(&settings.Autocomplete) != nil {
				bad("body.autocomplete", `must be {"fields": [names of fields]}`, raw)
				continue
			}
			if len(settings.Autocomplete.Fields) > maxAutocompletion {
				bad("body.autocomplete.fields", fmt.Sprintf("may name %d fields", maxAutocompletion), nil)
			}
			for i, field := range settings.Autocomplete.Fields {
				if field == "" || strings.HasPrefix(field, "_") || !Storable(field) {
					bad(fmt.Sprintf("body.autocomplete.fields[%d]", i), "must be the name of a property", field)
				}
			}
		case "synonyms":
			var list []json.RawMessage
			if json.Unmarshal(raw, &list) != nil || len(list) > maxSynonyms {
				bad("body.synonyms", fmt.Sprintf("must be a list of at most %d synonyms", maxSynonyms), nil)
				continue
			}
			settings.Synonyms = make([]Synonym, len(list))
			for i, entry := range list {
				place := fmt.Sprintf("body.synonyms[%d]", i)
				if err := json.Unmarshal(entry, &settings.Synonyms[i]); err != nil {
					bad(place, err.Error(), entry)
					continue
				}
				syn := settings.Synonyms[i]
				for _, words := range [][]string{syn.Equivalent, syn.From, syn.To} {
					checkWords(place, words, maxSynonymWords, bad)
				}
			}
		case "stop_words":
			settings.StopWords = nil
			if json.Unmarshal(raw, &settings.StopWords) != nil {
				bad("body.stop_words", "must be a list of words", raw)
				continue
			}
			checkWords("body.stop_words", settings.StopWords, maxStopWords, bad)
			for i, w := range settings.StopWords {
				if len(strings.Fields(w)) > 1 {
					bad(fmt.Sprintf("body.stop_words[%d]", i), "must be one word", w)
				}
			}
		default:
			bad("body."+key, "is no setting; there are "+strings.Join(settingNames, ", "), nil)
		}
	}
	if len(fault.Fields) > 0 {
		slices.SortFunc(fault.Fields, func(a, b FieldError) int { return strings.Compare(a.Location, b.Location) })
		return settings, fault
	}
	return settings.complete(), nil
}

func checkWords(place string, words []string, limit int, bad func(location, message string, value any)) {
	if len(words) > limit {
		bad(place, fmt.Sprintf("may have %d words", limit), nil)
	}
	for i, w := range words {
		if strings.TrimSpace(w) == "" || utf8.RuneCountInString(w) > maxWordLength || !Storable(w) {
			bad(fmt.Sprintf("%s[%d]", place, i), fmt.Sprintf("must be a word of 1 to %d characters", maxWordLength), w)
		}
	}
}

// Storable tells whether PostgreSQL takes s as text.
func Storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
