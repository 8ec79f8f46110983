// Package sqltext is what SQL statements are put together from: identifiers, literals and the places of parameters.
package sqltext

import "strings"

// Quote makes an SQL identifier of a name. It is the only place where names enter SQL, but for COPY, whose names pgx quotes.
func Quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Literal makes an SQL string literal, for DDL, which takes no parameters.
func Literal(s string) string {
	if strings.Contains(s, `\`) {
		return ` E'` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `'`, `''`) + `'`
	}
	return `'` + strings.ReplaceAll(s, `'`, `''`) + `'`
}

// TextArray makes an SQL literal of an array of texts, for DDL.
func TextArray(values []string) string {
	if len(values) == 0 {
		return "'{}'::text[]"
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = Literal(v)
	}
	return "ARRAY[" + strings.Join(quoted, ", ") + "]::text[]"
}
