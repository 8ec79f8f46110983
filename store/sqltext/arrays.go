package sqltext

import "strconv"

// NotNil returns list, or an empty list instead of nil, which would be NULL as a parameter.
func NotNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Integers returns an array of integers in PostgreSQL's text format.
func Integers(keys []int32) string {
	b := make([]byte, 0, 12*len(keys)+2)
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(k), 10)
	}
	return string(append(b, '}'))
}
