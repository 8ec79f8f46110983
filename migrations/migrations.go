// Package migrations holds the goose migrations of the catalog. The tables of indices are not among them:
// they are made when an index is created.
package migrations

import "embed"

// FS holds the migrations, one file a version.
//
//go:embed *.sql
var FS embed.FS
