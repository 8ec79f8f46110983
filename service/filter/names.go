package filter

import "unicode"

// ParseNames reads a list of field names separated by spaces or commas, as requests list facets. A name that contains either goes
// in backquotes. It returns each name once, in the order of their first occurrence. Errors are of type *Error with a column.
func ParseNames(src string) ([]string, error) {
	s, err := newScanner(src, "list of names")
	if err != nil {
		return nil, err
	}
	separator := func(r rune) bool { return r == ',' || unicode.IsSpace(r) }
	var names []string
	seen := map[string]bool{}
	for {
		s.take(separator)
		if s.peek() == eof {
			return names, nil
		}
		var name string
		if s.peek() == '`' {
			if name, err = s.quotedName(); err != nil {
				return nil, err
			}
		} else {
			name = s.take(func(r rune) bool { return !separator(r) && r != '`' })
		}
		if r := s.peek(); r != eof && !separator(r) {
			return nil, s.expected("a space or a comma after the name", "a backquote in a name is doubled, and the name goes in backquotes")
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
}
