package filter

import "strings"

// NormalizeLevels returns the one spelling of a category or a path, by which a filter and a stored value
// compare; separator is that of the field's type. Both are folded before, so that a fold cannot bring a
// separator in afterwards.
//
//   - Of a category (" > ") each level loses the spaces around it, and empty levels go: " A  >  B > " is "A > B".
//   - Of a path ("/") the slashes at the end go: "/a/b/" is "/a/b". A leading slash counts: "a/b" is another
//     path. "/" alone stays.
func NormalizeLevels(separator, value string) string {
	if separator == "/" {
		if trimmed := strings.TrimRight(value, "/"); trimmed != "" || value == "" {
			return trimmed
		}
		return "/"
	}
	var levels []string
	for level := range strings.SplitSeq(value, separator) {
		if level = strings.Trim(level, " "); level != "" {
			levels = append(levels, level)
		}
	}
	return strings.Join(levels, separator)
}

// Levels lists what a value matches, from the top: "a/b/c" gives "a", "a/b" and "a/b/c". An Equal on a field
// of KindLevels holds if the normalized value of the filter is one of these. The last is the normalized
// value itself.
func Levels(separator, value string) []string {
	value = NormalizeLevels(separator, value)
	var levels []string
	for i := 1; i < len(value); i++ {
		// A path may have empty segments (https://…): what ends in a slash is no level of its own.
		if strings.HasPrefix(value[i:], separator) && (separator != "/" || value[i-1] != '/') {
			levels = append(levels, value[:i])
		}
	}
	return append(levels, value)
}
