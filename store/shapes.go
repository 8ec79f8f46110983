package store

import (
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// versionKey is an index in one version of its mappings and settings.
type versionKey struct{ id, version int64 }

// maxShapeFields bounds the fields of the shapes that are remembered: a few hundred bytes each.
const maxShapeFields = 10000

// shape is table.ShapeOf, remembered: to find the columns of hundreds of fields takes most of a millisecond, and each search needs them. It is
// for an index as the catalog has it.
func (c *catalogCache) shape(ix *service.Index) table.Shape {
	key := versionKey{ix.ID, ix.Version}
	sh, ok := c.shapes.Get(key)
	if !ok {
		sh = table.ShapeOf(ix)
		c.shapes.Put(key, sh)
	}
	return sh
}
