package store_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// The catalog only has the hash of a key's secret.
func TestOnlyHashesOfKeysAreStored(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	created, first, err := s.svc.CreateKey(t.Context(), service.NewKey{Application: "demo", Type: service.AdminKey, Description: "for tests"})
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := s.svc.ResetKey(t.Context(), "demo", created.ID)
	if err != nil {
		t.Fatal(err)
	}
	var hash []byte
	var told int
	if err := s.db.Pool.QueryRow(t.Context(), `SELECT hash, (SELECT count(*) FROM rowan.keys k
		WHERE strpos(k::text, $2) > 0 OR strpos(k::text, $3) > 0 OR strpos(encode(hash, 'escape'), $2) > 0 OR strpos(encode(hash, 'escape'), $3) > 0)
		FROM rowan.keys WHERE id::text = $1`, created.ID, first, second).Scan(&hash, &told); err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256([]byte(second))
	if diff := cmp.Diff(want[:], hash); diff != "" || told != 0 {
		t.Errorf("%d rows have a secret in them; the hash (-want +got):\n%s", told, diff)
	}
}

// A key works on every server at once, even if another server has created it and the others have just read the keys.
func TestANewKeyWorksOnEveryServer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := join(t, s.db)
	for range 5 {
		if _, err := other.svc.Authenticate(t.Context(), "demo", "rks_not-a-key-of-demo"); service.ErrorCode(err) != service.CodeUnauthorized {
			t.Fatalf("a wrong key: %v", err)
		}
		_, secret, err := s.svc.CreateKey(t.Context(), service.NewKey{Application: "demo", Type: service.SearchKey, Description: "new"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.svc.Authenticate(t.Context(), "demo", secret); err != nil {
			t.Fatalf("a key that another server has made: %v", err)
		}
	}
}

// The number and the size of an application's keys are bounded, because each server keeps them all in memory. Existing keys continue to work, and a
// server that starts with one of them finds it.
func TestKeysAreBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	known := service.NewKey{Application: "demo", Type: service.SearchKey, Secret: "rks_of-the-settings-of-a-server"}
	if _, _, err := s.svc.CreateKey(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	for what, rows := range map[string]string{
		"too many":  "SELECT 'demo', 'search', sha256(n::text::bytea), 'bulk', '' FROM generate_series(1, 10000) n",
		"too large": "SELECT 'demo', 'search', sha256(n::text::bytea), 'bulk', 'a = ' || repeat('x', 1 << 20) FROM generate_series(1, 4) n",
	} {
		if _, err := s.db.Pool.Exec(t.Context(), "INSERT INTO rowan.keys (application_id, type, hash, description, filter) "+rows); err != nil {
			t.Fatal(err)
		}
		another := service.NewKey{Application: "demo", Type: service.SearchKey}
		if _, _, err := s.svc.CreateKey(t.Context(), another); service.ErrorCode(err) != service.CodeInvalidRequest {
			t.Errorf("%s: another key: %v", what, err)
		}
		if _, _, err := s.svc.CreateKey(t.Context(), known); err != nil {
			t.Errorf("%s: a key that is there: %v", what, err)
		}
		if _, err := s.svc.Authenticate(t.Context(), "demo", known.Secret); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := s.db.Pool.Exec(t.Context(), "DELETE FROM rowan.keys WHERE description = 'bulk'"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.svc.CreateKey(t.Context(), another); err != nil {
			t.Errorf("%s: once there is room: %v", what, err)
		}
	}
}

// A key that is limited to some searches does not reveal which others exist.
func TestALimitedKeyDoesNotTellWhatElseThereIs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title name")
	s.create(t, "secrets", "title name")
	key := service.Principal{Application: "demo", Type: service.SearchKey, Indices: []string{"films"}}
	for _, name := range []string{"secrets", "nothing"} {
		_, err := s.svc.Search(t.Context(), key, name, service.SearchRequest{})
		if service.ErrorCode(err) != service.CodeKeyNotAllowed {
			t.Errorf("a search of %s: %v", name, err)
		}
		if _, err := s.svc.Suggest(t.Context(), key, name, "a"); service.ErrorCode(err) != service.CodeKeyNotAllowed {
			t.Errorf("suggestions of %s: %v", name, err)
		}
	}
}

// A key that was reset or deleted is never created again, whoever has the secret in their settings.
func TestRevokedKeysStayRevoked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	create := func(secret string) (service.Key, error) {
		key, _, err := s.svc.CreateKey(t.Context(), service.NewKey{Application: "demo", Type: service.AdminKey, Secret: secret})
		return key, err
	}
	const leaked, deleted = "leaked_leaked_leaked", "deleted_deleted_deleted"
	first, err := create(leaked)
	if err != nil {
		t.Fatal(err)
	}
	second, err := create(deleted)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.svc.ResetKey(t.Context(), "demo", first.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.svc.DeleteKey(t.Context(), "demo", second.ID); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{leaked, deleted} {
		if _, err := create(secret); !errors.Is(err, service.ErrRevoked) {
			t.Errorf("%s is made again: %v", secret, err)
		}
	}
	if _, _, err := s.svc.CreateKey(t.Context(), service.NewKey{Application: "nobody", Type: service.AdminKey, Secret: leaked}); service.ErrorCode(err) != service.CodeApplicationNotFound {
		t.Errorf("a key of no application: %v", err)
	}
}

// A key that is created while its application is being deleted is refused as if the application were gone already.
func TestKeyOfAnApplicationBeingDeleted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	deletion, err := s.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = deletion.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := deletion.Exec(t.Context(), "DELETE FROM rowan.applications WHERE id = 'demo'"); err != nil {
		t.Fatal(err)
	}
	created := make(chan error, 1)
	go func() {
		_, _, err := s.svc.CreateKey(t.Context(), service.NewKey{Application: "demo", Type: service.AdminKey})
		created <- err
	}()
	eventually(t, "the new key to wait", func() bool {
		return s.text(t, "SELECT count(*)::text FROM pg_locks WHERE NOT granted AND locktype = 'transactionid' AND database IS NULL AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())") == "1"
	})
	if err := deletion.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-created; service.ErrorCode(err) != service.CodeApplicationNotFound {
		t.Errorf("%v", err)
	}
}
