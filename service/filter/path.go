package filter

import (
	"strconv"
	"strings"
	"unicode"
)

func (p Pos) item(i int) Pos { return Pos{Path: p.Path + "[" + strconv.Itoa(i) + "]"} }

func (p Pos) member(name string) Pos {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, cut(name)) // a name of a megabyte should not come back in a message
	if name == "" {
		name = `""`
	}
	return Pos{Path: p.Path + "." + name}
}
