package store

import (
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// versionKey identifies an index in one version of its mappings and settings.
type versionKey struct{ id, version int64 }

// maxShapeFields bounds the total number of fields of remembered shapes, which take a few hundred bytes each.
const maxShapeFields = 10000

// shape returns table.ShapeOf(ix), remembered: determining the columns of hundreds of fields takes most of a millisecond, and each search needs them.
// ix must be as the catalog has it.
func (c *catalogCache) shape(ix *service.Index) table.Shape {
	key := versionKey{ix.ID, ix.Version}
	sh, ok := c.shapes.Get(key)
	if !ok {
		sh = table.ShapeOf(ix)
		c.shapes.Put(key, sh)
	}
	return sh
}
