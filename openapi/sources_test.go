//go:build long

package openapi_test

import (
	"io/fs"
	"slices"
)

// sources is a folder without the folders that npm and the compiler create in it.
type sources struct{ fs.FS }

// ReadDir leaves those folders out.
func (s sources) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{"node_modules", "build", "dist"}, e.Name())
	}), err
}
