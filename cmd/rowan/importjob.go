package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rowansearch/rowan/cmd/rowan/internal/importer"
	"github.com/rowansearch/rowan/cmd/rowan/internal/records"
	"github.com/rowansearch/rowan/openapi/client"
)

// listedBad is how many bad records are reported one by one.
const listedBad = 100

// importJob reports an import to the person at the terminal, and keeps its checkpoint.
type importJob struct {
	command    *importCommand
	term       terminal
	meter      *meter
	bads       int
	missing    bool // there is no index yet
	created    bool // this import has created it
	retried    time.Time
	checkpoint string // its file; "" means none
}

// useCheckpoint makes an import keep a checkpoint, and continue from one if asked to.
func (j *importJob) useCheckpoint(config *importer.Config) error {
	c := j.command
	source := c.File
	if c.File != "-" {
		var err error
		if source, err = filepath.Abs(c.File); err != nil {
			return err
		}
	}
	target := fmt.Sprintf("%s into %s of %s at %s", source, c.Index, c.Application, c.URL)
	j.checkpoint = c.Checkpoint
	if j.checkpoint == "" && c.File != "-" {
		cache, err := os.UserCacheDir()
		if err != nil {
			if c.Resume {
				return fmt.Errorf("cannot tell where the checkpoint is (%w): give --checkpoint", err)
			}
			return nil // only resuming is lost
		}
		sum := sha256.Sum256([]byte(target))
		j.checkpoint = filepath.Join(cache, "rowan", "imports", hex.EncodeToString(sum[:8])+".json")
	}
	if j.checkpoint == "" {
		return nil
	}
	// Not part of the file's name: an import with other ids has to find the checkpoint in order to be refused.
	if c.IDField != "" {
		target += fmt.Sprintf(" with --id-field %q", c.IDField)
	}
	if c.Resume {
		var err error
		if config.Resume, err = importer.LoadCheckpoint(j.checkpoint, target); err != nil {
			return err
		}
		if config.Resume.Records == 0 {
			j.term.notef("There is nothing to resume; starting at the beginning.\n")
		} else {
			j.term.notef("Continuing after line %d.\n", config.Resume.Line)
		}
	} else if err := importer.RemoveCheckpoint(j.checkpoint); errors.Is(err, importer.ErrUnreadable) && c.Checkpoint == "" {
		// The cache folder belongs to somebody else, or is none (HOME=/dev/null). Whoever resumes cannot read it either.
		j.term.notef("If the import ends early, it cannot be resumed: %v\n", err)
		j.checkpoint = ""
		return nil
	} else if err != nil {
		// The checkpoint of an earlier import must not be taken for one of this import: the index may be another by now.
		return err
	}
	config.SaveCheckpoint = func(state importer.Checkpoint) error {
		if j.checkpoint == "" {
			return nil
		}
		err := importer.SaveCheckpoint(j.checkpoint, target, state)
		if err == nil {
			return nil
		}
		j.checkpoint = "" // there is none to continue from
		if c.Checkpoint == "" {
			// Nobody asked for a checkpoint: the import matters more.
			j.meter.notef("If the import ends early, it cannot be resumed: %v", err)
			return nil
		}
		return err
	}
	return nil
}

func (j *importJob) bad(b records.Bad) {
	j.bads++
	switch {
	case j.bads <= listedBad:
		j.meter.notef("%s:%d: %s", j.command.File, b.Line, b.Message)
	case j.bads == listedBad+1:
		j.meter.notef("Further bad records are counted, but not listed.")
	}
}

// retry reports failures that are retried, at most once in plainInterval.
func (j *importJob) retry(err error, pause time.Duration) {
	if time.Since(j.retried) < plainInterval {
		return
	}
	j.retried = time.Now()
	j.meter.notef("Retrying in %s: %v", pause.Round(10*time.Millisecond), err)
}

// report prints a summary, and returns the error with which the command ends.
func (j *importJob) report(p importer.Progress, took time.Duration, err error) error {
	if err != nil && p.Written+p.Bad+p.Skipped == 0 {
		return err // there is nothing to sum up
	}
	rate := int64(float64(p.Written) / max(took.Seconds(), 0.001))
	j.term.notef("Imported %s into %s in %s, %s/s: %s created, %s updated",
		counted(p.Written, "document"), j.command.Index, took.Round(100*time.Millisecond), grouped(rate), grouped(p.Created), grouped(p.Updated))
	if p.Skipped > 0 {
		j.term.notef("; %s processed earlier", counted(p.Skipped, "record"))
	}
	if p.Bad > 0 {
		j.term.notef("; %s", counted(p.Bad, "bad record"))
	}
	j.term.notef(".\n")
	switch {
	case j.missing:
		j.term.notef("The index %s was not created.\n", j.command.Index)
	case j.created && p.Written == 0 && p.Bad > 0:
		j.term.notef("The index %s was created, but has no documents.\n", j.command.Index)
	case p.Generated:
		j.term.notef("Records without an _id were each given one; to use another property as _id, give --id-field.\n")
	}
	if err == nil {
		if err := j.forget(); err != nil {
			return err
		}
		if p.Bad > 0 {
			return errReported
		}
		return nil
	}
	if errors.Is(err, importer.ErrStopped) {
		j.term.notef("Stopped at a bad record; --on-error continue skips bad records.\n")
		err = errReported
	}
	if problem, ok := errors.AsType[*client.Problem](err); ok && problem.Code == "index_not_found" {
		// There is nothing to continue from, and a new index of that name must not be taken for the one that has the first part.
		j.term.notef("The index %s was deleted in the meantime, with everything imported so far: to start over, run the same command with --create.\n", j.command.Index)
		return errors.Join(err, j.forget())
	}
	if j.checkpoint != "" && p.Settled > 0 {
		j.term.notef("Everything up to line %d has been processed: to continue from there, run the same command with --resume.\n", p.Settled)
	}
	return err
}

// forget removes the checkpoint.
func (j *importJob) forget() error {
	if j.checkpoint == "" {
		return nil
	}
	return importer.RemoveCheckpoint(j.checkpoint)
}
