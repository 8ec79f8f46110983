package store

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

const (
	// queriesLockClass is the class of the advisory lock held while deleting old queries.
	queriesLockClass = "1919907700"
	// dropStep is how many rows are deleted in one transaction: others should not wait long for its locks.
	dropStep = 5000
)

// SaveQueries adds to the counts of what was searched for. Both lists must be in the order of their keys, compared by bytes.
func (s *Store) SaveQueries(ctx context.Context, counts []service.QueryCount, hours []service.QueryHour) error {
	return retry(ctx, func() error {
		return s.transact(ctx, func(tx pgx.Tx) error {
			there, err := lockApplications(ctx, tx, hours)
			if err != nil {
				return err
			}
			if err := addQueries(ctx, tx, there, counts); err != nil {
				return err
			}
			return addQueryHours(ctx, tx, there, hours)
		})
	})
}

// lockApplications returns which applications exist, and keeps them from being deleted. Their rows are locked first, because deleting one locks it
// before the rows that refer to it.
func lockApplications(ctx context.Context, tx pgx.Tx, hours []service.QueryHour) (map[string]bool, error) {
	var ids []string
	for _, h := range hours {
		ids = append(ids, h.Application)
	}
	rows, _ := tx.Query(ctx, "SELECT id FROM rowan.applications WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE", slices.Compact(ids))
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	there := make(map[string]bool, len(found))
	for _, id := range found {
		there[id] = true
	}
	return there, err
}

func addQueries(ctx context.Context, tx pgx.Tx, there map[string]bool, counts []service.QueryCount) error {
	var applications, names, queries []string
	var times, lasts []time.Time
	var searches, nothing, found []int64
	var totals, longest []float64
	for _, c := range counts {
		if !there[c.Application] {
			continue
		}
		applications, names, queries = append(applications, c.Application), append(names, c.Search), append(queries, c.Query)
		times, lasts = append(times, c.Hour), append(lasts, c.LastAt)
		searches, nothing, found = append(searches, c.Searches), append(nothing, c.NothingFound), append(found, c.LastFound)
		totals, longest = append(totals, milliseconds(c.Total)), append(longest, milliseconds(c.Max))
	}
	_, err := tx.Exec(ctx, `INSERT INTO rowan.queries AS q (application_id, hour, search, query, searches, nothing_found, total_ms, max_ms, last_at, last_found)
		SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::float8[], $8::float8[], $9::timestamptz[], $10::bigint[])
		ON CONFLICT (application_id, hour, search, query) DO UPDATE SET
			searches = q.searches + excluded.searches, nothing_found = q.nothing_found + excluded.nothing_found,
			total_ms = q.total_ms + excluded.total_ms, max_ms = greatest(q.max_ms, excluded.max_ms), last_at = greatest(q.last_at, excluded.last_at),
			last_found = CASE WHEN excluded.last_at >= q.last_at THEN excluded.last_found ELSE q.last_found END`,
		applications, times, names, queries, searches, nothing, totals, longest, lasts, found)
	return err
}

func addQueryHours(ctx context.Context, tx pgx.Tx, there map[string]bool, hours []service.QueryHour) error {
	var applications []string
	var times []time.Time
	var searches, recorded []int64
	for _, h := range hours {
		if there[h.Application] {
			applications, times = append(applications, h.Application), append(times, h.Hour)
			searches, recorded = append(searches, h.Searches), append(recorded, h.Recorded)
		}
	}
	_, err := tx.Exec(ctx, `INSERT INTO rowan.query_hours AS h (application_id, hour, searches, recorded)
		SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::bigint[])
		ON CONFLICT (application_id, hour) DO UPDATE SET searches = h.searches + excluded.searches, recorded = h.recorded + excluded.recorded`,
		applications, times, searches, recorded)
	return err
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

const selectQueryReport = `
WITH q AS MATERIALIZED (
  SELECT search, query, sum(searches)::bigint AS searches, sum(nothing_found)::bigint AS nothing_found, sum(total_ms) / sum(searches) AS mean_ms,
         max(max_ms) AS max_ms, (array_agg(last_found ORDER BY hour DESC))[1] AS last_found, max(last_at) AS last_at
  FROM rowan.queries WHERE application_id = $1::text AND hour >= date_trunc('hour', $2::timestamptz) GROUP BY search, query)
(SELECT 'frequent', q.* FROM q ORDER BY searches DESC, search, query LIMIT $3::int)
UNION ALL
(SELECT 'slow', q.* FROM q ORDER BY mean_ms DESC, search, query LIMIT $3::int)
UNION ALL
(SELECT 'nothing', q.* FROM q WHERE nothing_found > 0 ORDER BY nothing_found DESC, search, query LIMIT $3::int)`

// QueryReport reports what an application was searched for.
func (s *Store) QueryReport(ctx context.Context, application string, since time.Time, limit int) (service.QueryReport, error) {
	report, err := onPool(ctx, s.reads, func() (service.QueryReport, error) {
		var report service.QueryReport
		rows, _ := s.reads.Query(ctx, selectQueryReport, application, since, limit)
		lists := map[string]*[]service.QueryStat{"frequent": &report.Frequent, "slow": &report.Slow, "nothing": &report.Nothing}
		var list string
		var q service.QueryStat
		var mean, longest float64
		_, err := pgx.ForEachRow(rows, []any{&list, &q.Search, &q.Query, &q.Count, &q.NothingFound, &mean, &longest, &q.Hits, &q.Last}, func() error {
			q.Mean, q.Max = time.Duration(mean*float64(time.Millisecond)), time.Duration(longest*float64(time.Millisecond))
			*lists[list] = append(*lists[list], q)
			return nil
		})
		if err != nil {
			return report, err
		}
		err = s.reads.QueryRow(ctx, `SELECT coalesce((sum(recorded) / sum(searches))::float8, 1) FROM rowan.query_hours
			WHERE application_id = $1::text AND hour >= date_trunc('hour', $2::timestamptz)`, application, since).Scan(&report.Share)
		return report, err
	})
	return report, clientError(err)
}

// DropQueries deletes, in steps, what was counted in hours that began before the given time. It does nothing if another server is already doing so.
func (s *Store) DropQueries(ctx context.Context, before time.Time) error {
	for _, table := range []string{"rowan.queries", "rowan.query_hours"} {
		for deleted := int64(dropStep); deleted == dropStep; {
			err := retry(ctx, func() (err error) {
				deleted, err = s.dropQueries(ctx, table, before)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// dropQueries takes one step of DropQueries.
func (s *Store) dropQueries(ctx context.Context, table string, before time.Time) (deleted int64, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) error {
		var free bool
		if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock("+queriesLockClass+", 0)").Scan(&free); err != nil || !free {
			return err
		}
		// Rows that somebody is updating are skipped: waiting for them might cause a deadlock.
		tag, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE ctid = ANY (ARRAY (SELECT ctid FROM "+table+" WHERE hour < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))", before, dropStep)
		deleted = tag.RowsAffected()
		return err
	})
	return deleted, err
}
