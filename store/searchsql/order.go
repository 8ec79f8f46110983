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
	Desc    bool // largest first
}

// sortColumns returns the columns of found that a sort key needs: sort<i>, and text<i> for values of mixed types.
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

// FirstValue returns the SQL of what a mapped field is ordered by: the smallest of its values, or the largest if desc is set.
func FirstValue(f table.Field, desc bool) string {
	first := "t." + f.Keys() + "[1]"
	switch {
	case desc:
		first = fmt.Sprintf("t.%s[cardinality(t.%s)]", f.Keys(), f.Keys())
	case f.Info.Kind == mapping.KindLevels:
		first = smallestWhole(f) // the keys include every level; the largest is a whole value, but the smallest is not
	}
	return "coalesce(t." + f.Key() + ", " + first + ")"
}

// smallestWhole returns the SQL of the smallest whole value of a field of levels with several values.
func smallestWhole(f table.Field) string {
	return "(SELECT min(v) FROM unnest(" + wholes(f) + ") AS v)"
}

// Order returns the order of the hits: the sort keys, then the score, then the id. In a field without a mapping, numbers come before texts.
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

// scores returns the order by score or, if nothing is searched for, by boost.
func (b *Builder) scores(desc bool) []OrderKey {
	switch {
	case len(b.Plan.Terms) == 0:
		return []OrderKey{{"_boost", "double precision", desc}}
	case b.Plan.AllFirst():
		return []OrderKey{{"every", "boolean", desc}, {"score", "double precision", desc}}
	}
	return []OrderKey{{"score", "double precision", desc}}
}

// orderBy returns the ORDER BY clause; prefix is put before each column.
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

// After returns the condition that a hit comes after the cursor: it is equal in the first keys and comes later in the next. A row comparison would
// not do, because keys may be ascending or descending, and nulls come last in either direction.
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

// afterPlace returns the condition that a hit comes after a place in the order.
func (b *Builder) afterPlace(place []*string) string { return b.afterKeys(b.Order(), place) }

// afterKeys returns the condition that a hit comes after a place according to the first keys of the order.
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

// equalPlace returns the condition that a hit has the same keys as a place in the order.
func (b *Builder) equalPlace(keys []OrderKey, place []*string) string {
	equal := make([]string, len(keys))
	for i, k := range keys {
		equal[i] = k.Column + " IS NOT DISTINCT FROM " + b.keyOf(k, place[i])
	}
	return strings.Join(equal, " AND ")
}

// keyOf returns the SQL of a key of a place in the order.
func (b *Builder) keyOf(k OrderKey, value *string) string {
	return b.Args.Add(value, "text") + "::" + k.sqlType
}

// OrderOf returns the order of the hits, without the key that puts documents with all words before others.
func OrderOf(sh table.Shape, p *service.Plan) []OrderKey {
	keys := (&Builder{Shape: sh, Plan: p}).Order()
	if len(p.Terms) > 0 && p.Match == service.MatchAny && keys[0].Column == "every" && keys[0].Desc {
		keys = keys[1:]
	}
	return keys
}
