package store

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service"
)

const (
	// formulaVersion increases whenever the contents of blocks change.
	formulaVersion = 11
	// readableSince is the oldest version whose blocks still answer searches until all are rebuilt; the plain statement answers what they cannot.
	readableSince = 10
	// presenceSince is the first version whose blocks list the documents that have a field without a value.
	presenceSince = 11
)

// formula identifies everything that blocks depend on: the version and, in order, the fields whose lexemes are counted.
type formula string

func formulaOf(fields []service.Field) formula {
	var b strings.Builder
	fmt.Fprint(&b, formulaVersion)
	for _, f := range fields {
		fmt.Fprintf(&b, " %q", f.Name)
	}
	return formula(b.String())
}

// version returns 0 for a formula that no server has written.
func (f formula) version() int {
	version, _, _ := strings.Cut(string(f), " ")
	n, _ := strconv.Atoi(version)
	return n
}

// newer reports whether blocks were made by a newer server. They are left alone: during an upgrade of several servers, each would otherwise undo the
// other's work.
func (f formula) newer() bool { return f.version() > formulaVersion }

// readable reports whether searches can be answered from blocks with this formula as well as from those with mine.
func (f formula) readable(mine formula) bool {
	_, fields, _ := strings.Cut(string(f), " ")
	_, wanted, _ := strings.Cut(string(mine), " ")
	return f.version() >= readableSince && !f.newer() && fields == wanted
}

// readableVersions returns the versions whose blocks can answer searches, as the catalog writes them.
func readableVersions() (list []string) {
	for version := readableSince; version <= formulaVersion; version++ {
		list = append(list, strconv.Itoa(version))
	}
	return list
}
