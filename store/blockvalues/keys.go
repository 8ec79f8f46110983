package blockvalues

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"
)

// KeyRange is a range of keys; nil is no bound.
type KeyRange struct {
	Low, High         *string
	LowOpen, HighOpen bool
}

// below tells whether a key comes before the range.
func (r KeyRange) below(key string) bool {
	return r.Low != nil && (key < *r.Low || r.LowOpen && key == *r.Low)
}

// above tells whether a key comes after the range.
func (r KeyRange) above(key string) bool {
	return r.High != nil && (key > *r.High || r.HighOpen && key == *r.High)
}

// Has tells whether a key is in the range.
func (r KeyRange) Has(key string) bool { return !r.below(key) && !r.above(key) }

// exactDigits is how many digits a decimal may have for every other one to be another floating-point number.
const exactDigits = 15

// NumberKey is the key of a number in decimal notation, written so that keys order as numbers do. ok is false for one
// with more digits than its key could tell from others.
func NumberKey(text string) (key string, ok bool) {
	digits, significant := 0, false
	for _, c := range text {
		if c == 'e' || c == 'E' {
			break
		}
		if c >= '0' && c <= '9' {
			significant = significant || c != '0'
			if significant {
				digits++
			}
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || digits > exactDigits || significant && math.Abs(n) < 1e-290 {
		return "", false
	}
	return FloatKey(n), true
}

// RoundedKey is the key of the double next to a number in decimal notation, infinite beyond the largest: that of a smaller number
// is not larger.
func RoundedKey(text string) string {
	n, _ := strconv.ParseFloat(text, 64) // PostgreSQL has written it: the error is that of the range
	return FloatKey(n)
}

// FloatKey is the key of a double.
func FloatKey(n float64) string {
	u := math.Float64bits(n + 0) // the negative zero is the other one
	if u>>63 == 1 {
		u = ^u
	} else {
		u |= 1 << 63
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], u)
	return string(b[:])
}

// epoch is that of PostgreSQL.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// TimeKey is the key of an instant: microseconds since the epoch of PostgreSQL, so written that keys order as instants do.
func TimeKey(t time.Time) string { return MicrosKey(t.UnixMicro() - epoch.UnixMicro()) }

// MicrosKey is the key of an instant in microseconds since the epoch, as PostgreSQL sends it.
func MicrosKey(n int64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)^1<<63)
	return string(b[:])
}

// numberOf is the number of a key that FloatKey made.
func numberOf(key uint64) float64 {
	if key>>63 == 1 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}

// AppendDecimal writes the number of a key as PostgreSQL writes it without zeros at its end: it has no more digits than a
// floating-point number can tell apart.
func AppendDecimal(to []byte, key uint64) []byte {
	return strconv.AppendFloat(to, numberOf(key), 'f', -1, 64)
}

// The instants that facets show, in microseconds since 1970.
var (
	firstMicro = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	lastMicro  = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() - 1
)

// MicrosOf is the instant of a key that TimeKey made, in microseconds since 1970, within the years that facets show.
func MicrosOf(key uint64) int64 {
	micros := int64(key^1<<63) + epoch.UnixMicro()
	return min(max(micros, firstMicro), lastMicro)
}
