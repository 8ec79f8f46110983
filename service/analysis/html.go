package analysis

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// attributes are what stands between the name of a tag and its end. A quote after an equals sign always opens a value, which ends with the next such quote,
// so that there is only one way to read them: the value of href="?q=" ends with its second quote, although that follows an equals sign, too.
const attributes = `(?:[^>=]|=[= \t\r\n\f]*(?:"[^"]*"|'[^']*'|[^"'>= \t\r\n\f]))*(?:=[= \t\r\n\f]*)?`

var (
	comments = regexp.MustCompile(`(?s)<!--.*?(?:-->|\z)`)
	scripts  = regexp.MustCompile(`(?s)<` + anyCase("script") + `[ \t\r\n\f/>].*?(?:</` + anyCase("script") + `[ \t\r\n\f]*>|\z)`)
	styles   = regexp.MustCompile(`(?s)<` + anyCase("style") + `[ \t\r\n\f/>].*?(?:</` + anyCase("style") + `[ \t\r\n\f]*>|\z)`)
	looks    = longest(`</?(?:` + anyCase("b|big|del|em|font|i|ins|mark|s|small|strong|sub|sup|tt|u|wbr") + `)(?:[ \t\r\n\f/]` + attributes + `)?>`)
	tags     = longest(`<[a-zA-Z/!?]` + attributes + `>`)
	unclosed = regexp.MustCompile(`<[a-zA-Z/!?][^>]*>`) // a quote is never closed
	entity   = regexp.MustCompile(`^(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,8});`)
)

// anyCase returns an expression for names in letters of any case. To (?i), the long ſ and the sign of kelvin are letters, too.
func anyCase(names string) string {
	return regexp.MustCompile("[a-z]").ReplaceAllStringFunc(names, func(c string) string { return "[" + c + strings.ToUpper(c) + "]" })
}

// longest compiles an expression that takes the longest match, as PostgreSQL does.
func longest(expression string) *regexp.Regexp {
	re := regexp.MustCompile(expression)
	re.Longest()
	return re
}

// windows1252 are the characters that browsers show for &#128; to &#159;.
var windows1252 = []rune{8364, 129, 8218, 402, 8222, 8230, 8224, 8225, 710, 8240, 352, 8249, 338, 141, 381, 143,
	144, 8216, 8217, 8220, 8221, 8226, 8211, 8212, 732, 8482, 353, 8250, 339, 157, 382, 376}

// PlainHTML returns what a reader of HTML sees, as rowan.plain_html does: without tags, comments, scripts and styles, and with entities decoded.
func PlainHTML(text string) string {
	if strings.Contains(text, "<") {
		text = comments.ReplaceAllString(text, " ")
		text = scripts.ReplaceAllString(text, " ")
		text = styles.ReplaceAllString(text, " ")
		// Tags that only change the looks of letters do not end a word: H<sub>2</sub>O.
		text = looks.ReplaceAllString(text, "")
		text = tags.ReplaceAllString(text, " ")
		text = unclosed.ReplaceAllString(text, " ")
	}
	first, rest, found := strings.Cut(text, "&")
	if !found {
		return text
	}
	var b strings.Builder
	b.WriteString(first)
	for part := range strings.SplitSeq(rest, "&") {
		m := entity.FindStringSubmatch(part)
		code := rune(-1)
		if m != nil {
			code = character(m[1])
		}
		if code < 0 {
			b.WriteString("&" + part)
			continue
		}
		b.WriteRune(code)
		b.WriteString(part[len(m[0]):])
	}
	return b.String()
}

// character returns what an entity stands for, or -1.
func character(name string) rune {
	if name[0] != '#' {
		if r, ok := entities[name]; ok {
			return r
		}
		return -1
	}
	var n int64
	var err error
	if name[1] == 'x' || name[1] == 'X' {
		n, err = strconv.ParseInt(name[2:], 16, 64)
	} else {
		n, err = strconv.ParseInt(name[1:], 10, 64)
	}
	switch {
	case err != nil:
		return -1
	case n >= 128 && n <= 159:
		return windows1252[n-128]
	case n == 0, n > utf8.MaxRune, n >= 0xd800 && n <= 0xdfff:
		return utf8.RuneError
	}
	return rune(n)
}
