package service

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// ErrStale means that an index or the application's catalog has changed since the request was planned. Plan again with what the store returns now.
var ErrStale = errors.New("the catalog has changed meanwhile")

// ErrMissing means that the database lacks a table or column. It comes with ErrStale: usually an index has changed,
// but if the catalog is the same as before, somebody has dropped them.
var ErrMissing = errors.New("a table or column is missing")

// Store is what the service needs from a database. Errors that a client may see are *Error; ErrStale asks
// for a new plan; anything else is internal.
type Store interface {
	Catalog
	Documents
	Searcher
	// Ping returns nil when the database answers within the context's deadline.
	Ping(ctx context.Context) error
}

// Catalog keeps applications, keys, indices and searches.
type Catalog interface {
	CreateApplication(ctx context.Context, id string) (Application, error)
	Applications(ctx context.Context) ([]Application, error)
	DeleteApplication(ctx context.Context, id string) error
	ApplicationSettings(ctx context.Context, application string) (ApplicationSettings, error)
	PutApplicationSettings(ctx context.Context, application string, settings ApplicationSettings) error

	CreateKey(ctx context.Context, k Key, hash [32]byte) (Key, error)
	Keys(ctx context.Context, application string) ([]Key, error)
	ResetKey(ctx context.Context, application, id string, hash [32]byte) (Key, error)
	// DeleteKey refuses to remove the last admin key that has not expired.
	DeleteKey(ctx context.Context, application, id string) error
	// KeyHashes returns what authentication needs to know of an application's keys; none for an unknown application.
	KeyHashes(ctx context.Context, application string) ([]KeyHash, error)
	// KeysUsed records when keys were last used.
	KeysUsed(ctx context.Context, used map[string]time.Time) error

	CreateIndex(ctx context.Context, application, name string, mappings []mapping.Mapping) error
	// Index returns an index that may be out of date: operations on it then return ErrStale instead of succeeding. CurrentIndex reads it anew.
	Index(ctx context.Context, application, name string) (*Index, error)
	CurrentIndex(ctx context.Context, application, name string) (*Index, error)
	// Target returns what the name of a search stands for, which may be out of date: Search then returns ErrStale. CurrentTarget reads it anew.
	Target(ctx context.Context, application, search string) (*Target, error)
	CurrentTarget(ctx context.Context, application, search string) (*Target, error)
	// Indices lists the indices by name, without their stop words and synonyms.
	Indices(ctx context.Context, application string) ([]*Index, error)
	IndexStats(ctx context.Context, ix *Index) (IndexStats, error)
	// IndexSizes returns the bytes that each index takes, by its name.
	IndexSizes(ctx context.Context, application string) (map[string]int64, error)
	// Reshape gives ix other mappings and settings; writes and searches go on meanwhile.
	Reshape(ctx context.Context, ix *Index, mappings []mapping.Mapping, settings IndexSettings) (*Index, error)
	ClearIndex(ctx context.Context, ix *Index) error
	DeleteIndex(ctx context.Context, ix *Index) error
	// Languages lists the text-search configurations of the database.
	Languages(ctx context.Context) ([]string, error)

	PutSearch(ctx context.Context, application string, def SearchDefinition) (created bool, err error)
	// FindSearch returns a defined search, or nil if there is none of that name.
	FindSearch(ctx context.Context, application, name string) (*SearchDefinition, error)
	SearchDefinitions(ctx context.Context, application string) ([]SearchDefinition, error)
	DeleteSearch(ctx context.Context, application, name string) error
}

// Target is what the name of a search stands for.
type Target struct {
	Index *Index
	// Search is the defined search; nil if the name is that of an index.
	Search *SearchDefinition
	// PerPage is the application's default.
	PerPage int
	// Version is the version of the application's catalog when the target was read.
	Version int64
}

// KeyHash is a key with the hash of its secret.
type KeyHash struct {
	Key  Key
	Hash [32]byte
	// ReadAt is when the key was read, by the database's clock, so that servers whose clocks differ agree on what has expired.
	ReadAt time.Time
}

// Change is what a write makes of one document.
type Change = document.Change

// Write is one transaction on an index.
type Write struct {
	Index *Index
	// Upsert, if not nil, is a document to store whether or not it exists; IDs, Bodies and Decide are for all other writes.
	Upsert *Change
	// IDs are the documents that the write looks at, in any order.
	IDs []string
	// Bodies asks for the current bodies; otherwise Decide sees a nil body for each document that exists.
	Bodies bool
	// Decide says what to change, given the documents that exist. It is called again if the transaction has to be repeated.
	Decide func(current map[string]json.RawMessage) ([]Change, error)
	// Return asks for the changed documents as they are stored.
	Return bool
}

// Documents keeps documents.
type Documents interface {
	// GetDocuments returns the documents that exist.
	GetDocuments(ctx context.Context, ix *Index, ids []string) (map[string]Document, error)
	// Write runs a write and returns the changed documents if w.Return asks for them.
	Write(ctx context.Context, w Write) (map[string]Document, error)
}
