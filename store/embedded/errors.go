package embedded

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// minMajor is the oldest major version of PostgreSQL that Rowan works with.
const minMajor = 15

// InUseError says that another process runs the server of a data folder.
type InUseError struct {
	DataDir string
	PID     int // of the process that holds the folder; 0 if unknown
}

func (e *InUseError) Error() string {
	holder := "another process"
	if e.PID > 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("the data folder %s is in use by %s: stop that first, or choose another folder", e.DataDir, holder)
}

// VersionError says that the data was written by a major version of PostgreSQL that is not installed. PostgreSQL
// cannot read data of another major version.
type VersionError struct {
	Cluster string // the folder of the data
	Major   int    // the version that wrote it
	Found   []int  // the major versions that were found, at least 15
}

func (e *VersionError) Error() string {
	found := "none was found"
	if len(e.Found) > 0 {
		list := make([]string, len(e.Found))
		for i, major := range e.Found {
			list[i] = fmt.Sprint(major)
		}
		found = "found: " + strings.Join(list, ", ")
	}
	return fmt.Sprintf("the data in %s was written by PostgreSQL %d and needs that version (%s).\n%s\n"+
		"To move the data to another version: install both, dump with pg_dump, choose a new data folder, restore with psql.",
		e.Cluster, e.Major, found, installHint(e.Major))
}

// NotFoundError says that there is no usable PostgreSQL on this machine, and that none could be fetched.
type NotFoundError struct {
	Rejected []string // what was found and why it is unusable
	Fetch    error    // why none could be fetched
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no PostgreSQL %d or newer was found on this machine", minMajor)
	for _, r := range e.Rejected {
		fmt.Fprintf(&b, "\n  %s", r)
	}
	fmt.Fprintf(&b, "\nand it could not be downloaded: %v\n%s\nOr set DATABASE_URL to a server that is already running.", e.Fetch, installHint(0))
	return b.String()
}

func (e *NotFoundError) Unwrap() error { return e.Fetch }

// installHint says how to install PostgreSQL, in a given major version if that is not 0.
func installHint(major int) string {
	debian, fedora := "postgresql", "postgresql-server"
	if major != 0 {
		debian, fedora = fmt.Sprintf("postgresql-%d", major), fmt.Sprintf("postgresql%d-server", major)
	} else {
		major = 17
	}
	return fmt.Sprintf(`Install it with one of:
  Debian, Ubuntu   apt-get install %s
  Fedora, RHEL     dnf install %s
  Alpine           apk add postgresql%d
  macOS            brew install postgresql@%d`, debian, fedora, major, major)
}

func isPasswordError(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && (pgErr.Code == "28P01" || pgErr.Code == "28000")
}
