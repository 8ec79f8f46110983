package store

import (
	"log/slog"
	"strings"
	"sync"
	"time"
)

// seldomEvery is the minimum interval between warnings of the same fault.
const seldomEvery = time.Minute

// seldom logs warnings of work that is retried until it succeeds: the same fault at most once a minute.
type seldom struct {
	mu   sync.Mutex
	told map[string]time.Time
}

// warn logs a message with the error and what it is about, unless it has logged the same within a minute. A lost connection affects all indices, so
// one line stands for all.
func (s *seldom) warn(log *slog.Logger, message string, err error, about ...any) {
	what := state(err) // PostgreSQL's message may name a file, a process or a row, a different one each time
	if what == "" {
		what, _, _ = strings.Cut(err.Error(), "\n") // the rest may be a stack
	}
	key := message + "\x00" + what
	if connectionLost(err) {
		key = message
	} else {
		for _, a := range about {
			key += "\x00" + slog.AnyValue(a).String()
		}
	}
	if s.first(key, time.Now()) {
		log.Warn(message, append(about, "error", err)...)
	}
}

// first reports whether a key was not reported within a minute, and marks it as reported.
func (s *seldom) first(key string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == nil {
		s.told = map[string]time.Time{}
	}
	for k, at := range s.told {
		if now.Sub(at) >= seldomEvery {
			delete(s.told, k)
		}
	}
	if _, told := s.told[key]; told {
		return false
	}
	s.told[key] = now
	return true
}
