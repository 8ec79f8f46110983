package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// apart is a site on a database whose clock differs from this process's: its now() is replaced.
func apart(t *testing.T, by time.Duration) *site {
	t.Helper()
	db := storetest.New(t)
	if _, err := db.Pool.Exec(t.Context(), fmt.Sprintf(`CREATE SCHEMA clock;
		CREATE FUNCTION clock.now() RETURNS timestamptz STABLE LANGUAGE sql RETURN pg_catalog.now() + interval '%d s'`, int(by.Seconds()))); err != nil {
		t.Fatal(err)
	}
	return siteWith(t, db, store.Config{URL: withSetting(t, db.URL, "search_path", "clock,pg_catalog,public"), MaxConns: 4})
}

// Servers whose clocks are wrong by a day agree with other servers on which keys and sessions have expired: the database's clock decides.
func TestTheDatabasesClockDecides(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]time.Duration{"the host is a day late": 24 * time.Hour, "the host is a day early": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apart(t, by)
			newKey := func(kind service.KeyType) (service.Key, string) {
				t.Helper()
				at := time.Now().Add(by + time.Hour).Format(time.RFC3339)
				key, secret, err := s.svc.CreateKey(t.Context(), service.NewKey{Application: "demo", Type: kind, ExpiresAt: &at})
				if err != nil {
					t.Fatal(err)
				}
				return key, secret
			}
			overKey := func(kind service.KeyType) (id, secret string) {
				t.Helper()
				key, secret := newKey(kind)
				if _, err := s.db.Pool.Exec(t.Context(), "UPDATE rowan.keys SET expires_at = clock.now() - interval '1 h' WHERE id::text = $1", key.ID); err != nil {
					t.Fatal(err)
				}
				return key.ID, secret
			}
			_, over := overKey(service.AdminKey)
			overID, overSearch := overKey(service.SearchKey)
			if _, _, err := s.svc.ResetKey(t.Context(), "demo", overID); service.ErrorCode(err) != service.CodeInvalidRequest {
				t.Errorf("a new secret for a key that has ended an hour ago: %v", err)
			}
			var revoked int
			if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM rowan.revoked_keys").Scan(&revoked); err != nil || revoked != 0 {
				t.Errorf("%d keys are revoked by a reset that was refused (%v)", revoked, err)
			}
			good, secret := newKey(service.AdminKey)
			past := time.Now().Add(by - time.Hour).Format(time.RFC3339)
			if _, _, err := s.svc.CreateKey(t.Context(), service.NewKey{Application: "demo", Type: service.SearchKey, ExpiresAt: &past}); service.ErrorCode(err) != service.CodeInvalidRequest {
				t.Errorf("making a key that has ended an hour ago: %v", err)
			}
			if _, err := s.svc.Authenticate(t.Context(), "demo", secret); err != nil {
				t.Errorf("a key with an hour to go: %v", err)
			}
			for _, key := range []string{over, overSearch} {
				if _, err := s.svc.Authenticate(t.Context(), "demo", key); service.ErrorCode(err) != service.CodeUnauthorized {
					t.Errorf("a key that has ended an hour ago: %v", err)
				}
			}
			if err := s.svc.DeleteKey(t.Context(), "demo", good.ID); service.ErrorCode(err) != service.CodeLastAdminKey {
				t.Errorf("deleting the last admin key in force: %v", err)
			}

			signedIn, token, err := s.svc.SignIn(t.Context(), "demo", secret, 30*time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			session, err := s.svc.CheckSession(t.Context(), token)
			if err != nil {
				t.Errorf("a session of 30 minutes has ended: %v", err)
			}
			for _, left := range []time.Duration{signedIn.Left, session.Left} {
				if left > 30*time.Minute || left < 20*time.Minute {
					t.Errorf("%s are left of a session of 30 minutes", left)
				}
			}
			if long, _, err := s.svc.SignIn(t.Context(), "demo", secret, 48*time.Hour); err != nil || long.Left > time.Hour {
				t.Errorf("a session outlives its key: %+v, %v", long, err)
			}
			_, ended, err := s.svc.SignIn(t.Context(), "demo", secret, -time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.svc.CheckSession(t.Context(), ended); service.ErrorCode(err) != service.CodeUnauthorized {
				t.Errorf("a session that has ended: %v", err)
			}

			if err := s.svc.SaveKeyUse(t.Context()); err != nil {
				t.Fatal(err)
			}
			var off float64
			if err := s.db.Pool.QueryRow(t.Context(), "SELECT extract(epoch FROM clock.now() - last_used_at)::float8 FROM rowan.keys WHERE id::text = $1", good.ID).Scan(&off); err != nil {
				t.Fatal(err)
			}
			if off < -60 || off > 600 {
				t.Errorf("a key was used %.0f seconds ago by the database's clock", off)
			}
		})
	}
}
