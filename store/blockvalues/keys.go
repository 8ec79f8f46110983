package blockvalues

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"
)

// KeyRange is a range of keys; a nil end is unbounded.
type KeyRange struct {
	Low, High         *string
	LowOpen, HighOpen bool
}

// below reports whether a key comes before the range.
func (r KeyRange) below(key string) bool {
	return r.Low != nil && (key < *r.Low || r.LowOpen && key == *r.Low)
}

// above reports whether a key comes after the range.
func (r KeyRange) above(key string) bool {
	return r.High != nil && (key > *r.High || r.HighOpen && key == *r.High)
}

// Has reports whether a key is in the range.
func (r KeyRange) Has(key string) bool { return !r.below(key) && !r.above(key) }

// exactDigits is the number of significant digits up to which different decimals are different floating-point numbers.
const exactDigits = 15

// NumberKey returns the key of a number in decimal notation. Keys order as the numbers do. ok is false if the number has more digits than a key can
// represent.
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

// RoundedKey returns the key of the double closest to a number in decimal notation, infinite beyond the largest double. Rounding preserves order: a
// smaller number never has a larger key.
func RoundedKey(text string) string {
	n, _ := strconv.ParseFloat(text, 64) // PostgreSQL has written the number, so the only possible error is that it is out of range
	return FloatKey(n)
}

// FloatKey returns the key of a double.
func FloatKey(n float64) string {
	u := math.Float64bits(n + 0) // negative zero becomes zero
	if u>>63 == 1 {
		u = ^u
	} else {
		u |= 1 << 63
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], u)
	return string(b[:])
}

// epoch is PostgreSQL's epoch.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// TimeKey returns the key of an instant: microseconds since PostgreSQL's epoch, encoded so that keys order as the instants do.
func TimeKey(t time.Time) string { return MicrosKey(t.UnixMicro() - epoch.UnixMicro()) }

// MicrosKey returns the key of an instant given in microseconds since PostgreSQL's epoch, as PostgreSQL sends it.
func MicrosKey(n int64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)^1<<63)
	return string(b[:])
}

// numberOf returns the number whose key FloatKey returned.
func numberOf(key uint64) float64 {
	if key>>63 == 1 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}

// AppendDecimal appends the number of a key as PostgreSQL writes it, without trailing zeros and with no more digits than identify the double.
func AppendDecimal(to []byte, key uint64) []byte {
	return strconv.AppendFloat(to, numberOf(key), 'f', -1, 64)
}

// The range of instants that facets show, in microseconds since 1970.
var (
	firstMicro = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	lastMicro  = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() - 1
)

// MicrosOf returns the instant of a key that TimeKey returned, in microseconds since 1970, limited to the years that facets show.
func MicrosOf(key uint64) int64 {
	micros := int64(key^1<<63) + epoch.UnixMicro()
	return min(max(micros, firstMicro), lastMicro)
}
