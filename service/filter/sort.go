package filter

import (
	"strings"

	"github.com/rowansearch/rowan/service/mapping"
)

// MaxSortKeys is how many different keys a sort expression may have.
const MaxSortKeys = 10

// ScoreField is the name by which the score is sorted.
const ScoreField = "_score"

// SortKey is one key of a sort expression.
type SortKey struct {
	// Field is _score for the score and _id for the identifier.
	Field string
	// Kind is never KindPresence; it is KindNumber for the score.
	Kind mapping.Kind
	// Desc puts the largest first. For the score that is the best first, which _score alone means.
	Desc bool
	// Score and ID report whether the key is the score or the identifier rather than a field of documents.
	Score, ID bool
}

// ParseSort reads a sort expression: keys separated by commas, each of them field, -field, field:asc or field desc; names are bare or in
// backquotes. _score is best first, -_score worst first. A repeated key is left out, because it changes nothing;
// the same field in the other direction is kept, because it may have several values. An empty expression has no
// keys. kindOf is as for Bind. Errors are of type *Error with a column.
func ParseSort(src string, kindOf func(field string) mapping.Kind) ([]SortKey, error) {
	s, err := newScanner(src, "sort expression")
	if err != nil {
		return nil, err
	}
	if s.space(); s.peek() == eof {
		return nil, nil
	}
	var keys []SortKey
	seen := map[SortKey]bool{}
	for {
		s.space()
		at := s.pos()
		key, err := s.sortKey(kindOf)
		if err != nil {
			return nil, err
		}
		said := key
		if key.Score || key.ID {
			said.Desc = false // a document has one of each: in the other direction they change nothing either
		}
		if !seen[said] {
			if len(keys) == MaxSortKeys {
				return nil, at.errorf("a sort expression may have at most %d keys", MaxSortKeys)
			}
			seen[said] = true
			keys = append(keys, key)
		}
		s.space()
		if s.peek() == eof {
			return keys, nil
		}
		if !s.symbol(",") {
			return nil, s.expected(`":asc", ":desc", "," or the end`, "a name with special characters goes in backquotes")
		}
	}
}

func (s *scanner) sortKey(kindOf func(string) mapping.Kind) (SortKey, error) {
	at := s.pos()
	minus := s.symbol("-")
	field, err := s.sortName()
	if err != nil {
		return SortKey{}, err
	}
	direction, err := s.direction(minus)
	if err != nil {
		return SortKey{}, err
	}
	if field == ScoreField {
		// The score is the only key whose natural order is the largest first: "-" reverses it.
		return SortKey{Field: field, Kind: mapping.KindNumber, Desc: !minus && direction != "asc", Score: true}, nil
	}
	kind, err := fieldKind(field, at, "sorted by", "_score and _id", kindOf)
	if err != nil {
		return SortKey{}, err
	}
	if kind == mapping.KindPresence {
		return SortKey{}, at.errorf("%s is a long text and cannot be sorted by; map it as text or sentence", label(field))
	}
	return SortKey{Field: field, Kind: kind, Desc: minus || direction == "desc", ID: field == IDField}, nil
}

func (s *scanner) sortName() (string, error) {
	switch r := s.peek(); {
	case r == '`':
		return s.quotedName()
	case r == '+':
		return "", s.expected("a field name, _score or _id", `omit the "+": a name alone sorts the smallest first`)
	case r == '"':
		return "", s.expected("a field name, _score or _id", "a name with special characters goes in backquotes, not in double quotes")
	case r == eof, r == '-', !isNameRune(r):
		return "", s.expected("a field name, _score or _id", "")
	}
	return s.take(isNameRune), nil
}

// direction consumes ":asc" or " desc", in any case, and returns it in lower case; "" if there is none.
func (s *scanner) direction(minus bool) (string, error) {
	s.space()
	colon := s.symbol(":")
	s.space()
	at := *s
	switch word := strings.ToLower(s.take(isNameRune)); word {
	case "asc", "desc":
		if minus {
			return "", at.expected("the end of the key", `the "-" before the name already gives the direction`)
		}
		return word, nil
	case "":
		if !colon {
			return "", nil
		}
	}
	return "", at.expected("asc or desc", "")
}
