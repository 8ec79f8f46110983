package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/suggestions"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// QueriesLockClass is the class of the lock held while deleting old queries.
const QueriesLockClass = queriesLockClass

// ReshapeLockClass is the class of the lock of a rebuild.
const ReshapeLockClass = reshapeLockClass

// DeriveLockClass is the class of the lock held during a step for an index.
const DeriveLockClass = deriveLockClass

// Writes returns the pool for everything but searches and reads.
func (s *Store) Writes() *pgxpool.Pool { return s.pool }

// Reads returns the pool for searches and reads.
func (s *Store) Reads() *pgxpool.Pool { return s.reads }

// TermLife is how long the count of a term is used.
const TermLife = termLife

// AgeStatistics makes what ranking remembers about indices older.
func (s *Store) AgeStatistics(by time.Duration) {
	s.AgeMeasures(by)
	s.terms.Age(by)
}

// AgeMeasures does the same, except for the counts of words.
func (s *Store) AgeMeasures(by time.Duration) {
	s.freqMu.Lock()
	for id, f := range s.measured {
		f.read, f.claimed = f.read.Add(-by), f.claimed.Add(-by)
		s.measured[id] = f
	}
	s.freqMu.Unlock()
}

// Settle derives everything that an index lacks, like the worker.
func (s *Store) Settle(ctx context.Context, ix *service.Index) error {
	return s.SettleSlowly(ctx, ix, stepRows)
}

// SettleSlowly is like Settle, with steps of few documents.
func (s *Store) SettleSlowly(ctx context.Context, ix *service.Index, rows int) error {
	for {
		out, err := s.step(ctx, ix, rows, false)
		if err != nil || !out.more {
			return err
		}
	}
}

// StepOnce takes one step of up to so many documents.
func (s *Store) StepOnce(ctx context.Context, ix *service.Index, rows int) error {
	_, err := s.step(ctx, ix, rows, false)
	return err
}

// SweepLogs looks for unfinished work, as every server does twice a minute.
func (s *Store) SweepLogs(ctx context.Context) error { return s.sweepLogs(ctx) }

// FailStep takes a step and rolls it back at the end.
func (s *Store) FailStep(ctx context.Context, ix *service.Index) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := lockStep(ctx, tx, ix, false); err != nil {
			return err
		}
		d := newDerivation(tx, ix, table.ShapeOf(ix))
		if err := d.readProgress(ctx); err != nil {
			return err
		}
		if _, err := d.run(ctx, stepRows, true); err != nil {
			return err
		}
		return ErrFailed
	})
}

// ErrFailed is the error of FailStep.
var ErrFailed = errors.New("failed on purpose")

// Maintain cleans and analyzes an index's tables.
func (s *Store) Maintain(ctx context.Context, ix *service.Index) error {
	j := job{ix: ix}
	if _, err := s.clean(ctx, j); err != nil {
		return err
	}
	_, err := s.analyze(ctx, j)
	return err
}

// FailRound makes a round of the background work on an index fail, and reports whether that counts as a failure.
func (s *Store) FailRound(ctx context.Context, ix *service.Index) bool {
	q := newQueue()
	s.maintain(ctx, &q, job{ix: ix}, func(context.Context, job) (bool, error) { return false, errors.New("on purpose") })
	return q.failed.Load() > 0
}

// Panic does background work that panics, on an index and independent of any. It returns whether the former is to be done again, and the error of the
// latter.
func (s *Store) Panic(ctx context.Context, ix *service.Index) (again bool, err error) {
	q := newQueue()
	s.maintain(ctx, &q, job{ix: ix}, func(context.Context, job) (bool, error) { panic("on purpose") })
	return len(q.jobs) == 1, (<-s.inBackground(ctx, "panic", func(context.Context) (any, error) { panic("on purpose") })).Err
}

// NearInVocabulary returns the words of the vocabulary close to word, for a query that ends in a prefix.
func (s *Store) NearInVocabulary(ctx context.Context, ix *service.Index, word, prefix string) ([]service.NearWord, error) {
	found, err := s.related(ctx, ix, table.RelationsOf(ix.Application, ix.Name), peekedDocuments, service.AskedWords{Words: []string{word}, Prefix: prefix, Limit: 64}, vocabulary.FrequentFrom)
	if err != nil {
		return nil, err
	}
	return found.Near[0], nil
}

// Frequent returns how many documents have a word of the list of frequent ones; 0 for other words, and while the list is being read.
func (s *Store) Frequent(ctx context.Context, ix *service.Index, word string) int64 {
	return s.frequent(ctx, ix).Of(word)
}

// FrequentRead returns when that list was last read, or could not be.
func (s *Store) FrequentRead(ix *service.Index) time.Time {
	last, _ := s.words.frequentReads.Get(wordKey{index: ix.ID, version: ix.Version})
	return last.began
}

// AgeFrequent makes the list due to be read again.
func (s *Store) AgeFrequent(ix *service.Index) {
	s.words.frequentReads.Put(wordKey{index: ix.ID, version: ix.Version}, frequentRead{})
}

// AwaitFrequent waits until the list has been read, if it is being read.
func (s *Store) AwaitFrequent(ix *service.Index) {
	<-s.flights.DoChan(flightOfFrequent(ix), func() (any, error) { return nil, nil })
}

// ForgetFrequent forgets all such lists, but not when they were read.
func (s *Store) ForgetFrequent() { s.words.frequent.Age(2 * maxFrequentLife) }

// SuggestionKey returns the key by which suggestions are compared.
func SuggestionKey(value string) string { return suggestions.Key(value) }

// MayStemTo reports whether the English stemmer may turn a word into a lexeme, or into one that begins with it.
func MayStemTo(word, lexeme string) bool { return likelyWords([]string{lexeme})(word) }

// RankFailed ranks the documents of a statement that fails.
func (s *Store) RankFailed(ctx context.Context) error {
	rows, err := s.reads.Query(ctx, "SELECT nothing", pgx.QueryExecModeExec)
	if err != nil {
		return err
	}
	_, err = newVectorRanker(&service.Plan{}, searchsql.Ranking{}).take(ctx, rows)
	return err
}

// FreshLog is the number of log rows up to which a search processes them itself.
const FreshLog = freshLog

// ManyBegun sets manyBegun: a prefix of words with more documents in total stands for the most frequent of them.
func (s *Store) ManyBegun(n int64) { s.words.manyBegun = n }

// ForgetBegun forgets the words remembered for short prefixes.
func (s *Store) ForgetBegun() { s.words.begun.Age(time.Hour) }

// Seen reports whether a search with such words would reuse what they meant for an earlier one.
func (s *Store) Seen(ix *service.Index, ask service.AskedWords) bool {
	_, ok := s.words.seen.get(ix, seenKey(ix, ask))
	return ok
}

// MemoryToCreate returns how much memory PostgreSQL has used, in bytes, after creating the table of an index with everything that belongs to it. The
// transaction is rolled back.
func (s *Store) MemoryToCreate(ctx context.Context, ix *service.Index) (bytes int64, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		sh := table.ShapeOf(ix)
		if err := execAll(ctx, tx, slices.Concat(sh.CreateDerived(), sh.CreateTable(sh.Table), sh.CreateIndexes(sh.Table))); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT sum(total_bytes) FROM pg_backend_memory_contexts").Scan(&bytes); err != nil {
			return err
		}
		return tx.Rollback(ctx)
	})
	if errors.Is(err, pgx.ErrTxClosed) {
		err = nil
	}
	return bytes, err
}

// Recompute does what the worker does when another version of PostgreSQL may have computed documents.
func (s *Store) Recompute(ctx context.Context, ix *service.Index) (again bool, err error) {
	return s.recompute(ctx, job{ix: ix})
}

// Freshen derives, like a search, what an index lacks; ix may be outdated.
func (s *Store) Freshen(ctx context.Context, ix *service.Index) { s.freshen(ctx, ix) }

// MigrateWithin is like Migrate, but only waits the given number of seconds for another server.
func MigrateWithin(ctx context.Context, pool *pgxpool.Pool, seconds uint64) error {
	return migrate(ctx, pool, seconds)
}
