package sqltext

import "strconv"

// NotNil is a list as a parameter that is an array and never null.
func NotNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Integers writes integers as PostgreSQL reads an array.
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
