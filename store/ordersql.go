package store

import (
	"fmt"
	"strings"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/table"
)

// orderKey is one key of the order of hits: a column of found.
type orderKey struct {
	column  string
	sqlType string
	desc    bool
}

// sortColumns are the columns of found that a sort key needs, sort<i> and for values of mixed types text<i>.
func (b *searchBuilder) sortColumns(i int, k filter.SortKey) []string {
	if k.Score || k.ID {
		return nil
	}
	f, mapped := b.Field(k.Field)
	if mapped {
		return []string{fmt.Sprintf("%s AS sort%d", firstValue(f, k.Desc), i)}
	}
	aggregate := "min"
	if k.Desc {
		aggregate = "max"
	}
	src := bodySource(k.Field)
	return []string{
		fmt.Sprintf("%s AS sort%d", unmappedNumber.extreme(src, aggregate), i),
		fmt.Sprintf("%s AS text%d", unmappedWord.extreme(src, aggregate), i),
	}
}

// firstValue is what a mapped field is ordered by: the smallest of its values, or with desc the largest.
func firstValue(f table.Field, desc bool) string {
	first := "t." + f.Keys() + "[1]"
	switch {
	case desc:
		first = fmt.Sprintf("t.%s[cardinality(t.%s)]", f.Keys(), f.Keys())
	case f.Info.Kind == mapping.KindLevels:
		first = smallestWhole(f) // the keys hold every level; the largest is a whole value, the smallest is not
	}
	return "coalesce(t." + f.Key() + ", " + first + ")"
}

// smallestWhole is the smallest whole value of a field of levels with several values.
func smallestWhole(f table.Field) string {
	return "(SELECT min(v) FROM unnest(" + wholes(f) + ") AS v)"
}

// order is the order of the hits: the sort keys, then the score, then the id. Numbers come before texts in a
// field without a mapping.
func (b *searchBuilder) order() []orderKey {
	var keys []orderKey
	score, id := false, false
	for i, k := range b.plan.Sort {
		column := fmt.Sprintf("sort%d", i)
		f, mapped := b.Field(k.Field)
		switch {
		case k.Score:
			keys = append(keys, b.scores(k.Desc)...)
			score = true
		case k.ID:
			keys = append(keys, orderKey{"_id", `text COLLATE "C"`, k.Desc})
			id = true
		case !mapped:
			keys = append(keys, orderKey{column, "numeric", k.Desc}, orderKey{fmt.Sprintf("text%d", i), `text COLLATE "C"`, k.Desc})
		case f.SQLType() == "text":
			keys = append(keys, orderKey{column, `text COLLATE "C"`, k.Desc})
		default:
			keys = append(keys, orderKey{column, f.SQLType(), k.Desc})
		}
	}
	if !score && !id {
		keys = append(keys, b.scores(true)...)
	}
	if !id {
		keys = append(keys, orderKey{"_id", `text COLLATE "C"`, false})
	}
	return keys
}

// scores is the order by scores, or where nothing is searched for by boosts.
func (b *searchBuilder) scores(desc bool) []orderKey {
	switch {
	case len(b.plan.Terms) == 0:
		return []orderKey{{"_boost", "double precision", desc}}
	case b.plan.AllFirst():
		return []orderKey{{"every", "boolean", desc}, {"score", "double precision", desc}}
	}
	return []orderKey{{"score", "double precision", desc}}
}

// orderBy writes the order; prefix is put before each column.
func (b *searchBuilder) orderBy(prefix string) string { return orderedBy(b.order(), prefix) }

func orderedBy(keys []orderKey, prefix string) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = prefix + k.column
		if k.desc {
			parts[i] += " DESC"
		}
		parts[i] += " NULLS LAST"
	}
	return "ORDER BY " + strings.Join(parts, ", ")
}

// after keeps the hits that come after the cursor: those that are equal in the first keys and further on in
// the next. It is written out, because some keys fall, some rise, and nulls come last either way.
func (b *searchBuilder) after() string {
	c := b.plan.After
	if c == nil {
		return ""
	}
	var conditions []string
	if len(c.Shown) > 0 {
		conditions = append(conditions, "_id <> ALL("+b.args.Add(c.Shown, "text[]")+")")
	}
	if len(c.Place) > 0 {
		conditions = append(conditions, b.afterPlace(c.Place))
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

// afterPlace is the condition that a hit comes after a place in the order.
func (b *searchBuilder) afterPlace(place []*string) string { return b.afterKeys(b.order(), place) }

// afterKeys is the condition that a hit comes after a place by the first keys of the order.
func (b *searchBuilder) afterKeys(keys []orderKey, place []*string) string {
	var ways []string
	for i, k := range keys {
		operator := ">"
		if k.desc {
			operator = "<"
		}
		if place[i] != nil {
			way := fmt.Sprintf("(%s %s %s OR %s IS NULL)", k.column, operator, b.keyOf(k, place[i]), k.column)
			if i > 0 {
				way = b.equalPlace(keys[:i], place) + " AND " + way
			}
			ways = append(ways, "("+way+")")
		}
	}
	if len(ways) == 0 {
		return "false" // nothing comes after nulls
	}
	return "(" + strings.Join(ways, " OR ") + ")"
}

// equalPlace is the condition that a hit has the same keys as a place in the order.
func (b *searchBuilder) equalPlace(keys []orderKey, place []*string) string {
	equal := make([]string, len(keys))
	for i, k := range keys {
		equal[i] = k.column + " IS NOT DISTINCT FROM " + b.keyOf(k, place[i])
	}
	return strings.Join(equal, " AND ")
}

// keyOf writes a key of a place in the order.
func (b *searchBuilder) keyOf(k orderKey, value *string) string {
	return b.args.Add(value, "text") + "::" + k.sqlType
}
