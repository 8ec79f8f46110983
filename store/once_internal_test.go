package store

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A caller that waits for a background run that panics gets its error, which is logged once.
func TestPanicOfAnothersRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := &Store{config: Config{SearchTimeout: time.Hour}, log: slog.New(slog.NewTextHandler(&log, nil)), worker: newWorker(), ending: newEnding()}
		for range 2 {
			end := make(chan struct{})
			s.inBackground(t.Context(), "it", func(context.Context) (any, error) {
				<-end
				panic("on purpose")
			})
			waited := make(chan error, 1)
			go func() {
				_, err := onceForAll(t.Context(), s, "it", func(context.Context) (int, error) { return 1, nil })
				waited <- err
			}()
			synctest.Wait() // until both wait
			close(end)
			if err := <-waited; err == nil || !strings.Contains(err.Error(), "on purpose") {
				t.Errorf("the error is %v", err)
			}
		}
		if n := strings.Count(log.String(), "brought up to date"); n != 1 {
			t.Errorf("it is logged %d times:\n%s", n, log.String())
		}
	})
}
