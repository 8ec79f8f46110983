package service

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/rowansearch/rowan/service/mapping"
)

// ErrStale says that an index or the application's catalog has changed since what was asked for was planned.
// Plan again with what the store returns now.
var ErrStale = errors.New("the catalog has changed meanwhile")

// ErrMissing says that the database has no table or column of that name. It comes with ErrStale: mostly an index has changed, but
// where the catalog is the same as before, somebody has taken them away.
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
	// KeyHashes returns what authentication needs of an application's keys; none for an unknown application.
	KeyHashes(ctx context.Context, application string) ([]KeyHash, error)
	// KeysUsed records when keys were last used.
	KeysUsed(ctx context.Context, used map[string]time.Time) error

	CreateIndex(ctx context.Context, application, name string, mappings []mapping.Mapping) error
	// Index returns an index, maybe as it was: operations on it answer ErrStale then, if they succeed. CurrentIndex reads it anew.
	Index(ctx context.Context, application, name string) (*Index, error)
	CurrentIndex(ctx context.Context, application, name string) (*Index, error)
	// Target tells what the name of a search stands for, maybe as it was: Search answers ErrStale then. CurrentTarget reads it
	// anew.
	Target(ctx context.Context, application, search string) (*Target, error)
	CurrentTarget(ctx context.Context, application, search string) (*Target, error)
	// Indices lists the indices by name, without their stop words and synonyms.
	Indices(ctx context.Context, application string) ([]*Index, error)
	IndexStats(ctx context.Context, ix *Index) (IndexStats, error)
	// Reshape gives ix other mappings and settings; writes and searches go on meanwhile.
	Reshape(ctx context.Context, ix *Index, mappings []mapping.Mapping, settings IndexSettings) (*Index, error)
	ClearIndex(ctx context.Context, ix *Index) error
	DeleteIndex(ctx context.Context, ix *Index) error
	// Languages lists the text-search configurations of the database.
	Languages(ctx context.Context) ([]string, error)

	PutSearch(ctx context.Context, application string, def SearchDefinition) (created bool, err error)
	// FindSearch returns a defined search, or nil where there is none of that name.
	FindSearch(ctx context.Context, application, name string) (*SearchDefinition, error)
	SearchDefinitions(ctx context.Context, application string) ([]SearchDefinition, error)
	DeleteSearch(ctx context.Context, application, name string) error
}

// Target is what the name of a search stands for.
type Target struct {
	Index *Index
	// Search is the defined search; nil where the name is that of an index.
	Search *SearchDefinition
	// PerPage is the application's default.
	PerPage int
	// Version is that of the application's catalog when this was read.
	Version int64
}

// KeyHash is a key with the hash of its secret.
type KeyHash struct {
	Key  Key
	Hash [32]byte
	// ReadAt is when it was read, by the database's clock: servers whose clocks differ agree on what has expired.
	ReadAt time.Time
}

// Change is what a write leaves of one document: its new body, or nil when it is gone.
type Change struct {
	ID   string
	Body json.RawMessage
}

// Write is one transaction on an index.
type Write struct {
	Index *Index
	// Upsert, if it is not nil, is a document to be stored whatever there is; IDs, Bodies and Decide are for all other
	// writes.
	Upsert *Change
	// IDs are the documents that the write looks at, in any order.
	IDs []string
	// Bodies asks for the current bodies; else Decide sees a nil body for each document that exists.
	Bodies bool
	// Decide says what to change, given the documents that exist. It may be called again, when the
	// transaction has to be repeated.
	Decide func(current map[string]json.RawMessage) ([]Change, error)
	// Return asks for the changed documents as they are stored.
	Return bool
}

// Documents keeps documents.
type Documents interface {
	// GetDocuments returns the documents that exist.
	GetDocuments(ctx context.Context, ix *Index, ids []string) (map[string]Document, error)
	// Write runs a write and returns the changed documents if it is to.
	Write(ctx context.Context, w Write) (map[string]Document, error)
}
