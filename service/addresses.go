package service

import (
	"regexp"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
)

// People paste the address of a page about something, and what they install: lodash@4.17.21. If no document has it so, they mean the thing
// that the address or the requirement names.

// isEmail reports whether a word is an e-mail address, or may become one: it has letters after its last @ (ann@exam, @example.org), and nothing that
// only paths have. lodash@4.17.21 and @types/node are none, but ann@163.com is.
func isEmail(text string) bool {
	at := strings.LastIndex(text, "@")
	if at < 0 || strings.ContainsAny(text[at:], "/:") {
		return false
	}
	_, _, required := requirement(text)
	return !required || topDomain.MatchString(text)
}

// topDomain is the end of a domain, which has only letters.
var topDomain = regexp.MustCompile(`\.\pL{2,}$`)

// required is a name, what compares its version, and the version: lodash@^4.17, requests==2.31.0, django>=3.2,<4.
var required = regexp.MustCompile(`^(.+?)(?:@|[=~!<>]=+|[<>])[\^~<>=]*(v?[0-9].*)$`)

// requirement returns the ends of a name and the beginning of the version that a word requires of it; ok is false if it is no such word.
func requirement(text string) (name, version int, ok bool) {
	found := required.FindStringSubmatchIndex(text)
	if found == nil {
		return 0, 0, false
	}
	return found[3], found[4], true
}

// webAddress is the beginning of an address, up to its path.
var webAddress = regexp.MustCompile(`^[(<\['‘]*[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*`)

// addressed returns what a word names that is an address or a requirement: the segments of a path, or its host if it has no path, and the name and the
// version that are required. It returns nil for other words.
func addressed(raw query.Term) (parts []query.Term) {
	if raw.Phrase {
		return nil
	}
	add := func(start, end int) {
		if text := raw.Text[start:end]; len(analysis.Words(text)) > 0 {
			parts = append(parts, query.Term{Text: text, Start: raw.Start + start, End: raw.Start + end})
		}
	}
	if host := webAddress.FindString(raw.Text); host != "" {
		start := len(host)
		for i, r := range raw.Text[start:] {
			if strings.ContainsRune("/?#&=", r) {
				add(start, len(host)+i)
				start = len(host) + i + 1
			}
		}
		if add(start, len(raw.Text)); len(parts) == 0 {
			add(strings.Index(host, "://")+len("://"), len(host))
		}
		return parts
	}
	if name, version, ok := requirement(raw.Text); ok {
		add(0, name)
		add(version, len(raw.Text))
	}
	return parts
}
