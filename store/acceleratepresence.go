package store

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/table"
)

// A document that has a value of a field has the field. Without a value it may still have it, as an array of nulls, which only its body shows. So
// each block lists these documents, here called bare. It does not do so for fields in objects, whose bodies take long to examine; there the statement
// examines all documents without a value, like changed ones.

// presenceBuilder collects the posting.BareDocuments of a block.
type presenceBuilder struct {
	told []table.Field
	bare []posting.BareDocuments
}

func newPresenceBuilder(sh table.Shape) (b presenceBuilder) {
	for _, f := range sh.Fields {
		if tellsPresence(f) {
			b.told = append(b.told, f)
		}
	}
	b.bare = make([]posting.BareDocuments, len(b.told))
	return b
}

// tellsPresence reports whether blocks list the bare documents of a field.
func tellsPresence(f table.Field) bool { return f.HasValue() && !strings.Contains(f.Name, ".") }

// tellsPresence reports whether the blocks list bare documents at all, for the fields where they can.
func (x *accelerator) tellsPresence() bool { return x.formula.version() >= presenceSince }

func (b *presenceBuilder) reset() {
	for i := range b.bare {
		b.bare[i] = append(b.bare[i][:0], 0)
	}
}

// column returns the expression that says, for each field, whether a document has it without a value.
func (b *presenceBuilder) column() string {
	tests := make([]string, len(b.told))
	for i, f := range b.told {
		tests[i] = "CASE WHEN t." + f.Key() + " IS NULL AND t." + f.Keys() + " IS NULL THEN rowan.present(" + table.BodySource(f.Name) + ") END"
	}
	return "ARRAY[" + strings.Join(tests, ", ") + "]::boolean[]"
}

// add takes the column's value for a document.
func (b *presenceBuilder) add(offset int, column []byte) error {
	i := 0
	return pgbinary.EachElement(column, func(present []byte) {
		if len(present) == 1 && present[0] != 0 {
			b.bare[i] = binary.LittleEndian.AppendUint16(b.bare[i], uint16(offset))
		}
		i++
	})
}

// writePresence writes the lists of a block.
func (bb *blockBuilder) writePresence(ctx context.Context, tx pgx.Tx, block int64) error {
	if len(bb.told) == 0 {
		return nil
	}
	names, lists := make([]string, len(bb.told)), make([][]byte, len(bb.told))
	for i, f := range bb.told {
		names[i], lists[i] = posting.PresentOf+f.Name, bb.bare[i]
	}
	_, err := tx.Exec(ctx, "INSERT INTO "+bb.sh.Postings()+" (lexeme, block, documents, postings) SELECT lexeme, $3, $4, list FROM unnest($1::text[], $2::bytea[]) AS bare(lexeme, list)",
		names, lists, block, len(bb.every))
	return err
}

// existing returns the filter for a condition on the presence of a field; ok is false if the blocks do not know which documents have a value.
func (a *accelerated) existing(name string) (of blockFilter, ok bool) {
	f, mapped := a.sh.Field(name)
	if !mapped || !f.HasValue() {
		return nil, false
	}
	if a.kept[name] {
		a.value(name)
	} else {
		a.lexemes = append(a.lexemes, posting.KeysOf+name)
	}
	if a.listsBare(f) {
		a.lexemes = append(a.lexemes, posting.PresentOf+name)
	}
	a.present = append(a.present, name)
	return func(b *block, among posting.Bitmap) posting.Bitmap {
		found := posting.NewBitmap(b.size)
		a.eachByPresence(b, f, among, func(offset int, has bool) {
			if has {
				found.Set(offset)
			}
		})
		a.bareIn(b, f).Each(func(offset int) {
			if among.Has(offset) {
				found.Set(offset)
			}
		})
		return found
	}, true
}

// listsBare reports whether the blocks of this search list the bare documents of a field.
func (a *accelerated) listsBare(f table.Field) bool { return a.tellsPresence() && tellsPresence(f) }

// bareIn returns the bare documents of a field in a block; nil if the block does not list them.
func (a *accelerated) bareIn(b *block, f table.Field) posting.BareDocuments {
	if !a.listsBare(f) {
		return nil
	}
	return posting.BareDocuments(b.Postings[a.lexemePlace(posting.PresentOf+f.Name)].Codes)
}

// eachByPresence yields, for each of the given documents of a block, whether it has a value of the field, according to the values or the order.
func (a *accelerated) eachByPresence(b *block, f table.Field, among posting.Bitmap, yield func(offset int, has bool)) {
	if !a.kept[f.Name] {
		keys := a.keysIn(b, f.Name)
		among.Each(func(offset int) { yield(offset, keys.Of(offset, false) != posting.NoKey) })
		return
	}
	values := b.values[a.value(f.Name)]
	for offset, set := range values.SetsOf(among) {
		yield(offset, len(values.Set(set)) > 0)
	}
}

// setAsideAbsent removes from the matches of a block the documents that may have a field whose presence is a condition, and leaves them to the
// statement. ok is false if the block lacks the order that it needs, or if there are too many such documents.
func (t *blockTally) setAsideAbsent(b *block) (ok bool) {
	for _, name := range t.search.present {
		f, _ := t.search.sh.Field(name)
		if !t.search.kept[name] && !t.search.keysIn(b, name).Fits(b.size) {
			return false
		}
		if t.search.bareIn(b, f).Known() {
			continue
		}
		t.search.eachByPresence(b, f, b.Found, func(offset int, has bool) {
			if !has {
				t.putAside(b, offset)
			}
		})
		if len(t.looked) > t.search.mostLooked {
			return false
		}
	}
	return true
}
