package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// freshLog is the number of log rows up to which a search processes them itself, to find what was just written; more are left to the worker.
const freshLog = 1000

// freshTime is how long a search waits for that.
const freshTime = time.Second

// freshen derives from a short log what a search is about to ask for. It makes no search fail. If it takes longer than the search waits, it goes on:
// otherwise each search would start it again, and on an overloaded machine none would complete it.
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

// follow derives everything that an index lacks, so that suggestions and typos reflect its new shape when the change is answered. Work of another
// server, and what fails, is left to the worker.
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

// leave leaves to the worker what a search or a change of an index has failed to derive. It logs the error, unless another server is at work or the
// index has changed: the worker finds out whether that is a fault.
func (s *Store) leave(ix *service.Index, err error) {
	if !errors.Is(err, errBusy) && !superseded(err) {
		s.derivedFailed(ix, err)
	}
}

// followed runs a lookup in the derived tables, again after what was just written has been processed. lookup returns how long the change log is in
// its snapshot, 0 if it has itself examined the documents of up to peek rows. If derived tables are just being recreated, nothing is found.
func (s *Store) followed(ctx context.Context, ix *service.Index, lookup func(ctx context.Context, r table.Relations, peek int) (logged int, err error)) error {
	r := table.RelationsOf(ix.Application, ix.Name)
	// A step that was running when the lookup read the log may have begun before the last write: hence twice.
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
			s.dirty(ix) // psql may have written these: nobody has told the worker
		}
		if err != nil || logged == 0 || logged > freshLog || attempt == 2 {
			return s.searchError(err)
		}
		s.freshen(ctx, ix)
	}
}
