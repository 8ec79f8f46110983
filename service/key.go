package service

import "time"

// KeyType says what a key may do.
type KeyType string

// The types of keys.
const (
	// AdminKey may do everything within its application.
	AdminKey KeyType = "admin"
	// SearchKey may only search.
	SearchKey KeyType = "search"
)

// Key is an API key without its secret.
type Key struct {
	ID          string
	Application string
	Type        KeyType
	Description string
	// Indices limits the key to these indices and searches; empty means all.
	Indices []string
	// Filter is always applied to what the key searches; empty means none.
	Filter     string
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	LastUsedAt *time.Time
}

// Application is a tenant: it owns indices and keys.
type Application struct {
	ID        string
	CreatedAt time.Time
}

// Principal is the authenticated sender of a request.
type Principal struct {
	Application string
	KeyID       string
	Type        KeyType
	Indices     []string
	Filter      string
}

// ApplicationSettings hold for all of an application's searches.
type ApplicationSettings struct {
	PerPage int `json:"per_page" doc:"Hits per page if neither the request nor the search says." minimum:"0" maximum:"1000" example:"10"`
}
