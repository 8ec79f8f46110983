package embedded

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	versionFile  = "PG_VERSION" // in every cluster; contains its major version
	passwordFile = "pgpass"
	confFile     = "rowan.conf" // in the cluster; included by its postgresql.conf
)

// cluster is the data of one server, in PostgreSQL's terms.
type cluster struct {
	dir      string // of the cluster, with links resolved
	dataDir  string // what Rowan keeps next to it
	owner    owner
	programs programs
}

// major returns the version that wrote the cluster, 0 if there is no cluster yet.
func (c *cluster) major() (int, error) {
	text, err := os.ReadFile(filepath.Join(c.dir, versionFile))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(c.dir); err == nil {
			return 0, fmt.Errorf("the folder %s does not contain the data of a PostgreSQL server: move it away", c.dir)
		}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("the file %s does not contain a PostgreSQL version: the data is damaged", filepath.Join(c.dir, versionFile))
	}
	return major, nil
}

// prepare makes the cluster if there is none (major is 0), writes its settings, and returns the password.
func (c *cluster) prepare(ctx context.Context, major int, extra map[string]string) (password string, err error) {
	password, err = readPassword(c.dataDir)
	known := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		password, err = writePassword(c.dataDir)
	}
	if err != nil {
		return "", err
	}
	if major == 0 {
		if err := c.init(ctx, password, extra["fsync"] == "off"); err != nil {
			return "", err
		}
	} else if !known {
		if err := c.resetPassword(ctx, password); err != nil {
			return "", errors.Join(err, os.Remove(filepath.Join(c.dataDir, passwordFile)))
		}
	}
	text := c.settings(ctx, machineMemory(), runtime.NumCPU(), extra)
	return password, c.write(confFile, text)
}

// write replaces a file of the cluster.
func (c *cluster) write(name, text string) error {
	path := filepath.Join(c.dir, name)
	temporary := path + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Exclusive, because root must not follow a link that the server's user may have put there.
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close(), c.owner.own(temporary)); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// init makes the cluster in a folder next to its final place and then moves it there, so that a start that is
// killed never leaves half a cluster.
func (c *cluster) init(ctx context.Context, password string, unsafe bool) error {
	parent := filepath.Dir(c.dir)
	const prefix = clusterName + ".init-"
	leftovers, _ := filepath.Glob(filepath.Join(parent, prefix+"*")) // fails only for a malformed pattern
	for _, dir := range leftovers {
		_ = os.RemoveAll(dir) // it only takes space; an initdb that has outlived its Rowan fails without it
	}
	var failures []string
	for _, locale := range locales(ctx) {
		dir, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return fmt.Errorf("cannot create the cluster: %w", err)
		}
		err = c.owner.own(dir)
		if err == nil {
			err = c.initdb(ctx, dir, locale, password, unsafe)
		}
		if err == nil {
			err = appendInclude(dir)
		}
		if err == nil {
			err = os.Rename(dir, c.dir)
		}
		if err == nil {
			return syncDir(parent)
		}
		_ = os.RemoveAll(dir)
		if !strings.Contains(err.Error(), "invalid locale") || ctx.Err() != nil {
			return fmt.Errorf("cannot create the cluster: %w", err)
		}
		failures = append(failures, locale)
	}
	return fmt.Errorf("cannot create the cluster: this system has none of the UTF-8 locales that were tried (%s): install one", strings.Join(failures, ", "))
}

func (c *cluster) initdb(ctx context.Context, dir, locale, password string, unsafe bool) error {
	// In a file, because initdb asks for the password otherwise; in the cluster's folder the file would be in
	// initdb's way.
	file := dir + ".password"
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(file) }()
	if err := c.owner.own(file); err != nil {
		return err
	}
	// Text search uses LC_CTYPE to recognize letters. Sorting by code point (C) is what Rowan promises, and indexes
	// on it survive an upgrade of the C library.
	args := []string{
		"-D", dir, "--username=" + role, "--pwfile=" + file, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale-provider=libc", "--locale=C", "--lc-ctype=" + locale,
		"--text-search-config=english", "--no-instructions",
	}
	if unsafe {
		args = append(args, "--no-sync")
	}
	return c.execute(ctx, "", c.programs.initdb(), args...)
}

// execute runs a program of the server as the server's user. Its error includes the program's output.
func (c *cluster) execute(ctx context.Context, input, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = "/" // the current folder may be closed to the server's user
	cmd.Env = environment()
	cmd.Stdin = strings.NewReader(input)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: c.owner.credential()}
	// initdb has children; they end with it.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // it was killed on request: its output would look like the cause
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// environment returns the environment of this process without what would change the server's behaviour: PGDATA,
// PGPORT and the like. Locales come from the cluster, the time zone from its settings.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "PG") || strings.HasPrefix(entry, "LC_") || strings.HasPrefix(entry, "LANG") || strings.HasPrefix(entry, "TZ=")
	})
}

// locales returns the UTF-8 locales to try, best first. On macOS the C.UTF-8 of some versions only knows ASCII
// letters.
func locales(ctx context.Context) []string {
	list := []string{"C.UTF-8", "C.utf8", "en_US.UTF-8"}
	if runtime.GOOS == "darwin" {
		list = []string{"en_US.UTF-8", "UTF-8", "C.UTF-8"}
	}
	if out, err := output(ctx, "locale", "-a"); err == nil {
		for _, name := range strings.Fields(out) {
			lower := strings.ToLower(name)
			if strings.HasSuffix(lower, ".utf8") || strings.HasSuffix(lower, ".utf-8") {
				list = append(list, name)
			}
		}
	}
	return list[:min(len(list), 10)] // a system may have hundreds, or none that works
}

// appendInclude makes the cluster read Rowan's settings; settings that a person adds below that line override
// them.
func appendInclude(dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "\n# Written anew by Rowan at each start. Settings of your own go below this line.\ninclude_if_exists = '%s'\n", confFile)
	return errors.Join(err, file.Sync(), file.Close())
}

func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// readPassword reads the password from the file that writePassword wrote.
func readPassword(dataDir string) (string, error) {
	path := filepath.Join(dataDir, passwordFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	fields := strings.Split(strings.TrimSpace(string(text)), ":")
	if password := fields[len(fields)-1]; len(fields) == 5 && password != "" {
		return password, nil
	}
	return "", fmt.Errorf("the file %s contains no password: remove it, and the next start sets a new one", path)
}

// writePassword makes a password and the password file, which libpq takes only with mode 0600.
func writePassword(dataDir string) (string, error) {
	random := make([]byte, 24)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	password := hex.EncodeToString(random)
	path := filepath.Join(dataDir, passwordFile)
	temporary := path + ".new"
	line := fmt.Sprintf("127.0.0.1:*:*:%s:%s\n", role, password)
	if err := os.WriteFile(temporary, []byte(line), 0o600); err != nil {
		return "", err
	}
	return password, os.Rename(temporary, path)
}

// resetPassword sets the password of a cluster whose password file is lost. Whoever can write to its files needs
// none: a server in single-user mode does not ask for it.
func (c *cluster) resetPassword(ctx context.Context, password string) error {
	statement := fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'\n", role, password) // the password is hexadecimal
	return c.execute(ctx, statement, c.programs.postgres(), "--single", "-D", c.dir, "postgres")
}
