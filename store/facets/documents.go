package facets

import (
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// mostCounted is the maximum size in bytes of the distinct values that are counted here. If there are more, as in long texts, the plain statement
// only sends those of the answer.
const mostCounted = 4 << 20

// Documents counts the values of documents one by one. The zero Documents has no facets.
type Documents struct {
	Counts
	fields []table.Field
	bytes  int // of the distinct values
}

// NewDocuments returns a counter for the facets of a plan.
func NewDocuments(sh table.Shape, p *service.Plan) Documents {
	return Documents{Counts: NewCounts(p), fields: searchsql.FacetFields(sh, p)}
}

// Columns returns the number of columns in which a row has the values of a document: those of table.Field.ValueColumns for each field.
func (d *Documents) Columns() int { return 4 * len(d.fields) }

// Count counts the values of a document, from their columns in PostgreSQL's binary form. It returns ErrUncountable if they cannot be counted.
func (d *Documents) Count(columns [][]byte) error {
	for i, f := range d.fields {
		values := d.Counts[i].Values
		exact, err := blockvalues.EachValue(f, columns[4*i:4*i+4], func(key, spelling []byte) {
			before := len(values)
			if values[blockvalues.Value{Key: string(key), Spelling: string(spelling)}]++; len(values) > before {
				d.bytes += len(key) + len(spelling)
			}
		})
		if err == nil && (!exact || d.bytes > mostCounted) {
			err = ErrUncountable
		}
		if err != nil {
			return err
		}
	}
	return nil
}
