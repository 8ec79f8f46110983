package store

import "context"
import "time"
import "github.com/rowansearch/rowan/service"

func (s *Store) DevBuild(ctx context.Context, ix *service.Index) error {
	for {
		again, err := s.rebuildPostings(ctx, job{ix: ix})
		if err != nil || !again {
			return err
		}
	}
}
func (s *Store) DevOff() {
	s.limits.changed = -1
	s.accelMu.Lock()
	s.accelerators = map[int64]knownAccelerator{1: {read: time.Now().Add(time.Hour)}}
	s.accelMu.Unlock()
}
