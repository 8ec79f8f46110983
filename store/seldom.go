package store

import (
	"log/slog"
	"strings"
	"sync"
	"time"
)

// seldomEvery is how often the same is told.
const seldomEvery = time.Minute

// seldom warns of what is tried again and again until it succeeds: of the same fault once a minute.
type seldom struct {
	mu   sync.Mutex
	told map[string]time.Time
}

// warn logs a message with the error and what it is about, unless it has done so within a minute. Where there is no connection the same
// befalls all indices, and one line tells it.
func (s *seldom) warn(log *slog.Logger, message string, err error, about ...any) {
	what := state(err) // PostgreSQL may name a file, a process or a row, another one each time
	if what == "" {
		what, _, _ = strings.Cut(err.Error(), "\n") // so is a stack
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

// first tells that a key has not been told within a minute, and takes it for told.
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
