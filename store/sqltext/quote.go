// Package sqltext provides the parts of SQL statements: identifiers, literals and placeholders of parameters.
package sqltext

import "strings"

// Quote quotes a name as an SQL identifier. Names only enter SQL through it, except in COPY, where pgx quotes them.
func Quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Literal returns a string as an SQL literal, for DDL, which takes no parameters.
func Literal(s string) string {
	if strings.Contains(s, `\`) {
		return ` E'` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `'`, `''`) + `'`
	}
	return `'` + strings.ReplaceAll(s, `'`, `''`) + `'`
}

// TextArray returns an array of texts as an SQL expression, for DDL.
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
