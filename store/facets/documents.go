package facets

import (
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// mostCounted is how many bytes the values that are counted here may have together, each once. Of more, as those of long texts, the
// plain statement sends only what the answer has.
const mostCounted = 4 << 20

// Documents counts the values of documents, one after the other. The zero Documents has no facets.
type Documents struct {
	Counts
	fields []table.Field
	bytes  int // of their values, each once
}

// NewDocuments counts the facets of a plan.
func NewDocuments(sh table.Shape, p *service.Plan) Documents {
	return Documents{Counts: NewCounts(p), fields: searchsql.FacetFields(sh, p)}
}

// Columns is how many columns of a row the values of a document are, those of table.Field.ValueColumns of each field.
func (d *Documents) Columns() int { return 4 * len(d.fields) }

// Count counts the values of a document, from their columns in PostgreSQL's binary form. It returns ErrUncountable where they cannot be counted.
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
