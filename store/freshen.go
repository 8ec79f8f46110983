package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// freshLog is how many log rows a search deals with itself, so that it finds what was just written; more are
// left to the worker.
const freshLog = 1000

// freshTime is how long a search waits for that.
const freshTime = time.Second

// freshen derives from a short log what a search is about to ask for. It makes no search fail. What takes longer than the
// search waits goes on: if it were given up, each search would begin it anew, and on a machine with too much to do none would
// end it.
func (s *Store) freshen(ctx context.Context, ix *service.Index) {
	done := s.inBackground(ctx, fmt.Sprint(ix.ID), func(ctx context.Context) (any, error) {
		if _, err := s.step(ctx, ix, freshLog, true); err != nil {
			s.leave(ix, err)
		}
		return nil, nil
	})
	patience := time.NewTimer(freshTime)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
	case <-ctx.Done():
	}
}

// follow derives everything that an index is missing, so that its new shape also shows in suggestions and typos
// when it is answered for. What another server is at, or what fails, is left to the worker.
func (s *Store) follow(ctx context.Context, ix *service.Index) {
	for {
		out, err := s.step(ctx, ix, stepRows, false)
		if err != nil {
			s.leave(ix, err)
		}
		if err != nil || !out.more {
			s.dirty(ix)
			return
		}
	}
}

// leave leaves to the worker what a search or a change of an index has failed to derive, and tells of it, but not where another server is at
// it, or where the index is another one by now: whether that is a fault the worker finds out.
func (s *Store) leave(ix *service.Index, err error) {
	if !errors.Is(err, errBusy) && !superseded(err) {
		s.derivedFailed(ix, err)
	}
}

// followed runs a lookup in the derived tables, and again after what has just been written was taken over. A
// lookup tells how long the change log was in its snapshot, having looked itself behind one of up to peek rows. Tables that
// are just being built anew have nothing.
func (s *Store) followed(ctx context.Context, ix *service.Index, lookup func(ctx context.Context, r table.Relations, peek int) (logged int, err error)) error {
	r := table.RelationsOf(ix.Application, ix.Name)
	// A step that was under way when the lookup read the log may have begun before the last write: hence twice.
	for attempt, peek := 0, peekedDocuments; ; attempt++ {
		if attempt == 2 {
			peek = mostPeeked
		}
		logged, err := reading(ctx, s, func(ctx context.Context) (int, error) { return lookup(ctx, r, peek) })
		if gone(err) {
			s.dirty(ix)
			return nil
		}
		if err == nil && logged > freshLog {
			s.dirty(ix) // psql may have written that: nobody has told the worker
		}
		if err != nil || logged == 0 || logged > freshLog || attempt == 2 {
			return s.searchError(err)
		}
		s.freshen(ctx, ix)
	}
}
