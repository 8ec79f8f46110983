package service

import "bytes"

// appendCompact appends well-formed JSON without the spaces between its tokens, which PostgreSQL writes after colons and
// commas.
func appendCompact(dst, json []byte) []byte {
	for i := 0; i < len(json); {
		switch c := json[i]; c {
		case ' ', '\n', '\t', '\r':
			i++
		case '"':
			end := i + 1
			for {
				end += bytes.IndexByte(json[end:], '"')
				if slashes := len(json[:end]) - len(bytes.TrimRight(json[i+1:end], `\`)) - (i + 1); slashes%2 == 0 {
					break
				}
				end++ // an escaped quote
			}
			dst = append(dst, json[i:end+1]...)
			i = end + 1
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}
