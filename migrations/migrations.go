// Package migrations holds the goose migrations of the catalog. The tables of indices are not among them:
// they are created with their index.
package migrations

import "embed"

// FS holds the migrations, one file per version.
//
//go:embed *.sql
var FS embed.FS
