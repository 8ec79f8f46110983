package client

import "encoding/json"

// Synonym is either Words, which find each other, or OneWay: words that also find others.
type Synonym struct {
	Words  []string
	OneWay *OneWaySynonym
}

// OneWaySynonym says that the words From of a query also find the words To, but not the other way round.
type OneWaySynonym struct {
	From []string `json:"from"`
	To   []string `json:"to"`
}

// MarshalJSON writes an array or an object.
func (s Synonym) MarshalJSON() ([]byte, error) {
	if s.OneWay != nil {
		return json.Marshal(s.OneWay)
	}
	return json.Marshal(s.Words)
}

// UnmarshalJSON reads an array or an object.
func (s *Synonym) UnmarshalJSON(text []byte) error {
	*s = Synonym{}
	if len(text) > 0 && text[0] == '{' {
		return json.Unmarshal(text, &s.OneWay)
	}
	return json.Unmarshal(text, &s.Words)
}
