package blockvalues

import (
	"encoding/binary"
	"slices"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/table"
)

// EachValue calls add with the key and the spelling of every value in raw, which has the binary forms of table.Field.ValueColumns. exact is false if
// a number has too many digits for a key.
func EachValue(f table.Field, raw [][]byte, add func(key, spelling []byte)) (exact bool, err error) {
	exact = true
	if f.Info.Kind == mapping.KindNumber {
		one := func(text []byte) {
			if text == nil {
				return
			}
			if f.Type == mapping.Float {
				add([]byte(RoundedKey(string(text))), nil)
				return
			}
			key, ok := NumberKey(string(text))
			if !ok {
				exact = false
				return
			}
			add([]byte(key), nil)
		}
		one(raw[0])
		if raw[2] != nil {
			err = pgbinary.EachElement(raw[2], one)
		}
		return exact, err
	}
	if f.Info.Kind == mapping.KindDate {
		one := func(key []byte) {
			if len(key) == 8 {
				add([]byte(MicrosKey(int64(binary.BigEndian.Uint64(key)))), nil)
			}
		}
		one(raw[0])
		if raw[2] != nil {
			err = pgbinary.EachElement(raw[2], one)
		}
		return true, err
	}
	if raw[2] == nil {
		if raw[0] != nil {
			add(raw[0], raw[1])
		}
		return true, nil
	}
	var keys [][]byte
	if err := pgbinary.EachElement(raw[2], func(key []byte) { keys = append(keys, slices.Clone(key)) }); err != nil {
		return false, err
	}
	i := 0
	return true, pgbinary.EachElement(raw[3], func(spelling []byte) {
		if i < len(keys) && keys[i] != nil {
			add(keys[i], spelling)
		}
		i++
	})
}

// KeyInOrder returns the key by which a value is ordered, of which the first eight bytes count; exact says whether they represent it completely. raw
// is the value in PostgreSQL's binary form, numbers as text; nil means no value.
func KeyInOrder(f table.Field, raw []byte) (key []byte, exact bool) {
	switch {
	case raw == nil:
		return nil, true
	case f.Info.Kind == mapping.KindNumber:
		_, exact = NumberKey(string(raw))
		return []byte(RoundedKey(string(raw))), exact || f.Type == mapping.Float
	case f.Info.Kind == mapping.KindDate:
		return []byte(MicrosKey(int64(binary.BigEndian.Uint64(raw)))), true
	}
	return raw, false
}
