package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/lexemes"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/table"
)

// accelerator is what the catalog knows about an index's postings.
type accelerator struct {
	generation  int64
	blockSize   int
	formula     formula
	counted     time.Time
	documents   int64            // in all blocks when they were counted
	frequencies map[string]int64 // of the lexemes that have postings
	least       int64            // nearly all frequencies are at least this
	rarer       lexemes.Counts   // of other lexemes that are counted
	ordered     map[string]bool  // fields whose order the blocks keep
	kept        map[string]bool  // fields whose values all blocks have; nil if there is no block yet
	bytes       int              // approximate memory of the lexemes
	// averageLength is only read by servers of earlier versions.
	averageLength float64
}

// acceleratorCache remembers accelerators. One may be out of date; a search notices this in its snapshot.
type acceleratorCache struct {
	accelerators remembered.Map[int64, knownAccelerator]
	// unfits has the versions of indices whose documents cannot have postings.
	unfits remembered.Map[int64, int64]
	limits accelerationLimits
	logs   restingLogs
	// blockTimes has how long the last rebuild of a block took, for each index.
	blockTimes remembered.Map[int64, time.Duration]
	valuesCache
	phraseCache
	postingsCache
	logged loggedCache
}

type knownAccelerator struct {
	*accelerator // nil: there is none
	read         time.Time
}

// maxAccelerators bounds the memory for accelerators in bytes: an index may have tens of thousands of lexemes, and a database thousands of indices.
const maxAccelerators = 128 << 20

// size returns the approximate size in bytes.
func (k knownAccelerator) size() int {
	const alone = 128
	if k.accelerator == nil {
		return alone
	}
	return alone + k.bytes
}

func newAcceleratorCache() acceleratorCache {
	return acceleratorCache{
		accelerators: remembered.Map[int64, knownAccelerator]{Room: maxAccelerators, Weigh: func(_ int64, k knownAccelerator) int { return k.size() }},
		unfits:       remembered.Map[int64, int64]{Room: maxCached},
		limits:       standardLimits,
		logs:         restingLogs{known: map[int64]restingLog{}}, blockTimes: remembered.Map[int64, time.Duration]{Room: maxCached},
		valuesCache: newValuesCache(), phraseCache: newPhraseCache(), postingsCache: newPostingsCache(), logged: newLoggedCache(),
	}
}

// builtPostings identifies the postings of an index, and says when their documents were counted.
type builtPostings struct {
	Generation int64
	Counted    time.Time
}

// acceleratorLife is how long it is remembered whether an index has an accelerator.
const acceleratorLife = time.Second

func (s *Store) forgetAccelerator(id int64) {
	s.accelerators.Put(id, knownAccelerator{})
}

// withoutPostings reports whether err means that the postings of an index cannot be read: because they are being built anew, or because the index
// is gone, which a search without them will find out, or because rows are damaged.
func (s *Store) withoutPostings(ix *service.Index, err error) bool {
	switch {
	case errors.Is(err, errRebuilt) || gone(err):
		s.forgetAccelerator(ix.ID)
	case errors.Is(err, posting.ErrForm) || errors.Is(err, blockvalues.ErrForm):
		// For as long as an accelerator is remembered, searches need not read rows in vain.
		s.accelerators.Put(ix.ID, knownAccelerator{read: time.Now()})
		postings := table.RelationsOf(ix.Application, ix.Name).Postings()
		s.failures.warn(s.log, "the postings of an index are damaged, so searches are slow; DROP TABLE "+postings+" has them built again", err, "application", ix.Application, "index", ix.Name)
	default:
		return false
	}
	return true
}

// accelerator returns the accelerator of an index, or nil if it has none of a readable version.
func (s *Store) accelerator(ctx context.Context, id int64) (*accelerator, error) {
	known, ok := s.accelerators.Get(id)
	if ok && time.Since(known.read) < acceleratorLife {
		return known.accelerator, nil
	}
	now, err := oneOn(ctx, s.readPool(ctx), pgx.RowToStructByPos[builtPostings],
		"SELECT generation, counted_at FROM rowan.accelerators WHERE index_id = $1 AND ready AND split_part(formula, ' ', 1) = ANY($2)", id, readableVersions())
	fresh := knownAccelerator{read: time.Now()}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return nil, err
	case known.accelerator != nil && known.generation == now.Generation && known.counted.Equal(now.Counted):
		fresh.accelerator = known.accelerator
	default:
		// There are thousands of lexemes, so one search reads them for all that ask at the same time.
		fresh.accelerator, err = onceForAll(ctx, s, fmt.Sprint("accelerator ", id), func(ctx context.Context) (*accelerator, error) {
			pool := s.readPool(ctx)
			return onPool(ctx, pool, func() (*accelerator, error) {
				x, err := readAccelerator(ctx, pool, id)
				if x == nil || err != nil {
					return nil, err
				}
				there, err := x.readBuilt(ctx, pool, id)
				if !there || err != nil {
					return nil, err
				}
				return x, nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	s.accelerators.Put(id, fresh)
	return fresh.accelerator, nil
}

// unfit reports whether this server has found that the current version of an index cannot have postings.
func (s *Store) unfit(ix *service.Index) bool {
	version, ok := s.unfits.Get(ix.ID)
	return ok && version == ix.Version
}

func (s *Store) setUnfit(ix *service.Index) {
	s.unfits.Put(ix.ID, ix.Version)
}

type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readAccelerator(ctx context.Context, db rowQuerier, id int64) (*accelerator, error) {
	x := &accelerator{}
	var frequent, rarer []string
	var frequencies, counts []int64
	err := db.QueryRow(ctx, "SELECT generation, block_size, formula, counted_at, documents, lexemes, frequencies, counted, counts FROM rowan.accelerators WHERE index_id = $1", id).
		Scan(&x.generation, &x.blockSize, &x.formula, &x.counted, &x.documents, &frequent, &frequencies, &rarer, &counts)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x.frequencies = make(map[string]int64, len(frequent))
	for i, l := range frequent {
		x.frequencies[l] = frequencies[i]
		x.bytes += len(l) + 48
	}
	x.least = leastOfAll(frequencies)
	x.rarer, err = lexemes.NewCounts(rarer, counts)
	x.bytes += x.rarer.Bytes()
	return x, err
}

// readBuilt reports whether an index has postings, and reads the fields that their blocks cover. The catalog may wrongly say that there are postings:
// a dump can omit derived tables, and searches would find nothing.
func (x *accelerator) readBuilt(ctx context.Context, db rowQuerier, id int64) (there bool, err error) {
	var application, name string
	err = db.QueryRow(ctx, "SELECT application_id, name FROM rowan.indices WHERE id = $1", id).Scan(&application, &name)
	if err == nil {
		r := table.RelationsOf(application, name)
		if err = db.QueryRow(ctx, hasPostingsSQL(r), pgx.QueryExecModeExec).Scan(&there); err == nil {
			err = x.readFields(ctx, db, r, false)
		}
	}
	if errors.Is(err, pgx.ErrNoRows) || gone(err) {
		return false, nil
	}
	return there, err
}

// hasPostingsSQL returns a statement that reports whether there are any.
func hasPostingsSQL(r table.Relations) string {
	return "SELECT EXISTS (SELECT FROM " + r.Postings() + ")"
}
