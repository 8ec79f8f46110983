package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunningURL(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "data")
	if _, err := RunningURL(dir); err == nil || !strings.Contains(err.Error(), "no server runs in "+dir) {
		t.Errorf("nothing there: %v", err)
	}
	s := mustStart(t, options(dir))
	got, err := RunningURL(dir)
	if err != nil || got != s.URL() {
		t.Errorf("%s, %v; want %s", got, err, s.URL())
	}
	if got := query(t, got, "SELECT current_user"); got != role {
		t.Errorf("connected as %s", got)
	}
	if err := os.Rename(filepath.Join(dir, passwordFile), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	if _, err := RunningURL(dir); err == nil || !strings.Contains(err.Error(), passwordFile) {
		t.Errorf("without the password: %v", err)
	}
	stop(t, s)
	if _, err := RunningURL(dir); err == nil || !strings.Contains(err.Error(), "no server runs") {
		t.Errorf("stopped: %v", err)
	}
}

// What PostgreSQL has written about itself so far tells whether it accepts connections.
func TestRunningURLOfAServerThatStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, clusterName), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := writePassword(dir); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"1\n/data\n1700000000\n": "try again",
		"1\n/data\n1700000000\n5432\n\n127.0.0.1\n  1  0\nstarting\n": "try again",
		"1\n/data\n1700000000\n5432\n\n127.0.0.1\n  1  0\nstopping\n": "try again",
		"1\n/data\n1700000000\nnone\n\n127.0.0.1\n  1  0\nready   \n": "names no port",
		"1\n/data\n1700000000\n5432\n\n127.0.0.1\n  1  0\nready   \n": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, clusterName, pidFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		u, err := RunningURL(dir)
		switch {
		case want == "" && (err != nil || !strings.HasSuffix(u, "@127.0.0.1:5432/rowan?sslmode=disable")):
			t.Errorf("%q: %s, %v", text, u, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
