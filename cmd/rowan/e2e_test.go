package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rowansearch/rowan/store/storetest"
)

// These tests run the built binary as a person would: with its own PostgreSQL, over HTTP, and with kill.

const (
	adminKey  = "rka_an-admin-key-for-tests"
	searchKey = "rks_a-search-key-for-tests"
)

// bench is a built binary and the data folder that it works on.
type bench struct {
	t       *testing.T
	binary  string
	dataDir string
	address string // of the server, once it has run
}

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "rowan-e2e")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "rowan")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return binary, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if binary, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(binary))
	}
	os.Exit(status)
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the embedded PostgreSQL runs on Linux and macOS only")
	}
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// If root starts PostgreSQL, it runs as another user, who has to reach the data folder.
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, binary: binary, dataDir: filepath.Join(dir, "data"), address: "127.0.0.1:0"}
}

// command returns a command of rowan with the environment of the test.
func (b *bench) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.t.Context(), b.binary, args...)
	cmd.Env = append(os.Environ(),
		"DATABASE_URL=", "ROWAN_DATA_DIR="+b.dataDir, "ROWAN_URL=http://"+b.address, "ROWAN_LISTEN="+b.address,
		"ROWAN_APPLICATION_ID=shop", "ROWAN_ADMIN_KEY="+adminKey, "ROWAN_SEARCH_KEY="+searchKey, "XDG_CACHE_HOME="+b.t.TempDir())
	return cmd
}

// rowan runs a command to its end, and returns its exit status, output and error output.
func (b *bench) rowan(args ...string) (status int, out, errOut string) {
	b.t.Helper()
	cmd := b.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, isExit := errors.AsType[*exec.ExitError](err); err != nil && !isExit {
		b.t.Fatalf("rowan %s: %v", args[0], err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// must is rowan for commands that have to succeed. It returns the output.
func (b *bench) must(args ...string) string {
	b.t.Helper()
	status, out, errOut := b.rowan(args...)
	if status != 0 {
		b.t.Fatalf("rowan %s: exit status %d\n%s%s", strings.Join(args, " "), status, out, errOut)
	}
	return out
}

// server is a running rowan serve.
type server struct {
	cmd      *exec.Cmd
	greeting string
	log      *lockedBuffer
	ended    chan error
}

// lockedBuffer is a buffer that can be read while the process writes to it.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

var readyLine = regexp.MustCompile(`ready at http://(\S+) `)

// serve starts the server and waits until it is ready. Later servers get the address of the first.
func (b *bench) serve(args ...string) *server {
	b.t.Helper()
	s := &server{cmd: b.command(append([]string{"serve"}, args...)...), log: &lockedBuffer{}, ended: make(chan error, 1)}
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) } // at the end of the test, so that PostgreSQL can stop
	s.cmd.WaitDelay = time.Minute
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		s.greeting += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), "Ctrl-C") {
			break
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		s.ended <- s.cmd.Wait()
	}()
	b.t.Cleanup(func() {
		// The end of the test's context has asked the server to stop. A second signal would end it before its PostgreSQL.
		select {
		case <-s.ended:
		case <-time.After(time.Minute):
			_ = s.cmd.Process.Kill()
		}
	})
	ready := readyLine.FindStringSubmatch(s.greeting)
	if ready == nil {
		<-s.ended
		s.ended <- nil
		b.t.Fatalf("the server is not ready:\n%s%s", s.greeting, s.log)
	}
	b.address = ready[1]
	return s
}

// end sends a signal and waits for the end.
func (s *server) end(t *testing.T, signal syscall.Signal) error {
	t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-s.ended:
		s.ended <- err // for the cleanup
		return err
	case <-time.After(time.Minute):
		t.Fatal("the server does not end")
		return nil
	}
}

// total searches and returns how many documents are found.
func (b *bench) total(index, query string) int {
	b.t.Helper()
	status, out, errOut := b.rowan("search", index, query, "--json")
	if status != 0 {
		b.t.Fatalf("searching: %s", errOut)
	}
	var answer struct {
		Total int `json:"total"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		b.t.Fatal(err)
	}
	return answer.Total
}

// delete deletes an index.
func (b *bench) delete(index string) {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodDelete, "http://"+b.address+"/v1/index/"+index, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	request.SetBasicAuth("shop", adminKey)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusAccepted {
		b.t.Fatalf("deleting %s: %s", index, answer.Status)
	}
}

// eventually waits until f is true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !f(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for a minute: %s", what)
		}
	}
}

// write creates a file for the test.
func (b *bench) write(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// documents returns n documents as NDJSON.
func documents(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `{"_id":"%d","title":"Document number %d","price":%d.50,"text":"%s"}`+"\n", i, i, i%100, strings.Repeat("lorem ipsum dolor sit amet ", 10))
	}
	return b.String()
}

func TestFromStartToSearch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.serve("--sample")
	for _, want := range []string{"psql ", "/v1/search/films", searchKey} {
		if !strings.Contains(s.greeting, want) {
			t.Errorf("the greeting lacks %q:\n%s", want, s.greeting)
		}
	}
	if strings.Contains(s.greeting, adminKey) {
		t.Error("the greeting tells an admin key that was given")
	}
	if got := b.total("films", "kurosawa samurai"); got < 1 {
		t.Error("the sample index has no Seven Samurai")
	}
	b.must("health")

	csv := b.write("products.csv", "sku,name,price,stock\nA-1,Red shoes,59.90,true\nA-2,Blue shoes,49,false\nA-3,\"Hat, large\",,true\n")
	b.must("import", "products", csv, "--id-field", "sku", "--mapping", "name:name", "--mapping", "price:price", "--mapping", "stock:bool")
	if got := b.total("products", "shoes"); got != 2 {
		t.Errorf("%d shoes, want 2", got)
	}
	table := b.must("search", "products", "shoes", "--filter", "price < 50 AND stock = false", "--facets", "stock")
	if !strings.Contains(table, "1 found") || !strings.Contains(table, "Blue shoes") {
		t.Errorf("got\n%s", table)
	}
	var exported struct {
		ID    string      `json:"_id"`
		Price json.Number `json:"price"`
		Stock bool        `json:"stock"`
	}
	first, _, _ := strings.Cut(b.must("export", "products"), "\n")
	if err := json.Unmarshal([]byte(first), &exported); err != nil || exported.ID != "A-1" || exported.Price != "59.90" || !exported.Stock {
		t.Errorf("exported %s: %+v, %v", first, exported, err)
	}

	// The commands of the operator use the server's database.
	if out := b.must("app", "list"); !strings.Contains(out, "shop") {
		t.Errorf("app list: %s", out)
	}
	b.must("app", "create", "other")
	key := strings.TrimSpace(b.must("key", "create", "--application", "other", "--type", "admin"))
	b.must("key", "create", "--application", "other", "--filter", "price < 50\nAND stock = true", "--description", "web\x1b[2J\nshop")
	if out := b.must("key", "list", "--application", "other"); strings.Count(out, "admin") != 2 || !strings.Contains(out, "  price < 50 AND stock = true  web�[2J shop\n") {
		t.Errorf("key list: %s", out)
	}
	for _, command := range []string{"list", "create"} {
		if status, out, errOut := b.rowan("key", command, "--application", "nosuch"); status != 1 || out != "" || !strings.HasPrefix(errOut, "rowan: There is no application \"nosuch\".\n  \"rowan app list\"") {
			t.Errorf("key %s of an application that is not there: %d, %s%s", command, status, out, errOut)
		}
	}
	if status, out, errOut := b.rowan("key", "create", "--application", "other", "--expires-at", "2020-01-01T00:00:00Z"); status != 1 || out != "" || !strings.Contains(errOut, "the key would never work") {
		t.Errorf("a key that has ended: %d, %s%s", status, out, errOut)
	}
	if out := b.must("export", "films", "--application", "shop"); strings.Count(out, "\n") < 300 {
		t.Errorf("exported %d films", strings.Count(out, "\n"))
	}
	for _, largest := range []string{strings.Repeat("year != 1 AND ", 199) + "year > 0", strings.Repeat("(", 50) + "year > 0" + strings.Repeat(")", 50), " \n"} {
		if out := b.must("export", "films", "--page-size", "100", "--filter", largest); strings.Count(out, "\n") < 300 {
			t.Errorf("exported %d films, of all pages, with the filter %q", strings.Count(out, "\n"), largest)
		}
	}
	if status, _, errOut := b.rowan("export", "films", "--application", "other", "--key", key); status != 1 || !strings.Contains(errOut, "there is no index films") {
		t.Errorf("another application: %d, %s", status, errOut)
	}
	if status, _, errOut := b.rowan("export", "films", "--key", "wrong"); status != 1 || !strings.Contains(errOut, "--application and --key") || strings.Count(errOut, "check") != 1 {
		t.Errorf("a wrong key: %d, %s", status, errOut)
	}

	for _, args := range [][]string{{"export", ""}, {"import", "", csv, "--create"}, {"search", "films", "war", "--url", "http://" + b.address + "/v1"}} {
		if status, _, errOut := b.rowan(args...); status != 1 || !strings.Contains(errOut, "has no path, such as http://host:port, and the name of an index or search must not be empty") {
			t.Errorf("%v: %d, %s", args, status, errOut)
		}
	}

	if err := s.end(t, syscall.SIGTERM); err != nil {
		t.Errorf("stopping: %v\n%s", err, s.log)
	}
	if out := b.must("app", "list"); !strings.Contains(out, "other") { // now with its own PostgreSQL
		t.Errorf("app list: %s", out)
	}
	s = b.serve("--sample")
	if strings.Contains(s.greeting, "curl") {
		t.Errorf("a second start greets as the first:\n%s", s.greeting)
	}
	if got := b.total("products", "shoes"); got != 2 {
		t.Errorf("after a restart: %d shoes, want 2", got)
	}
	if log := s.log.String(); strings.Contains(log, adminKey) || strings.Contains(log, searchKey) {
		t.Error("a key is in the log")
	}
}

// A closed terminal stops the server as SIGTERM does: requests under way are finished, and unsaved data is saved.
func TestHangup(t *testing.T) {
	t.Parallel()
	// A process that handles a signal starts its children with the default action, even if it was itself started to ignore
	// the signal (nohup).
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	b := newBench(t)
	s := b.serve("--database-url", storetest.New(t).URL)
	if err := s.end(t, syscall.SIGHUP); err != nil || !strings.Contains(s.log.String(), "stopping") {
		t.Errorf("ended by SIGHUP: %v\n%s", err, s.log)
	}
}

// With a base domain, the greeting names what answers there: the dashboard at the host of the application, and searches
// with that host. However the domain is written, messages have it in the form of hosts.
func TestGreetingWithABaseDomain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.serve("--database-url", storetest.New(t).URL, "--base-domain", ".Search.Example", "--sample")
	ask := func(method, host, path, body string) (status int, answer string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+b.address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.SetBasicAuth("shop", searchKey)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	dashboards := regexp.MustCompile(`https?://([^/\s]+)/dashboard`).FindAllStringSubmatch(s.greeting, -1)
	if len(dashboards) != 2 {
		t.Errorf("the greeting has not two addresses of the dashboard:\n%s", s.greeting)
	}
	for _, address := range dashboards {
		if status, _ := ask(http.MethodGet, address[1], "/dashboard", ""); status != http.StatusOK {
			t.Errorf("%s: %d", address[0], status)
		}
	}
	searches := regexp.MustCompile(`curl .* -H 'Host: (\S+)' http://(\S+?)(/\S+) .* -d '(.*)'`).FindAllStringSubmatch(s.greeting, -1)
	if len(searches) != 3 {
		t.Errorf("the greeting has not three searches:\n%s", s.greeting)
	}
	for _, search := range searches {
		if status, _ := ask(http.MethodPost, search[1], search[3], search[4]); status != http.StatusOK || search[2] != b.address {
			t.Errorf("%s: %d", search[0], status)
		}
	}
	for host, want := range map[string]string{
		"search.example": "Call http://<application>.search.example (", "demo.search.example": "Call http://shop.search.example.",
	} {
		if status, answer := ask(http.MethodGet, host, "/v1/index", ""); status < 400 || !strings.Contains(answer, want) {
			t.Errorf("%s: %d, without %q:\n%s", host, status, want, answer)
		}
	}
}

func TestImportTellsOfBadRecords(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.serve()
	lines := strings.Split(documents(3000), "\n")
	lines[1499] = `{"_id":"1500","price":"expensive"}`
	lines[1999] = `{"_id":`
	path := b.write("docs.ndjson", strings.Join(lines, "\n"))
	args := []string{"import", "docs", path, "--mapping", "price:price", "--batch-size", "100"}

	status, _, errOut := b.rowan(args...)
	if status != 1 || !strings.Contains(errOut, path+":1500: price: ") && !strings.Contains(errOut, path+":2000: ") {
		t.Errorf("exit status %d\n%s", status, errOut)
	}
	status, _, errOut = b.rowan(append(args, "--on-error", "continue")...)
	if status != 1 || !strings.Contains(errOut, path+":1500: price: ") || !strings.Contains(errOut, path+":2000: not valid JSON") {
		t.Errorf("exit status %d\n%s", status, errOut)
	}
	if got := b.total("docs", ""); got != 2998 {
		t.Errorf("%d documents, want all but two", got)
	}
}

// An import that stops before it has written anything leaves behind no empty index with the wrong mappings.
func TestImportThatWritesNothingCreatesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.serve()
	for records, want := range map[string]string{
		`{"price":"cheap"}`:                            `docs.ndjson:1: price: must be a number or a string that holds one (mapped as price), got "cheap"`,
		`{"price":1}` + "\n" + `{"price":[2,"cheap"]}`: `docs.ndjson:2: price[1]: must be a number or a string that holds one (mapped as price), got "cheap"`,
		`{"price":`: "docs.ndjson:1: not valid JSON",
	} {
		status, _, errOut := b.rowan("import", "docs", b.write("docs.ndjson", records), "--mapping", "price:price")
		if status != 1 || !strings.Contains(errOut, want) || !strings.Contains(errOut, "The index docs was not created.") {
			t.Errorf("%s: exit status %d\n%s", records, status, errOut)
		}
		if status, _, errOut := b.rowan("search", "docs"); status != 1 || !strings.Contains(errOut, "search_not_found") {
			t.Errorf("%s left an index behind: %s", records, errOut)
		}
	}
	// The same command with other mappings, and a file without records, create the index.
	b.must("import", "docs", b.write("docs.ndjson", `{"price":"cheap"}`), "--mapping", "price:keyword")
	if got := b.total("docs", ""); got != 1 {
		t.Errorf("%d documents, want one", got)
	}
	b.must("import", "none", b.write("none.ndjson", ""), "--create")
	if got := b.total("none", ""); got != 0 {
		t.Errorf("%d documents, want none", got)
	}
	// For what only the server refuses, the message says what is left.
	status, _, errOut := b.rowan("import", "bads", b.write("bads.ndjson", `{"price":"cheap"}`), "--mapping", "price:price", "--on-error", "continue")
	if status != 1 || !strings.Contains(errOut, "The index bads was created, but has no documents.") {
		t.Errorf("exit status %d\n%s", status, errOut)
	}
}

// A file with an invalid header row leaves no index behind, and the columns of a valid one have the types of the index.
func TestImportChecksTheHeaderFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.serve()
	for header, want := range map[string]string{
		"a,,b":      "column 2 has no name",
		"a,a":       `two columns are called "a"`,
		"a,_x":      `column 2, "_x": must not begin with an underscore`,
		"a,b\x00":   `column 2, "b\x00": must not contain \u0000`,
		"a;b":       "separated by commas",
		"a,\xe9":    "column 2 is not valid UTF-8",
		"a,\"b":     "CSV header row",
		"_id,title": `there is no column "sku"`,
	} {
		args := []string{"import", "docs", b.write("docs.csv", header+"\n1,2\n"), "--create"}
		if strings.Contains(want, "sku") {
			args = append(args, "--id-field", "sku")
		}
		if status, _, errOut := b.rowan(args...); status != 1 || !strings.Contains(errOut, want) || strings.Contains(errOut, "Created") {
			t.Errorf("%q: exit status %d\n%s", header, status, errOut)
		}
	}
	if status, _, errOut := b.rowan("search", "docs"); status != 1 || !strings.Contains(errOut, "search_not_found") {
		t.Errorf("an index was left behind: %s", errOut)
	}
	// Properties that a search adds to a document may stay in it; a boost is a number without a mapping.
	b.must("import", "docs", b.write("docs.csv", "_id,_score,price,boost,title\na,1.5,2.50,3,Lamp\n"), "--mapping", "price:price")
	if got := b.must("export", "docs"); got != `{"_id":"a","boost":3,"price":2.50,"title":"Lamp"}`+"\n" {
		t.Errorf("exported %s", got)
	}
	path := b.write("docs.ndjson", `{"_id":"a\u0007"}`)
	if status, _, errOut := b.rowan("import", "docs", path); status != 1 || strings.Count(errOut, "control characters") != 1 {
		t.Errorf("a bad _id: exit status %d\n%s", status, errOut)
	}
}

func TestNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.serve()
	const n = 20_000
	path := b.write("docs.ndjson", documents(n))
	b.must("import", "docs", b.write("none.ndjson", ""), "--mapping", "title:sentence", "--mapping", "price:price")

	imported := b.command("import", "docs", path, "--batch-size", "200")
	var notes bytes.Buffer
	imported.Stderr = &notes
	if err := imported.Start(); err != nil {
		t.Fatal(err)
	}
	underway := func(min int) func() bool { return func() bool { return b.total("docs", "") > min } }
	eventually(t, "the import begins", underway(0))
	if err := s.end(t, syscall.SIGKILL); err == nil {
		t.Fatal("the server ended well")
	}
	s = b.serve() // the import continues by itself
	eventually(t, "the import goes on", underway(2000))
	killPostgres(t, b.dataDir)
	if err := imported.Wait(); err != nil {
		t.Fatalf("the import: %v\n%s\n%s", err, notes.String(), s.log)
	}
	// The importer does not send again what was acknowledged, so a lost batch would be missing.
	if got := b.total("docs", ""); got != n {
		t.Errorf("%d documents, want %d", got, n)
	}
	if got := strings.Count(b.must("export", "docs"), "\n"); got != n {
		t.Errorf("exported %d documents, want %d", got, n)
	}
	if got := b.total("docs", `"number 12345"`); got != 1 {
		t.Errorf("found %d times, want once", got)
	}
	if err := s.end(t, syscall.SIGINT); err != nil {
		t.Errorf("stopping: %v\n%s", err, s.log)
	}
}

func TestAnInterruptedImportResumes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.serve()
	const n = 20_000
	// Without _id: documents that are written twice would be there twice.
	path := b.write("docs.ndjson", regexp.MustCompile(`"_id":"\d+",`).ReplaceAllString(documents(n), ""))
	checkpoint := filepath.Join(t.TempDir(), "checkpoint")
	args := []string{"import", "docs", path, "--create", "--batch-size", "100", "--checkpoint", checkpoint}
	imported := b.command(args...)
	var notes bytes.Buffer
	imported.Stderr = &notes
	if err := imported.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a checkpoint", func() bool { _, err := os.Stat(checkpoint); return err == nil })
	if err := imported.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = imported.Wait() // it was killed
	_, _, errOut := b.rowan(append(args, "--resume")...)
	if !strings.Contains(errOut, "Continuing after line") {
		t.Errorf("did not resume:\n%s", errOut)
	}
	if got := b.total("docs", ""); got != n {
		t.Errorf("%d documents, want %d", got, n)
	}
	if _, err := os.Stat(checkpoint); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the checkpoint is still there: %v", err)
	}
	// If the index was deleted meanwhile, resuming would import only the rest of the file.
	broken := b.write("broken.ndjson", documents(10)+"{")
	args = []string{"import", "others", broken, "--create", "--checkpoint", checkpoint}
	if status, _, errOut := b.rowan(args...); status != 1 || !strings.Contains(errOut, "run the same command with --resume") {
		t.Fatalf("exit status %d\n%s", status, errOut)
	}
	b.delete("others")
	if status, _, errOut := b.rowan(append(args, "--resume")...); status != 1 || !strings.Contains(errOut, "no longer exists: start without --resume") {
		t.Errorf("exit status %d\n%s", status, errOut)
	}
}

// An import waits for its input, but not once it is told to stop.
func TestAnImportOfAPipeThatIsSilentStops(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.serve()
	b.must("import", "docs", b.write("docs.ndjson", documents(1)), "--create")
	imported := b.command("import", "docs", "-", "--batch-size", "1")
	var notes bytes.Buffer
	imported.Stderr = &notes
	input, err := imported.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := imported.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(input, `{"_id":"a"}`+"\n"+`{"_id":"b"`); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first record of the pipe", func() bool { return b.total("docs", "") == 2 })
	if err := imported.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- imported.Wait() }()
	select {
	case err := <-ended:
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 || !strings.Contains(notes.String(), "rowan: interrupted") {
			t.Errorf("%v\n%s", err, notes.String())
		}
	case <-time.After(30 * time.Second):
		_ = imported.Process.Kill()
		t.Error("it goes on")
	}
	_ = input.Close()
	if got := b.total("docs", ""); got != 2 {
		t.Errorf("%d documents, want none of what may be the beginning of one", got)
	}
}

// Commands that look for existing data create no database to look in, and say in which one they have looked.
func TestCommandsOnADatabaseThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, args := range [][]string{{"key", "create"}, {"key", "list"}, {"key", "reset", "x"}, {"key", "delete", "x"}, {"app", "list"}, {"app", "delete", "shop", "--yes"}} {
		if status, _, errOut := b.rowan(args...); status != 1 || !strings.Contains(errOut, "there is no data in "+b.dataDir+", and DATABASE_URL is not set") {
			t.Errorf("%v: exit status %d\n%s", args, status, errOut)
		}
	}
	if _, err := os.Stat(b.dataDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data folder was made: %v", err)
	}
	b.must("app", "create", "shop")
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil { // Linux has it
		defer func() { _ = full.Close() }()
		cmd := b.command("app", "create", "lost")
		var errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errOut
		if err := cmd.Run(); err == nil || !strings.Contains(errOut.String(), `"rowan key create --application lost --type admin" creates one`) {
			t.Errorf("keys that nobody has seen: %v, %s", err, errOut.String())
		}
	}
	for want, args := range map[string][]string{
		`"rowan app list" lists the applications in the database of the data folder ` + b.dataDir: {"key", "list", "--application", "other"},
		`"rowan key list" lists the ids`:           {"key", "delete", "x"},
		"  --expires-at: must be an RFC 3339 date": {"key", "create", "--expires-at", "tomorrow"},
	} {
		if status, _, errOut := b.rowan(args...); status != 1 || !strings.Contains(errOut, want) {
			t.Errorf("%v: exit status %d, want %s\n%s", args, status, want, errOut)
		}
	}
	b.serve()
	if status, _, errOut := b.rowan("export", "nope"); status != 1 || !strings.Contains(errOut, "rowan: there is no index nope:") {
		t.Errorf("exit status %d\n%s", status, errOut)
	}
}

// A server whose output is full tells the log that its new keys are lost.
func TestNewKeysThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("only Linux has a file that is always full")
	}
	defer func() { _ = full.Close() }()
	b := newBench(t)
	cmd := b.command("serve")
	cmd.Env = append(cmd.Env, "ROWAN_ADMIN_KEY=", "ROWAN_SEARCH_KEY=")
	log := &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = full, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a line about the keys", func() bool { return strings.Contains(log.String(), "the new keys could not be written and are lost") })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, log.String())
	}
}

func TestFaultsAtTheStart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.serve()
	if status, _, errOut := b.rowan("serve"); status != 1 || !strings.Contains(errOut, "choose another address with --listen") {
		t.Errorf("the address is in use: %d, %s", status, errOut)
	}
	if status, _, errOut := b.rowan("serve", "--listen", "127.0.0.1:0"); status != 1 || !strings.Contains(errOut, b.dataDir) {
		t.Errorf("the data folder is in use: %d, %s", status, errOut)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	short := exec.CommandContext(ctx, b.binary, "serve", "--admin-key", "short")
	if out, err := short.CombinedOutput(); err == nil || !strings.Contains(string(out), "must have 16 to 200 characters") {
		t.Errorf("a short key: %v, %s", err, out)
	}
}

// A PostgreSQL that was started again listens on another port, and the log gives its address.
func TestAddressOfARestartedPostgres(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.serve()
	killPostgres(t, b.dataDir)
	back := regexp.MustCompile(`msg="PostgreSQL is back" psql=.*@127\.0\.0\.1:(\d+)/`)
	eventually(t, "PostgreSQL is back", func() bool { return back.MatchString(s.log.String()) })
	state, err := os.ReadFile(filepath.Join(b.dataDir, "postgresql", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	if port := back.FindStringSubmatch(s.log.String())[1]; strings.Split(string(state), "\n")[3] != port {
		t.Errorf("the log has the port %s\n%s", port, state)
	}
}

// killPostgres kills the PostgreSQL of a data folder, as the kernel does when memory runs out.
func killPostgres(t *testing.T, dataDir string) {
	t.Helper()
	state, err := os.ReadFile(filepath.Join(dataDir, "postgresql", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(state), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
