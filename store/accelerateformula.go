package store

import (
	"fmt"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// formulaVersion rises with what blocks are made of.
const formulaVersion = 10

// outdated tells whether blocks made by a formula are to be made anew by mine. Those of a newer server are left to it:
// while servers are being upgraded, each would undo what the other has done.
func outdated(formula, mine string) bool { return !newer(formula) && formula != mine }

// newer tells that blocks are made by a newer server, whose they are.
func newer(formula string) bool {
	var version int
	_, err := fmt.Sscan(formula, &version)
	return err == nil && version > formulaVersion
}

// formulaOf names all that blocks depend on: the fields whose lexemes are counted, in their order.
func formulaOf(fields []service.Field) string {
	var b strings.Builder
	fmt.Fprint(&b, formulaVersion)
	for _, f := range fields {
		fmt.Fprintf(&b, " %q", f.Name)
	}
	return b.String()
}
