package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/cmd/rowan/internal/importer"
)

// Where no checkpoint can be kept, and nobody has asked for one, an import says so once and leaves nothing behind.
func TestAnImportGoesOnWithoutItsCheckpoint(t *testing.T) {
	home, here := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", home)
	t.Chdir(here)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(cache, "rowan"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(cache, "rowan", "imports")); err != nil {
		t.Fatal(err)
	}
	var notes bytes.Buffer
	j := &importJob{command: &importCommand{Index: "films", File: "films.ndjson"}, term: terminal{err: &notes}, meter: newMeter(&notes, 0, false)}
	var config importer.Config
	if err := j.useCheckpoint(&config); err != nil {
		t.Fatal(err)
	}
	save := config.SaveCheckpoint // as importer keeps it
	for records := range int64(3) {
		if err := save(importer.Checkpoint{Records: records}); err != nil {
			t.Errorf("the import ends: %v", err)
		}
	}
	if got := strings.Count(notes.String(), "cannot be resumed"); got != 1 {
		t.Errorf("told %d times:\n%s", got, notes.String())
	}
	if left, err := os.ReadDir(here); err != nil || len(left) > 0 {
		t.Errorf("in the current folder are now %v (%v)", left, err)
	}
}
