package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/document"
)

// Limits of the settings of an index.
const (
	maxSynonyms     = 10000 // entries
	maxSynonymWords = 50    // words in one entry
	maxStopWords    = 10000
	maxWordLength   = 200 // characters
	// maxWordsSize bounds the bytes of all words of synonyms and stop words together, with perWord bytes for each
	// besides its text: each server keeps them in memory for every index that is searched.
	maxWordsSize, perWord = 2 << 20, 16
	maxAutocompletion     = 50 // fields
)

// MarshalJSON writes a list of equivalents as an array, a one-way synonym as an object.
func (s Synonym) MarshalJSON() ([]byte, error) {
	if len(s.From) > 0 {
		return json.Marshal(map[string][]string{"from": s.From, "to": s.To})
	}
	return json.Marshal(s.Equivalent)
}

// IndexSettings returns the settings of an index. Error code: index_not_found.
func (s *Service) IndexSettings(ctx context.Context, application, name string) (IndexSettings, error) {
	ix, err := s.store.CurrentIndex(ctx, application, name)
	if err != nil {
		return IndexSettings{}, err
	}
	return ix.Settings.complete(), nil
}

// wordsSize returns how many bytes the words of the settings take in memory.
func (s IndexSettings) wordsSize() (size int) {
	add := func(words []string) {
		for _, w := range words {
			size += len(w) + perWord
		}
	}
	add(s.StopWords)
	for _, syn := range s.Synonyms {
		add(syn.Equivalent)
		add(syn.From)
		add(syn.To)
	}
	return size
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

// UpdateIndexSettings replaces the settings by body (a JSON object) or, with merge, only those that it names. A change of the language or of
// the autocompletion fields rebuilds the index, which can be used meanwhile. Error codes: index_not_found, invalid_request, index_in_use.
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
		if reflect.DeepEqual(next, ix.Settings.complete()) {
			updated = next
			return nil
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
	body = bytes.TrimSpace(body)
	if !bytes.HasPrefix(body, []byte("{")) || !json.Valid(body) {
		return settings, Errorf(CodeInvalidRequest, "The settings do not fit; nothing was changed.").With(FieldError{Location: "body", Message: "must be an object"})
	}
	members, _ := document.Members(body)
	r := settingsReader{}
	for _, name := range settingNames {
		raw, at := members[name], "body."+name
		if raw == nil || string(raw) == "null" {
			continue // as if it were absent
		}
		switch name {
		case "language":
			languages, err := s.store.Languages(ctx)
			if err != nil {
				return settings, err
			}
			settings.Language = r.language(at, raw, languages)
		case "autocomplete":
			settings.Autocomplete = r.autocomplete(at, raw, settings.Autocomplete)
		case "synonyms":
			settings.Synonyms = r.synonyms(at, raw)
		case "stop_words":
			settings.StopWords = r.list(at, raw, "words", maxStopWords, stopWordFault)
		}
	}
	r.only("body", members, settingNames...)
	if size := settings.wordsSize(); size > maxWordsSize && (members["synonyms"] != nil || members["stop_words"] != nil) {
		r.fault("body", fmt.Sprintf("has too many words: synonyms and stop_words may take %d bytes together (each word's text plus %d); these take %d", maxWordsSize, perWord, size), nil)
	}
	if len(r.faults) > 0 {
		return settings, Errorf(CodeInvalidRequest, "The settings do not fit; nothing was changed.").With(r.faults...)
	}
	return settings.complete(), nil
}

// Storable reports whether PostgreSQL accepts s as text.
func Storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
