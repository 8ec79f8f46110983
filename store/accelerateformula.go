package store

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service"
)

const (
	// formulaVersion rises with what blocks are made of.
	formulaVersion = 11
	// readableSince is the oldest version whose blocks searches are answered from, until all are built anew: what they lack goes the
	// plain way.
	readableSince = 10
	// presenceSince is the version from which blocks tell who has a field without a value.
	presenceSince = 11
)

// formula names all that blocks depend on: the version, and the fields whose lexemes are counted, in their order.
type formula string

func formulaOf(fields []service.Field) formula {
	var b strings.Builder
	fmt.Fprint(&b, formulaVersion)
	for _, f := range fields {
		fmt.Fprintf(&b, " %q", f.Name)
	}
	return formula(b.String())
}

// version is 0 for what no server has written.
func (f formula) version() int {
	version, _, _ := strings.Cut(string(f), " ")
	n, _ := strconv.Atoi(version)
	return n
}

// newer tells that blocks are made by a newer server, whose they are: while servers are being upgraded, each would undo what the
// other has done.
func (f formula) newer() bool { return f.version() > formulaVersion }

// readable tells that searches can be answered from blocks of a formula as well as from those of mine.
func (f formula) readable(mine formula) bool {
	_, fields, _ := strings.Cut(string(f), " ")
	_, wanted, _ := strings.Cut(string(mine), " ")
	return f.version() >= readableSince && !f.newer() && fields == wanted
}

// readableVersions are those whose blocks searches are answered from, as the catalog has them.
func readableVersions() (list []string) {
	for version := readableSince; version <= formulaVersion; version++ {
		list = append(list, strconv.Itoa(version))
	}
	return list
}
