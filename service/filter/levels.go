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

// NormalizeBeginning does the same with the beginning of such a value, which may end anywhere: of a category a separator at
// the end stays, and so does the slash of a path.
func NormalizeBeginning(separator, value string) string {
	if separator == "/" {
		return value
	}
	// What ends in " >" has begun a separator, whether its last space is there or not.
	begun := strings.TrimRight(value, " ") + " "
	if !strings.HasSuffix(begun, separator) {
		return NormalizeLevels(separator, value)
	}
	if normal := NormalizeLevels(separator, begun); normal != "" {
		return normal + separator
	}
	return ""
}
