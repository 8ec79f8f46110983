package store

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// blockFilter returns those of the given documents of a block that satisfy a condition. It examines no others.
type blockFilter func(b *block, among posting.Bitmap) posting.Bitmap

// valued reports whether the values of a field are kept by block unless there are too many. Values of other texts are kept, too, where they repeat in
// all blocks, as people's names do: see takeFields.
func valued(f table.Field) bool {
	switch f.Type {
	case mapping.Keyword, mapping.CaseSensitiveKeyword, mapping.Tags, mapping.Category, mapping.Path, mapping.Bool, mapping.Date:
		return true
	}
	return f.Info.Kind == mapping.KindNumber
}

// blockFilter translates a condition. ok is false if the values kept by block cannot answer it.
func (a *accelerated) blockFilter(c filter.Cond) (blockFilter, bool) {
	switch c := c.(type) {
	case filter.And:
		return a.junction([]filter.Cond(c), true)
	case filter.Or:
		return a.junction([]filter.Cond(c), false)
	case filter.Not:
		a.negated = !a.negated
		of, ok := a.blockFilter(c.Cond)
		a.negated = !a.negated
		return func(b *block, among posting.Bitmap) posting.Bitmap {
			rest := slices.Clone(among)
			rest.AndNot(of(b, among))
			return rest
		}, ok
	case filter.Equal:
		if c.Kind == mapping.KindID {
			return a.otherIDs(c)
		}
		f, ok := a.filtered(c.Field)
		if !ok {
			return nil, false
		}
		keys, ok := blockvalues.KeysOfEqual(f, c)
		if !ok {
			return nil, false
		}
		if a.kept[f.Name] {
			wanted := make(map[string]bool, len(keys))
			for _, key := range keys {
				wanted[key] = true
			}
			return a.anyValue(c.Field, func(key string) bool { return wanted[key] }), true
		}
		ranges := make([]blockvalues.KeySpan, len(keys))
		for i := range keys {
			ranges[i] = blockvalues.KeyRange{Low: &keys[i], High: &keys[i]}.Span(f.HasKey())
		}
		return a.byOrder(f, ranges...)
	case filter.Range:
		f, ok := a.filtered(c.Field)
		if !ok || c.Kind == mapping.KindLevels {
			return nil, false
		}
		keys, ok := blockvalues.KeysWithin(c)
		if !ok {
			return nil, false
		}
		if !a.kept[f.Name] {
			return a.byOrder(f, keys.Span(f.HasKey()))
		}
		place := a.value(c.Field)
		return func(b *block, among posting.Bitmap) posting.Bitmap { return b.values[place].Within(among, keys) }, true
	case filter.Prefix:
		f, ok := a.filtered(c.Field)
		begin := c.Value.Text
		if c.Kind == mapping.KindLevels {
			begin = filter.NormalizeBeginning(f.Info.Separator, begin) // a level begins with this if and only if a whole value does
		}
		if !ok || !f.HasKey() || searchsql.Cut(begin) != begin {
			return nil, false
		}
		if a.kept[f.Name] {
			return a.anyValue(c.Field, func(key string) bool { return strings.HasPrefix(key, begin) }), true
		}
		return a.byOrder(f, blockvalues.SpanOfBeginning(begin))
	case filter.Exists:
		return a.existing(c.Field)
	default:
		return nil, false
	}
}

// otherIDs returns the filter for a negated condition on ids. The few documents with these ids are examined themselves. ok is false if the condition
// is not negated: then the index on ids finds the documents.
func (a *accelerated) otherIDs(c filter.Equal) (of blockFilter, ok bool) {
	a.ids = append(a.ids, searchsql.Texts(c.Values)...)
	return func(b *block, _ posting.Bitmap) posting.Bitmap { return posting.NewBitmap(b.size) }, a.negated
}

// filtered returns the field of a condition on values; ok is false if the blocks know nothing about it.
func (a *accelerated) filtered(name string) (f table.Field, ok bool) {
	f, mapped := a.sh.Field(name)
	return f, mapped && (a.kept[name] || a.ordered[name])
}

// byOrder returns the filter for a condition on a field whose values the blocks do not have, from its order. ok is false if the plain statement is
// probably faster: for texts with an index of their own.
func (a *accelerated) byOrder(f table.Field, ranges ...blockvalues.KeySpan) (of blockFilter, ok bool) {
	if f.Info.Kind == mapping.KindLevels || f.HasKey() && f.Indexed() && !a.negated {
		return nil, false
	}
	return a.orderedWithin(f.Name, ranges...), true
}

func (a *accelerated) junction(list []filter.Cond, and bool) (blockFilter, bool) {
	parts := make([]blockFilter, len(list))
	for i, c := range list {
		var ok bool
		if parts[i], ok = a.blockFilter(c); !ok {
			return nil, false
		}
	}
	return func(b *block, among posting.Bitmap) posting.Bitmap {
		if and {
			found := slices.Clone(among)
			for _, part := range parts {
				found = part(b, found)
			}
			return found
		}
		found := posting.NewBitmap(b.size)
		for _, part := range parts {
			found.Or(part(b, among))
		}
		return found
	}, true
}

// anyValue returns a filter for the documents that have a value of the field whose key passes test.
func (a *accelerated) anyValue(name string, test func(key string) bool) blockFilter {
	place := a.value(name)
	return func(b *block, among posting.Bitmap) posting.Bitmap {
		return b.values[place].Choose(among, func(v blockvalues.Value) bool { return test(v.Key) })
	}
}
