package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// The words of an index are bounded in total size, not only in number: each server keeps them in memory. A change
// of something else is not refused for words that are there already.
func TestSizeOfWords(t *testing.T) {
	t.Parallel()
	many := func(n int) []Synonym {
		list := make([]Synonym, n)
		for i := range list {
			for j := range 10 {
				list[i].Equivalent = append(list[i].Equivalent, fmt.Sprint("word", i, strings.Repeat("x", j)))
			}
		}
		return list
	}
	body := func(synonyms []Synonym) json.RawMessage {
		body, err := json.Marshal(map[string]any{"synonyms": synonyms})
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	s := &Service{}
	if _, err := s.decodeSettings(t.Context(), IndexSettings{}, body(many(5000))); err != nil {
		t.Errorf("5,000 synonyms: %v", err)
	}
	_, err := s.decodeSettings(t.Context(), IndexSettings{}, body(many(9000)))
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeInvalidRequest || len(e.Fields) != 1 || !strings.Contains(e.Fields[0].Message, "2097152 bytes") {
		t.Errorf("9,000 synonyms of ten words: %v", err)
	}
	oneWay := many(9000)
	for i := range oneWay {
		words := oneWay[i].Equivalent
		oneWay[i] = Synonym{From: words[:5], To: words[5:]}
	}
	if _, err := s.decodeSettings(t.Context(), IndexSettings{}, body(oneWay)); ErrorCode(err) != CodeInvalidRequest {
		t.Errorf("9,000 synonyms of five words for five: %v", err)
	}
	if _, err := s.decodeSettings(t.Context(), IndexSettings{Synonyms: many(5000)}, json.RawMessage(`{"stop_words":["a"]}`)); err != nil {
		t.Errorf("5,000 synonyms and a stop word: %v", err)
	}
	if _, err := s.decodeSettings(t.Context(), IndexSettings{Synonyms: many(9000)}, json.RawMessage(`{"autocomplete":{"fields":["title"]}}`)); err != nil {
		t.Errorf("another setting: %v", err)
	}
}
