package store

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// A standby that falls behind again and again is reported once, one that is dead each time.
func TestReplicaBehindIsToldSeldom(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := &Store{log: slog.New(slog.NewTextHandler(&log, nil))}
	r := &replica{name: "standby:5432"}
	for i, why := range []error{errBehind, errBehind, errBehind, errors.New("it is dead"), errBehind, errors.New("it is dead")} {
		r.state.Store(replicaReady)
		s.leaveOut(r, why)
		if quiet := i == 1 || i == 2 || i == 4; r.quiet.Load() != quiet || r.state.Load() != replicaLeftOut {
			t.Errorf("%d: quiet %v, state %d", i, r.quiet.Load(), r.state.Load())
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 3 {
		t.Errorf("%d lines: %s", n, log.String())
	}
}
