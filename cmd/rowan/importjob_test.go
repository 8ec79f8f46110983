package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/cmd/rowan/internal/importer"
	"github.com/rowansearch/rowan/openapi/client"
)

// If no checkpoint can be kept, and nobody asked for one, an import says so once and leaves nothing behind.
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
	save := config.SaveCheckpoint // importer also keeps the function
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

// A cache folder that cannot be used, such as that of HOME=/dev/null, ends only an import that is to be resumed.
func TestAnImportNeedsNoCacheFolder(t *testing.T) {
	t.Setenv("HOME", os.DevNull)
	t.Setenv("XDG_CACHE_HOME", os.DevNull)
	for _, resume := range []bool{false, true} {
		var notes bytes.Buffer
		j := &importJob{command: &importCommand{Index: "films", File: "films.ndjson", Resume: resume}, term: terminal{err: &notes}}
		var config importer.Config
		if err := j.useCheckpoint(&config); (err != nil) != resume {
			t.Errorf("resume: %v: %v", resume, err)
		}
		if config.SaveCheckpoint != nil || !resume && !strings.Contains(notes.String(), "cannot be resumed") {
			t.Errorf("resume: %v: keeps a checkpoint, or said %q", resume, notes.String())
		}
	}
}

// Records after a checkpoint get their ids from the same property as those before it.
func TestAnImportIsResumedWithItsIDField(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("HOME", cache)
	t.Setenv("XDG_CACHE_HOME", cache)
	use := func(idField string, resume bool) (importer.Config, error) {
		j := &importJob{command: &importCommand{Index: "films", File: "films.ndjson", IDField: idField, Resume: resume}, term: terminal{err: io.Discard}}
		var config importer.Config
		err := j.useCheckpoint(&config)
		return config, err
	}
	for _, first := range []string{"", "sku"} {
		begun, err := use(first, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := begun.SaveCheckpoint(importer.Checkpoint{Records: 7}); err != nil {
			t.Fatal(err)
		}
		for _, then := range []string{"", "sku", "id"} {
			resumed, err := use(then, true)
			if then != first {
				if err == nil || !strings.Contains(err.Error(), "or start without --resume") {
					t.Errorf("--id-field %q goes on from %q: %v", then, first, err)
				}
			} else if err != nil || resumed.Resume.Records != 7 {
				t.Errorf("--id-field %q: goes on from %+v, %v", then, resumed.Resume, err)
			}
		}
	}
}

// If a requested checkpoint cannot be written, the import ends, and nothing says that it can be resumed.
func TestAnImportWithoutItsCheckpoint(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var notes bytes.Buffer
	j := &importJob{command: &importCommand{Index: "films", File: "films.ndjson", Checkpoint: filepath.Join(t.TempDir(), "checkpoint")}, term: terminal{err: &notes}}
	var config importer.Config
	if err := j.useCheckpoint(&config); err != nil {
		t.Fatal(err)
	}
	j.checkpoint = filepath.Join(file, "checkpoint") // as if the folder had gone meanwhile
	err := config.SaveCheckpoint(importer.Checkpoint{Records: 7, Line: 7})
	if err == nil {
		t.Fatal("kept a checkpoint in a file")
	}
	if got := j.report(importer.Progress{Written: 7, Created: 7, Settled: 7}, time.Second, err); !errors.Is(got, err) || strings.Contains(notes.String(), "--resume") {
		t.Errorf("ended with %v, and said %s", got, notes.String())
	}
}

// If the index is deleted during an import, there is nothing left to continue from, and nothing says so or tries to.
func TestAnImportWhoseIndexIsDeleted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "checkpoint")
	if err := importer.SaveCheckpoint(file, "films.ndjson into films", importer.Checkpoint{Records: 7, Line: 7}); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []bool{false, true} {
		var notes bytes.Buffer
		j := &importJob{command: &importCommand{Index: "films"}, term: terminal{err: &notes}, checkpoint: file}
		problem := &client.Problem{Status: 503, Code: "unavailable"}
		if gone {
			problem = &client.Problem{Status: 404, Code: "index_not_found"}
		}
		if err := j.report(importer.Progress{Written: 7, Created: 7, Settled: 7}, time.Second, problem); !errors.Is(err, problem) {
			t.Errorf("ended with %v", err)
		}
		if got := strings.Contains(notes.String(), "run the same command with --resume"); got == gone {
			t.Errorf("said %s", notes.String())
		}
		if got := strings.Contains(notes.String(), "The index films was deleted in the meantime"); got != gone {
			t.Errorf("said %s", notes.String())
		}
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) != gone {
			t.Errorf("the checkpoint: %v", err)
		}
	}
}
