package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// programs are the server's programs (postgres, initdb) in one folder.
type programs struct {
	dir     string
	version string // as PostgreSQL writes it: 15.14
	major   int
}

func (p programs) postgres() string { return filepath.Join(p.dir, "postgres") }
func (p programs) initdb() string   { return filepath.Join(p.dir, "initdb") }

// psql returns what to type for psql: its path if it is next to these programs and not in PATH, as with Homebrew,
// otherwise the bare name.
func (p programs) psql() string {
	if _, err := exec.LookPath("psql"); err != nil {
		if own := filepath.Join(p.dir, "psql"); isExecutable(own) {
			return own
		}
	}
	return "psql"
}

// findPrograms returns the first programs that can run a cluster: of the major version that wrote it or, if that
// is 0 because there is no cluster yet, of any that is new enough. If none is installed, it downloads them.
func findPrograms(ctx context.Context, o Options, c cluster, major int) (programs, error) {
	cache, cacheErr := o.cacheDir()
	var rejected []string
	var found []int
	dirs := o.systemDirs(ctx)
	if cacheErr == nil {
		dirs = append(dirs, downloaded(cache)...)
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil || seen[dir] {
			continue
		}
		seen[dir] = true
		p, err := inspect(ctx, dir, c.owner)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			rejected = append(rejected, fmt.Sprintf("%s: %v", dir, err))
		case major != 0 && p.major != major:
			found = append(found, p.major)
		default:
			return p, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return programs{}, err // the context's end may be why programs were rejected
	}
	if major != 0 && o.distribution.major() != major {
		slices.Sort(found)
		return programs{}, &VersionError{Cluster: c.dir, Major: major, Found: slices.Compact(found)}
	}
	if cacheErr != nil {
		return programs{}, &NotFoundError{Rejected: rejected, Fetch: cacheErr}
	}
	dir, err := fetch(ctx, o, cache)
	if err != nil {
		return programs{}, &NotFoundError{Rejected: rejected, Fetch: err}
	}
	p, err := inspect(ctx, dir, c.owner)
	if err != nil {
		return programs{}, &NotFoundError{Rejected: rejected, Fetch: fmt.Errorf("the download in %s cannot be used here: %w", dir, err)}
	}
	return p, nil
}

// systemDirs returns the folders where distributions put the server's programs, best first: those that pg_config
// and PATH name, because somebody chose them, then the newest.
func systemDirs(ctx context.Context) []string {
	var dirs []string
	if out, err := output(ctx, "pg_config", "--bindir"); err == nil {
		dirs = append(dirs, strings.TrimSpace(out))
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                                   // packages of postgresql.org for Fedora, RHEL
		"/usr/lib/postgresql*/bin",                           // openSUSE
		"/usr/libexec/postgresql*",                           // Alpine
		"/opt/homebrew/opt/postgresql@*/bin",                 // Homebrew, Apple silicon
		"/usr/local/opt/postgresql@*/bin",                    // Homebrew, Intel
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",    // Homebrew, Linux
		"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
		"/Library/PostgreSQL/*/bin",                          // EDB's installer
	} {
		matches, _ := filepath.Glob(pattern) // fails only for a malformed pattern
		slices.SortFunc(matches, func(a, b string) int { return lastNumber(b) - lastNumber(a) })
		dirs = append(dirs, matches...)
	}
	return append(dirs, "/usr/bin", "/usr/local/bin", "/usr/local/pgsql/bin")
}

var number = regexp.MustCompile(`\d+`)

// lastNumber returns the last whole number in a path, which is the major version: 16 > 9.
func lastNumber(path string) int {
	all := number.FindAllString(path, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1])
	return n
}

var versionPattern = regexp.MustCompile(`^postgres \(PostgreSQL\) ((\d+)\S*)`)

// inspect returns which programs a folder has. The error is os.ErrNotExist if it has no server at all.
func inspect(ctx context.Context, dir string, as owner) (programs, error) {
	p := programs{dir: dir}
	if !isExecutable(p.postgres()) {
		return p, os.ErrNotExist
	}
	out, err := output(ctx, p.postgres(), "--version")
	if err != nil {
		return p, fmt.Errorf("does not run: %w", err)
	}
	match := versionPattern.FindStringSubmatch(out)
	if match == nil {
		return p, fmt.Errorf("is not a PostgreSQL server: it says %q", strings.TrimSpace(out))
	}
	p.version = match[1]
	p.major, _ = strconv.Atoi(match[2])
	if p.major < minMajor {
		return p, fmt.Errorf("PostgreSQL %s is older than %d", p.version, minMajor)
	}
	if !isExecutable(p.initdb()) {
		return p, errors.New("has no initdb")
	}
	if blocked := as.blockedAt(dir); blocked != "" {
		return p, fmt.Errorf("the user %s, as which the server runs, cannot enter %s", as.name, blocked)
	}
	return p, nil
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// output runs a program that is expected to answer at once. Errors include what it writes to stderr.
func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

// cacheDir returns the folder where downloaded programs are kept.
func (o Options) cacheDir() (string, error) {
	if o.CacheDir != "" {
		return filepath.Abs(o.CacheDir)
	}
	if os.Geteuid() == 0 && runtime.GOOS == "linux" {
		return "/var/cache/rowan", nil
	}
	dir, err := os.UserCacheDir()
	if err == nil {
		return filepath.Join(dir, "rowan"), nil
	}
	home, homeErr := homeDir()
	if homeErr != nil {
		return "", fmt.Errorf("there is no folder to keep it in: %w", err)
	}
	return filepath.Join(home, ".cache", "rowan"), nil
}
