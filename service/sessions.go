package service

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"github.com/rowansearch/rowan/service/document"
)

// Session is an administrator who is signed in for a limited time, in a browser.
type Session struct {
	Principal Principal
	// Expires is when the session ends, by the database's clock; never later than its key expires.
	Expires time.Time
	// Left is the time until then, independent of this server's clock.
	Left time.Duration
}

// A session's token is
//
//	version · expiry · application · key id · nonce · sealed key
//
// in base64, both ids after their lengths. The servers share no secret but the catalog, and the catalog has
// only hashes of keys. So the admin key itself is in the token, sealed by AES-GCM under a key that HKDF derives from its hash, with the rest
// as associated data. Opening a token takes the hash: whoever steals a token does not learn the key. Making one takes the key: whoever reads
// the catalog cannot sign in. A key that is reset or deleted ends its sessions on every server as soon as that server sees the other hash.
const (
	sessionVersion = 1
	sessionPurpose = "rowan session 1"
	maxToken       = 1024 // characters, above what the longest key needs
)

// SignIn makes a session from an application id and an admin key, and the token that stands for it during life. The session never outlives
// the key. Error codes: unauthorized (the same answer for an unknown application as for a wrong key), key_not_allowed for a search key.
func (s *Service) SignIn(ctx context.Context, application, key string, life time.Duration) (Session, string, error) {
	who, err := s.Authenticate(ctx, application, key)
	if err != nil {
		return Session{}, "", err
	}
	if who.Type != AdminKey {
		return Session{}, "", Errorf(CodeKeyNotAllowed, "A search key may only search. Sign in with an admin key.")
	}
	known, now, ok, err := s.keyOf(ctx, application, who.KeyID)
	if err != nil {
		return Session{}, "", err
	}
	hash := sha256.Sum256([]byte(key))
	if !ok || known.Hash != hash {
		return Session{}, "", sessionOver() // reset between the two lookups
	}
	session := Session{Principal: who, Expires: now.Add(life)}
	if end := known.Key.ExpiresAt; end != nil && end.Before(session.Expires) {
		session.Expires = *end
	}
	session.Expires = session.Expires.Truncate(time.Second) // as in the token
	session.Left = session.Expires.Sub(now)
	token, err := sealSession(session, key, hash)
	return session, token, err
}

// CheckSession returns the session of a token. Error code: unauthorized, once the session has ended.
func (s *Service) CheckSession(ctx context.Context, token string) (Session, error) {
	t, ok := readToken(token)
	if !ok || document.CheckApplicationID(t.application) != nil {
		return Session{}, sessionOver()
	}
	known, now, ok, err := s.keyOf(ctx, t.application, t.keyID)
	if err != nil {
		return Session{}, err
	}
	if !ok || known.Key.Type != AdminKey || !t.expires.After(now) {
		return Session{}, sessionOver()
	}
	if end := known.Key.ExpiresAt; end != nil && !end.After(now) {
		return Session{}, sessionOver()
	}
	aead, err := sessionCipher(known.Hash)
	if err != nil {
		return Session{}, err
	}
	key, err := aead.Open(nil, t.nonce, t.sealed, t.head)
	if err != nil {
		return Session{}, sessionOver()
	}
	if hash := sha256.Sum256(key); subtle.ConstantTimeCompare(hash[:], known.Hash[:]) != 1 {
		return Session{}, sessionOver()
	}
	s.keys.mu.Lock()
	s.keys.used[known.Key.ID] = now
	s.keys.mu.Unlock()
	who := Principal{Application: t.application, KeyID: known.Key.ID, Type: known.Key.Type, Indices: known.Key.Indices, Filter: known.Key.Filter}
	return Session{Principal: who, Expires: t.expires, Left: t.expires.Sub(now)}, nil
}

func sessionOver() error {
	return Errorf(CodeUnauthorized, "The session has ended. Sign in again.")
}

// keyOf finds a key by its id, and returns the time by the database's clock.
func (s *Service) keyOf(ctx context.Context, application, id string) (key KeyHash, now time.Time, ok bool, err error) {
	entry, err := s.keyHashes(ctx, application)
	if err != nil {
		return KeyHash{}, time.Time{}, false, err
	}
	for _, k := range entry.keys {
		if k.Key.ID == id {
			return k, entry.now(), true, nil
		}
	}
	return KeyHash{}, time.Time{}, false, nil
}

func sessionCipher(hash [32]byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, hash[:], nil, sessionPurpose, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func sealSession(session Session, key string, hash [32]byte) (string, error) {
	aead, err := sessionCipher(hash)
	if err != nil {
		return "", err
	}
	token := []byte{sessionVersion}
	token = binary.BigEndian.AppendUint64(token, uint64(session.Expires.Unix()))
	for _, id := range []string{session.Principal.Application, session.Principal.KeyID} {
		token = append(append(token, byte(len(id))), id...)
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails: see crypto/rand
	head := token
	token = append(slices.Clip(token), nonce...)
	return base64.RawURLEncoding.EncodeToString(aead.Seal(token, nonce, []byte(key), head)), nil
}

// sessionToken is a token taken apart, and not yet verified.
type sessionToken struct {
	head, nonce, sealed []byte
	expires             time.Time
	application, keyID  string
}

func readToken(token string) (t sessionToken, ok bool) {
	if len(token) > maxToken {
		return t, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) < 9 || raw[0] != sessionVersion {
		return t, false
	}
	t.expires = time.Unix(int64(binary.BigEndian.Uint64(raw[1:9])), 0)
	rest := raw[9:]
	for _, part := range []*string{&t.application, &t.keyID} {
		if len(rest) == 0 || len(rest) < 1+int(rest[0]) {
			return t, false
		}
		*part, rest = string(rest[1:1+int(rest[0])]), rest[1+int(rest[0]):]
	}
	const nonceSize = 12
	if len(rest) < nonceSize {
		return t, false
	}
	t.head = raw[:len(raw)-len(rest)]
	t.nonce, t.sealed = rest[:nonceSize], rest[nonceSize:]
	return t, true
}
