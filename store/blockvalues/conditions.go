package blockvalues

import (
	"strconv"
	"time"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// KeysOfEqual returns the keys of the values of a condition; ok is false if a key does not represent its value completely.
func KeysOfEqual(f table.Field, c filter.Equal) (keys []string, ok bool) {
	if f.HasKey() {
		keys, long := searchsql.CutAll(searchsql.WholeTexts(f, c.Values))
		return keys, !long
	}
	for _, v := range c.Values {
		switch c.Kind {
		case mapping.KindBool:
			if v.Bool {
				keys = append(keys, "true")
			} else {
				keys = append(keys, "false")
			}
		case mapping.KindDate, mapping.KindNumber:
			key, ok := valueKey(c.Kind, v)
			if !ok {
				return nil, false
			}
			keys = append(keys, key)
		default:
			return nil, false
		}
	}
	return keys, true
}

// KeysWithin returns the keys of a range of dates, numbers or texts; ok is false if they do not represent its bounds completely.
func KeysWithin(c filter.Range) (r KeyRange, ok bool) {
	key := func(bound *filter.Value) (*string, bool) {
		if bound == nil {
			return nil, true
		}
		key, ok := valueKey(c.Kind, *bound)
		return &key, ok
	}
	low, lowOK := key(c.Low)
	high, highOK := key(c.High)
	return KeyRange{Low: low, High: high, LowOpen: c.LowOpen, HighOpen: c.HighOpen}, lowOK && highOK
}

// valueKey returns the key of a date, a number or a text.
func valueKey(kind mapping.Kind, v filter.Value) (key string, ok bool) {
	switch kind {
	case mapping.KindDate:
		return TimeKey(v.Time), true
	case mapping.KindFolded, mapping.KindExact:
		return searchsql.Cut(v.Text), true
	}
	return NumberKey(v.Number)
}

// KeyOfPlace returns the key of a value in a cursor as written by PostgreSQL; ok is false if the key does not represent it completely.
func KeyOfPlace(f table.Field, value *string) (k SortKey, ok bool) {
	switch {
	case value == nil:
		return SortKey{Null: true}, true
	case f.Info.Kind == mapping.KindDate:
		t, err := time.Parse("2006-01-02 15:04:05.999999Z07", *value)
		return SortKey{Key: TimeKey(t)}, err == nil
	case f.Type == mapping.Float:
		n, err := strconv.ParseFloat(*value, 64)
		return SortKey{Key: FloatKey(n)}, err == nil
	case f.Info.Kind == mapping.KindNumber:
		if k.Key, ok = NumberKey(*value); !ok {
			k.Key = RoundedKey(*value)
		}
		return k, ok
	}
	return SortKey{Key: *value}, true
}
