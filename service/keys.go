package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/turns"
)

// MinSecret and MaxSecret bound the length, in bytes, of a secret that an operator chooses.
const (
	MinSecret = 16
	MaxSecret = 200
)

// keyLife is how long the keys of an application may be cached: a key that was reset or removed, on any server, works for no longer.
const keyLife = 500 * time.Millisecond

// keyCache caches the keys of applications, so that not every request asks the database.
type keyCache struct {
	mu   sync.Mutex
	apps map[string]keyEntry
	used map[string]time.Time
	// again admits requests that look once more for a key that is not among the cached ones: one at a time, so that
	// wrong keys, however many, keep at most one connection busy.
	again chan struct{}
	// turns lets one request at a time read the keys of an application again: all that ask for them meanwhile share what it reads.
	turns turns.ByKey
	// strangers admits requests that look for the keys of applications without cached keys: a few at a time, so
	// that requests for applications that do not exist, however many, leave connections to all others.
	strangers chan struct{}
}

const (
	// maxKnownApplications bounds the applications whose keys are cached, maxStrangers those without cached keys that are looked for at once.
	maxKnownApplications = 10000
	maxStrangers         = 4
	// keysWait bounds the wait for other requests that read keys: while the database does not answer, each of them takes as long as its own wait.
	keysWait = 5 * time.Second
)

type keyEntry struct {
	keys []KeyHash
	read time.Time // by the clock of this process, which is good enough for ages
}

// now returns the time by the database's clock, derived from when the keys were read. Without keys nothing can expire.
func (e keyEntry) now() time.Time {
	if len(e.keys) == 0 {
		return e.read
	}
	return e.keys[0].ReadAt.Add(time.Since(e.read))
}

// find looks for a key by its hash, in a time that does not reveal how much of it is right.
func (e keyEntry) find(hash [sha256.Size]byte) (found *Key) {
	for i := range e.keys {
		if subtle.ConstantTimeCompare(hash[:], e.keys[i].Hash[:]) == 1 {
			found = &e.keys[i].Key
		}
	}
	return found
}

func newKeyCache() keyCache {
	return keyCache{apps: map[string]keyEntry{}, used: map[string]time.Time{}, again: make(chan struct{}, 1), strangers: make(chan struct{}, maxStrangers)}
}

func (s *Service) keyHashes(ctx context.Context, application string) (keyEntry, error) {
	s.keys.mu.Lock()
	entry, ok := s.keys.apps[application]
	s.keys.mu.Unlock()
	if ok && time.Since(entry.read) < keyLife {
		return entry, nil
	}
	began := time.Now()
	done, err := s.keys.take(ctx, application, len(entry.keys) > 0)
	if err != nil {
		return keyEntry{}, err
	}
	defer done()
	// Keys that are fresh enough for others are so for this request, too, and so are those read since it came.
	since := time.Now().Add(-keyLife)
	if began.Before(since) {
		since = began
	}
	return s.readKeysSince(ctx, application, since)
}

// take waits for the turn to read the keys of an application; known says whether some are cached. Call done when the turn is over.
func (c *keyCache) take(ctx context.Context, application string, known bool) (done func(), err error) {
	return c.wait(ctx, func(ctx context.Context) (func(), error) {
		if known {
			return c.turns.Take(ctx, application)
		}
		return occupy(ctx, c.strangers)
	})
}

// wait waits for what take takes, for keysWait at most. Error code: unavailable.
func (c *keyCache) wait(ctx context.Context, take func(context.Context) (done func(), err error)) (done func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, keysWait)
	defer cancel()
	done, err = take(waiting)
	if err != nil && ctx.Err() == nil {
		e := Errorf(CodeUnavailable, "The keys of the application could not be looked up; nothing was applied.")
		e.RetryAfter = time.Second
		return nil, e
	}
	return done, err
}

// occupy waits for a free place. Its only error is that ctx has ended.
func occupy(ctx context.Context, places chan struct{}) (done func(), err error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// keysSince returns the keys of an application as they were at since, or later: another server may have made one after the cached ones were read.
func (s *Service) keysSince(ctx context.Context, application string, since time.Time) (keyEntry, error) {
	done, err := s.keys.wait(ctx, func(ctx context.Context) (func(), error) { return occupy(ctx, s.keys.again) })
	if err != nil {
		return keyEntry{}, err
	}
	defer done()
	return s.readKeysSince(ctx, application, since)
}

// readKeysSince reads the keys, unless an earlier request has read them after since.
func (s *Service) readKeysSince(ctx context.Context, application string, since time.Time) (keyEntry, error) {
	s.keys.mu.Lock()
	entry, ok := s.keys.apps[application]
	s.keys.mu.Unlock()
	if ok && entry.read.After(since) {
		return entry, nil
	}
	return s.readKeys(ctx, application)
}

func (s *Service) readKeys(ctx context.Context, application string) (keyEntry, error) {
	entry := keyEntry{read: time.Now()}
	keys, err := s.store.KeyHashes(ctx, application)
	if err != nil {
		return keyEntry{}, err
	}
	entry.keys = keys
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	if len(s.keys.apps) >= maxKnownApplications {
		maps.DeleteFunc(s.keys.apps, func(_ string, e keyEntry) bool { return len(e.keys) == 0 })
	}
	if len(s.keys.apps) >= maxKnownApplications {
		clear(s.keys.apps)
	}
	s.keys.apps[application] = entry
	return entry, nil
}

func (s *Service) forgetKeys(application string) {
	s.keys.mu.Lock()
	delete(s.keys.apps, application)
	s.keys.mu.Unlock()
}

// Authenticate returns the principal of an application and key. The answer, and the time it takes, are the same for
// an unknown application as for a wrong key. Error code: unauthorized.
func (s *Service) Authenticate(ctx context.Context, application, key string) (Principal, error) {
	// What cannot be an application's id is looked up all the same, under an id that nobody has: a different response time would reveal it.
	lookup := application
	if document.CheckApplicationID(application) != nil {
		lookup = "-"
	}
	start := time.Now()
	entry, err := s.keyHashes(ctx, lookup)
	if err != nil {
		return Principal{}, err
	}
	hash := sha256.Sum256([]byte(key))
	found := entry.find(hash)
	if found == nil && entry.read.Before(start) {
		if entry, err = s.keysSince(ctx, lookup, start); err != nil {
			return Principal{}, err
		}
		found = entry.find(hash)
	}
	now := entry.now()
	if found == nil || found.ExpiresAt != nil && !found.ExpiresAt.After(now) {
		return Principal{}, Errorf(CodeUnauthorized, "The application id or the key is wrong: check both, or have a new key created.")
	}
	s.keys.mu.Lock()
	s.keys.used[found.ID] = now
	s.keys.mu.Unlock()
	return Principal{Application: application, KeyID: found.ID, Type: found.Type, Indices: found.Indices, Filter: found.Filter}, nil
}

// SaveKeyUse stores when keys were last used. Call it now and then, and before shutdown.
func (s *Service) SaveKeyUse(ctx context.Context) error {
	s.keys.mu.Lock()
	used := s.keys.used
	s.keys.used = map[string]time.Time{}
	s.keys.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := s.store.KeysUsed(ctx, used)
	if err != nil {
		s.keys.mu.Lock()
		defer s.keys.mu.Unlock()
		for id, t := range used {
			if s.keys.used[id].Before(t) {
				s.keys.used[id] = t
			}
		}
	}
	return err
}

// NewKey describes a key to create. Only an operator sets Secret; empty means a random one.
type NewKey struct {
	Application string
	Type        KeyType
	Description string
	Indices     []string
	Filter      string
	ExpiresAt   *string // RFC 3339
	Secret      string
}

// newSecret returns a random secret whose beginning tells people what kind of key it is.
func newSecret(t KeyType) string {
	var random [24]byte
	_, _ = rand.Read(random[:]) // never fails: see crypto/rand
	return map[KeyType]string{AdminKey: "rka_", SearchKey: "rks_"}[t] + base64.RawURLEncoding.EncodeToString(random[:])
}

// The errors of a store that makes no key, or gives it no new secret.
var (
	// ErrRevoked means that a key was reset or deleted, and must not be made again.
	ErrRevoked = errors.New("this key was reset or deleted")
	// ErrEnded means that a key has expired before it is made or gets a new secret.
	ErrEnded = errors.New("this key has expired")
)

// CreateKey makes a key and returns its secret, this once. Error codes: invalid_request, application_not_found;
// ErrRevoked if the given secret was that of a key that has been reset or deleted.
func (s *Service) CreateKey(ctx context.Context, k NewKey) (Key, string, error) {
	fault := Errorf(CodeInvalidRequest, "The key does not fit.")
	key := Key{Application: k.Application, Type: k.Type, Description: k.Description, Indices: k.Indices, Filter: k.Filter}
	if k.Type != AdminKey && k.Type != SearchKey {
		fault.With(FieldError{Location: "body.type", Message: "must be admin or search", Value: string(k.Type)})
	}
	switch {
	case !Storable(k.Description):
		fault.With(FieldError{Location: "body.description", Message: "must be UTF-8 without the character U+0000"})
	case utf8.RuneCountInString(k.Description) > 500:
		fault.With(FieldError{Location: "body.description", Message: "must have at most 500 characters"})
	}
	if k.ExpiresAt != nil {
		t, err := time.Parse(time.RFC3339, strings.ToUpper(*k.ExpiresAt)) // T and Z may be small letters, as in dates of documents
		// Its offset may move it into a year that JSON has no date for: then no keys could be listed any more.
		if year := t.UTC().Year(); err != nil || year < 1 || year > 9999 {
			fault.With(FieldError{Location: "body.expires_at", Message: "must be an RFC 3339 date and time, such as 2027-01-31T00:00:00Z, in the years 1 to 9999", Value: *k.ExpiresAt})
		} else {
			key.ExpiresAt = &t
		}
	}
	for i, name := range k.Indices {
		if err := document.CheckIndexName(name); err != nil {
			message := err.Error()
			if strings.Contains(name, "*") { // elsewhere, keys take patterns
				message += "; leave indices out to allow all of them"
			}
			fault.With(FieldError{Location: fmt.Sprintf("body.indices[%d]", i), Message: message, Value: name})
		}
	}
	if k.Type == AdminKey && (len(k.Indices) > 0 || k.Filter != "") {
		fault.With(FieldError{Location: "body.type", Message: "only a search key can be limited to indices or a filter", Value: string(k.Type)})
	}
	node, err := filter.Parse(k.Filter)
	if err == nil {
		_, err = filter.Bind(node, unmapped) // what fits no index would make each search with the key fail
	}
	if err != nil {
		fault.With(FieldError{Location: "body.filter", Message: err.Error(), Value: k.Filter})
	}
	if k.Secret != "" && (len(k.Secret) < MinSecret || len(k.Secret) > MaxSecret) {
		fault.With(FieldError{Location: "body.secret", Message: "must have 16 to 200 characters"})
	}
	if len(fault.Fields) > 0 {
		return Key{}, "", fault
	}
	secret := k.Secret
	if secret == "" {
		secret = newSecret(k.Type)
	}
	key, err = s.store.CreateKey(ctx, key, sha256.Sum256([]byte(secret)))
	if errors.Is(err, ErrEnded) {
		return Key{}, "", fault.With(FieldError{Location: "body.expires_at", Message: "is in the past, so the key would never work: give a later time, or omit it for a key that never expires",
			Value: *k.ExpiresAt})
	}
	if err != nil {
		return Key{}, "", err
	}
	s.forgetKeys(k.Application)
	return key, secret, nil
}

// Keys lists an application's keys, oldest first.
func (s *Service) Keys(ctx context.Context, application string) ([]Key, error) {
	return s.store.Keys(ctx, application)
}

// ResetKey gives a key a new secret; the old one stops working on every replica within a second.
// Error codes: key_not_found, invalid_request for a key that has expired.
func (s *Service) ResetKey(ctx context.Context, application, id string) (Key, string, error) {
	keys, err := s.store.Keys(ctx, application)
	if err != nil {
		return Key{}, "", err
	}
	at := slices.IndexFunc(keys, func(k Key) bool { return k.ID == id })
	if at < 0 {
		return Key{}, "", Errorf(CodeKeyNotFound, "There is no key %q.", id)
	}
	secret := newSecret(keys[at].Type)
	key, err := s.store.ResetKey(ctx, application, id, sha256.Sum256([]byte(secret)))
	s.forgetKeys(application)
	if errors.Is(err, ErrEnded) {
		return Key{}, "", Errorf(CodeInvalidRequest, "The key %q has expired, so a new secret would not work either. Create a new key.", id).
			With(FieldError{Location: "path.id", Message: "is a key that has expired", Value: id})
	}
	return key, secret, err
}

// DeleteKey removes a key. The last admin key in force cannot be removed. Error codes: key_not_found, last_admin_key.
func (s *Service) DeleteKey(ctx context.Context, application, id string) error {
	defer s.forgetKeys(application)
	return s.store.DeleteKey(ctx, application, id)
}
