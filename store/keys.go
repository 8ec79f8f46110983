package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

const keyColumns = "id::text, application_id, type, description, indices, filter, created_at, expires_at, last_used_at"

func scanKey(row pgx.CollectableRow) (service.Key, error) {
	var k service.Key
	err := row.Scan(&k.ID, &k.Application, &k.Type, &k.Description, &k.Indices, &k.Filter, &k.CreatedAt, &k.ExpiresAt, &k.LastUsedAt)
	return k, err
}

// Limits for all keys of an application together: each server keeps them all in memory, and reads them twice a second while they are used.
const (
	maxKeys     = 10000
	maxKeyBytes = 4 << 20 // of descriptions, indices and filters
)

// keysFit is the condition that application a may have another key.
var keysFit = fmt.Sprintf(`(SELECT count(*) < %d AND coalesce(sum(octet_length(k.description) + octet_length(k.indices::text) + octet_length(k.filter)), 0) < %d
	FROM rowan.keys k WHERE k.application_id = a.id)`, maxKeys, maxKeyBytes)

// CreateKey stores a key with the hash of its secret. If several servers create the same key at startup, it is created once. A key that was reset or
// deleted is not created again (service.ErrRevoked), nor is one that has expired (service.ErrEnded) by the database's clock, by which keys are
// checked.
func (s *Store) CreateKey(ctx context.Context, k service.Key, hash [32]byte) (service.Key, error) {
	if k.Indices == nil {
		k.Indices = []string{}
	}
	rows, _ := s.pool.Query(ctx, `INSERT INTO rowan.keys (application_id, type, hash, description, indices, filter, expires_at)
		SELECT a.id, $2, $3, $4, $5, $6, $7 FROM rowan.applications a WHERE a.id = $1 AND NOT EXISTS (SELECT FROM rowan.revoked_keys r WHERE r.application_id = a.id AND r.hash = $3)
			AND coalesce($7 > now(), true) AND (`+keysFit+` OR EXISTS (SELECT FROM rowan.keys k WHERE k.application_id = a.id AND k.hash = $3))
		FOR KEY SHARE OF a -- an application that is just being deleted is gone
		ON CONFLICT (application_id, hash) DO UPDATE SET description = keys.description RETURNING `+keyColumns,
		k.Application, string(k.Type), hash[:], k.Description, k.Indices, k.Filter, k.ExpiresAt)
	key, err := pgx.CollectExactlyOneRow(rows, scanKey)
	if errors.Is(err, pgx.ErrNoRows) {
		var there, ended, full bool
		if err := s.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM rowan.applications WHERE id = $1), coalesce($2 <= now(), false), "+
			"EXISTS (SELECT FROM rowan.applications a WHERE a.id = $1 AND NOT "+keysFit+")", k.Application, k.ExpiresAt).Scan(&there, &ended, &full); err != nil {
			return key, clientError(err)
		}
		switch {
		case !there:
			return key, service.Errorf(service.CodeApplicationNotFound, "There is no application %q.", k.Application)
		case ended:
			return key, service.ErrEnded
		case full:
			return key, service.Errorf(service.CodeInvalidRequest, "An application may have at most %d keys, with at most %d MiB of descriptions, indices and filters together. "+
				"Delete keys that nobody uses any more (see last_used_at).", maxKeys, maxKeyBytes>>20)
		}
		return key, service.ErrRevoked
	}
	return key, clientError(uncertain(err))
}

// Keys lists an application's keys, oldest first.
func (s *Store) Keys(ctx context.Context, application string) ([]service.Key, error) {
	list, err := listOn(ctx, s.pool, scanKey, "SELECT "+keyColumns+" FROM rowan.keys WHERE application_id = $1 ORDER BY created_at, id", application)
	return list, clientError(err)
}

// KeyHashes returns an application's keys with their hashes.
func (s *Store) KeyHashes(ctx context.Context, application string) ([]service.KeyHash, error) {
	list, err := listOn(ctx, s.lookups(), func(row pgx.CollectableRow) (service.KeyHash, error) {
		var k service.KeyHash
		var hash []byte
		err := row.Scan(&k.Key.ID, &k.Key.Application, &k.Key.Type, &k.Key.Description, &k.Key.Indices, &k.Key.Filter,
			&k.Key.CreatedAt, &k.Key.ExpiresAt, &k.Key.LastUsedAt, &hash, &k.ReadAt)
		copy(k.Hash[:], hash)
		return k, err
	}, "SELECT "+keyColumns+", hash, now() FROM rowan.keys WHERE application_id = $1 ORDER BY created_at, id", application)
	return list, clientError(err)
}

func keyNotFound(id string) error {
	return service.Errorf(service.CodeKeyNotFound, "There is no key %q.", id)
}

// oneKey is the condition for the key $2 of the application $1.
const oneKey = "application_id = $1 AND id::text = $2"

// revoking returns a WITH query that records the secrets of the keys that satisfy condition, so that they are never created again.
func revoking(condition string) string {
	return `revoked AS (INSERT INTO rowan.revoked_keys (application_id, hash)
	SELECT application_id, hash FROM rowan.keys WHERE ` + condition + ` ON CONFLICT DO NOTHING)`
}

// ResetKey gives a key another secret, unless the key has expired (service.ErrEnded).
func (s *Store) ResetKey(ctx context.Context, application, id string, hash [32]byte) (service.Key, error) {
	const inForce = oneKey + " AND coalesce(expires_at > now(), true)"
	rows, _ := s.pool.Query(ctx, "WITH "+revoking(inForce)+" UPDATE rowan.keys SET hash = $3 WHERE "+inForce+" RETURNING "+keyColumns, application, id, hash[:])
	key, err := pgx.CollectExactlyOneRow(rows, scanKey)
	if errors.Is(err, pgx.ErrNoRows) {
		var ended bool
		if err := s.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM rowan.keys WHERE "+oneKey+" AND expires_at <= now())", application, id).Scan(&ended); err != nil {
			return key, clientError(err)
		}
		if ended {
			return key, service.ErrEnded
		}
		return key, keyNotFound(id)
	}
	return key, clientError(uncertain(err))
}

// DeleteKey removes a key unless it is the last admin key in force.
func (s *Store) DeleteKey(ctx context.Context, application, id string) error {
	return retry(ctx, func() error {
		return s.transact(ctx, func(tx pgx.Tx) error {
			// The rows are locked so that two concurrent deletions do not each rely on the other's key.
			type row struct {
				ID             string
				Admin, InForce bool
			}
			rows, _ := tx.Query(ctx, `SELECT id::text, type = 'admin', expires_at IS NULL OR expires_at > now()
				FROM rowan.keys WHERE application_id = $1 ORDER BY id FOR UPDATE`, application)
			keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
			if err != nil {
				return err
			}
			i := slices.IndexFunc(keys, func(k row) bool { return k.ID == id })
			if i < 0 {
				return keyNotFound(id)
			}
			others := slices.ContainsFunc(keys, func(k row) bool { return k.ID != id && k.Admin && k.InForce })
			if keys[i].Admin && !others {
				return service.Errorf(service.CodeLastAdminKey, "This is the last admin key; create another one first.")
			}
			_, err = tx.Exec(ctx, "WITH "+revoking(oneKey)+" DELETE FROM rowan.keys WHERE "+oneKey, application, id)
			return err
		})
	})
}

// KeysUsed records when keys were last used.
func (s *Store) KeysUsed(ctx context.Context, used map[string]time.Time) error {
	ids, times := make([]string, 0, len(used)), make([]time.Time, 0, len(used))
	for id, t := range used {
		ids, times = append(ids, id), append(times, t)
	}
	// Servers save at the same time, and each locks the rows in its own order, so there may be deadlocks.
	return retry(ctx, func() error {
		_, err := s.pool.Exec(ctx, `UPDATE rowan.keys k SET last_used_at = greatest(k.last_used_at, u.t)
			FROM unnest($1::text[], $2::timestamptz[]) AS u(id, t) WHERE k.id = u.id::uuid`, ids, times)
		return err
	})
}
