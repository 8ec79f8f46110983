package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Checkpoint is how far an import has come without a gap: everything before it was acknowledged by the server
// or reported as bad.
type Checkpoint struct {
	// Records counts the records before it, and Line is the line where the last of them begins.
	Records int64 `json:"records"`
	Line    int64 `json:"line"`
	// Hash is the hash of the last record, which reveals a changed input.
	Hash string `json:"hash"`
}

// checkpointFile is a checkpoint as it is stored, with the import that it belongs to.
type checkpointFile struct {
	Target string `json:"target"`
	Checkpoint
}

// SaveCheckpoint writes c, which belongs to the import that target describes, to a file. The file is replaced
// atomically.
func SaveCheckpoint(file, target string, c Checkpoint) error {
	data, err := json.MarshalIndent(checkpointFile{Target: target, Checkpoint: c}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temporary := file + ".tmp"
	if err := os.WriteFile(temporary, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, file)
}

// LoadCheckpoint reads the checkpoint of the import that target describes. It returns the zero Checkpoint if
// the file does not exist, and an error if it belongs to another import.
func LoadCheckpoint(file, target string) (Checkpoint, error) {
	stored, err := readCheckpoint(file)
	if err != nil || stored.Target == "" {
		return Checkpoint{}, err
	}
	if stored.Target != target {
		return Checkpoint{}, fmt.Errorf("%s is the checkpoint of another import, %s: resume that one, or start without --resume", file, stored.Target)
	}
	return stored.Checkpoint, nil
}

// RemoveCheckpoint removes the checkpoint in a file, of whichever import. A file that is something else stays, and is an error.
func RemoveCheckpoint(file string) error {
	if _, err := readCheckpoint(file); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the checkpoint: %w", err)
	}
	return nil
}

// ErrUnreadable says that a checkpoint, if there is one, cannot be read.
var ErrUnreadable = errors.New("the checkpoint cannot be read")

// readCheckpoint reads a file. One that is not there, or empty as mktemp makes it, has no target.
func readCheckpoint(file string) (stored checkpointFile, err error) {
	// A device such as /dev/null would be replaced or removed like a file, and reading from a pipe may never end.
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return stored, fmt.Errorf("%s is not a file: name another one with --checkpoint", file)
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(data) == 0 {
		return stored, nil
	}
	if err != nil {
		return stored, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if err := json.Unmarshal(data, &stored); err != nil || stored.Target == "" {
		return stored, fmt.Errorf("%s is something else than the checkpoint of an import: name another file with --checkpoint, or remove it", file)
	}
	return stored, nil
}
