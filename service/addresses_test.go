package service

import (
	"slices"
	"testing"

	"github.com/rowansearch/rowan/service/query"
)

// What an address or a requirement names is taken apart as it is meant; other words are not.
func TestAddressed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"https://www.npmjs.com/package/@types/node":      {"package", "@types", "node"},
		"https://example.org/browse/PAY-12?page=2#notes": {"browse", "PAY-12", "page", "2", "notes"},
		"<https://example.org/browse/PAY-12/>":           {"browse", "PAY-12"},
		"http://10.1.2.3:8080/":                          {"10.1.2.3:8080"},
		"file:///usr/lib/libc.so.6":                      {"usr", "lib", "libc.so.6"},
		"lodash@4.17.21":                                 {"lodash", "4.17.21"},
		"@types/node@^18":                                {"@types/node", "18"},
		"go.example.org/x/text@v0.3.8":                   {"go.example.org/x/text", "v0.3.8"},
		"requests==2.31.0":                               {"requests", "2.31.0"},
		"django>=3.2,<4":                                 {"django", "3.2,<4"},
		"left-pad~=1.0":                                  {"left-pad", "1.0"},
		"react-router-dom":                               nil, "a==b": nil, "@types/node": nil, "5.0": nil, "x // y": nil, "@7": nil,
	} {
		var got []string
		for _, part := range addressed(query.Term{Text: text}) {
			got = append(got, part.Text)
			if part.Text != text[part.Start:part.End] {
				t.Errorf("%q: the place of %q is %d to %d", text, part.Text, part.Start, part.End)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"ann@example.org": true, "ann@163.com": true, "@example.org": true, "ann@": true, "ann@exam": true,
		"lodash@4.17.21": false, "lodash@1.0.0-beta.2": false, "@types/node": false, "git@example.org:a/b": false, "node": false,
	} {
		if got := isEmail(text); got != want {
			t.Errorf("%q: isEmail is %t", text, got)
		}
	}
}
