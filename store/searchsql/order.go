package searchsql

import (
	"fmt"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/table"
)

// OrderKey is one key of the order of hits: a column of found.
type OrderKey struct {
	Column  string
	sqlType string
	Desc    bool // the largest first
}

// sortColumns are the columns of found that a sort key needs, sort<i> and for values of mixed types text<i>.
func (b *Builder) sortColumns(i int, k filter.SortKey) []string {
	if k.Score || k.ID {
		return nil
	}
	f, mapped := b.Field(k.Field)
	if mapped {
		return []string{fmt.Sprintf("%s AS sort%d", FirstValue(f, k.Desc), i)}
	}
	aggregate := "min"
	if k.Desc {
		aggregate = "max"
	}
	src := table.BodySource(k.Field)
	return []string{
		fmt.Sprintf("%s AS sort%d", unmappedNumber.extreme(src, aggregate), i),
		fmt.Sprintf("%s AS text%d", unmappedWord.extreme(src, aggregate), i),
	}
}

// FirstValue is what a mapped field is ordered by: the smallest of its values, or with desc the largest.
func FirstValue(f table.Field, desc bool) string {
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

// Order is the order of the hits: the sort keys, then the score, then the id. Numbers come before texts in a
// field without a mapping.
func (b *Builder) Order() []OrderKey {
	var keys []OrderKey
	score, id := false, false
	for i, k := range b.Plan.Sort {
		column := fmt.Sprintf("sort%d", i)
		f, mapped := b.Field(k.Field)
		switch {
		case k.Score:
			keys = append(keys, b.scores(k.Desc)...)
			score = true
		case k.ID:
			keys = append(keys, OrderKey{"_id", `text COLLATE "C"`, k.Desc})
			id = true
		case !mapped:
			keys = append(keys, OrderKey{column, "numeric", k.Desc}, OrderKey{fmt.Sprintf("text%d", i), `text COLLATE "C"`, k.Desc})
		case f.SQLType() == "text":
			keys = append(keys, OrderKey{column, `text COLLATE "C"`, k.Desc})
		default:
			keys = append(keys, OrderKey{column, f.SQLType(), k.Desc})
		}
	}
	if !score && !id {
		keys = append(keys, b.scores(true)...)
	}
	if !id {
		keys = append(keys, OrderKey{"_id", `text COLLATE "C"`, false})
	}
	return keys
}

// scores is the order by scores, or where nothing is searched for by boosts.
func (b *Builder) scores(desc bool) []OrderKey {
	switch {
	case len(b.Plan.Terms) == 0:
		return []OrderKey{{"_boost", "double precision", desc}}
	case b.Plan.AllFirst():
		return []OrderKey{{"every", "boolean", desc}, {"score", "double precision", desc}}
	}
	return []OrderKey{{"score", "double precision", desc}}
}

// orderBy writes the order; prefix is put before each column.
func (b *Builder) orderBy(prefix string) string { return orderedBy(b.Order(), prefix) }

func orderedBy(keys []OrderKey, prefix string) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = prefix + k.Column
		if k.Desc {
			parts[i] += " DESC"
		}
		parts[i] += " NULLS LAST"
	}
	return "ORDER BY " + strings.Join(parts, ", ")
}

// After keeps the hits that come after the cursor: those that are equal in the first keys and further on in
// the next. It is written out, because some keys fall, some rise, and nulls come last either way.
func (b *Builder) After() string {
	c := b.Plan.After
	if c == nil {
		return ""
	}
	var conditions []string
	if len(c.Shown) > 0 {
		conditions = append(conditions, "_id <> ALL("+b.Args.Add(c.Shown, "text[]")+")")
	}
	if len(c.Place) > 0 {
		conditions = append(conditions, b.afterPlace(c.Place))
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

// afterPlace is the condition that a hit comes after a place in the order.
func (b *Builder) afterPlace(place []*string) string { return b.afterKeys(b.Order(), place) }

// afterKeys is the condition that a hit comes after a place by the first keys of the order.
func (b *Builder) afterKeys(keys []OrderKey, place []*string) string {
	var ways []string
	for i, k := range keys {
		operator := ">"
		if k.Desc {
			operator = "<"
		}
		if place[i] != nil {
			way := fmt.Sprintf("(%s %s %s OR %s IS NULL)", k.Column, operator, b.keyOf(k, place[i]), k.Column)
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
func (b *Builder) equalPlace(keys []OrderKey, place []*string) string {
	equal := make([]string, len(keys))
	for i, k := range keys {
		equal[i] = k.Column + " IS NOT DISTINCT FROM " + b.keyOf(k, place[i])
	}
	return strings.Join(equal, " AND ")
}

// keyOf writes a key of a place in the order.
func (b *Builder) keyOf(k OrderKey, value *string) string {
	return b.Args.Add(value, "text") + "::" + k.sqlType
}

// OrderOf is the order of the hits, where it is left out that documents with all words come before others.
func OrderOf(sh table.Shape, p *service.Plan) []OrderKey {
	keys := (&Builder{Shape: sh, Plan: p}).Order()
	if len(p.Terms) > 0 && p.Match == service.MatchAny && keys[0].Column == "every" && keys[0].Desc {
		keys = keys[1:]
	}
	return keys
}
