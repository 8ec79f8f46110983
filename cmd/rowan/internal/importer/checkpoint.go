package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Checkpoint is how far an import has come without a gap: everything up to there was acknowledged by the
// server or reported as bad.
type Checkpoint struct {
	// Records counts the records up to there, and Line is where the last of them begins.
	Records int64 `json:"records"`
	Line    int64 `json:"line"`
	// Hash is that of the last record, by which a changed input is noticed.
	Hash string `json:"hash"`
}

// checkpointFile is a checkpoint as it is stored, with what it belongs to.
type checkpointFile struct {
	Target string `json:"target"`
	Checkpoint
}

// SaveCheckpoint writes c, which belongs to the import that target describes, to a file. The file is
// replaced as a whole.
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

// LoadCheckpoint reads the checkpoint of the import that target describes. A file that is not there is
// the zero checkpoint; one of another import is an error.
func LoadCheckpoint(file, target string) (Checkpoint, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return Checkpoint{}, nil
	}
	if err != nil {
		return Checkpoint{}, err
	}
	var stored checkpointFile
	if err := json.Unmarshal(data, &stored); err != nil {
		return Checkpoint{}, fmt.Errorf("%s is not a checkpoint (%w): remove it, or start without --resume", file, err)
	}
	if stored.Target != target {
		return Checkpoint{}, fmt.Errorf("%s is the checkpoint of another import, %s: resume that one, or start without --resume", file, stored.Target)
	}
	return stored.Checkpoint, nil
}
