package filter

import "strings"

// NormalizeLevels returns the canonical spelling of a category or a path, in which a filter and a stored value are
// compared; separator is that of the field's type. Both must be folded before, since folding can bring in a separator.
//
//   - In a category (" > ") each level loses the spaces around it, and empty levels are dropped, also before or
//     after a ">" at either end: " A  >  B >" becomes "A > B".
//   - In a path ("/") the slashes at the end are dropped: "/a/b/" becomes "/a/b". A leading slash counts: "a/b"
//     is another path. "/" alone stays.
func NormalizeLevels(separator, value string) string {
	if separator == "/" {
		if trimmed := strings.TrimRight(value, "/"); trimmed != "" || value == "" {
			return trimmed
		}
		return "/"
	}
	var levels []string
	// The padding makes separators of a ">" at either end, as rowan.levels does.
	for level := range strings.SplitSeq(" "+value+" ", separator) {
		if level = strings.Trim(level, " "); level != "" {
			levels = append(levels, level)
		}
	}
	return strings.Join(levels, separator)
}

// NormalizeBeginning is NormalizeLevels for the beginning of such a value, which may end anywhere: a separator at
// the end of a category stays, and so does the slash of a path.
func NormalizeBeginning(separator, value string) string {
	if separator == "/" {
		return value
	}
	// A value that ends in " >" has begun a separator, with or without its last space.
	begun := strings.TrimRight(value, " ") + " "
	if !strings.HasSuffix(begun, separator) {
		return NormalizeLevels(separator, value)
	}
	if normal := NormalizeLevels(separator, begun); normal != "" {
		return normal + separator
	}
	return ""
}
