package blockvalues_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
)

// Ranges of keys correspond to ranges of numbers, with each bound open and closed.
func TestRangesOfKeys(t *testing.T) {
	t.Parallel()
	if blockvalues.FloatKey(math.Copysign(0, -1)) != blockvalues.FloatKey(0) {
		t.Error("the two zeros have different keys")
	}
	numbers := []string{"-1e12", "-7.25", "-0", "0", "0.1", "0.2", "7", "70"}
	for _, low := range numbers {
		for _, high := range numbers {
			for open := range 4 {
				c := filter.Range{Kind: mapping.KindNumber, Low: &filter.Value{Number: low}, High: &filter.Value{Number: high}, LowOpen: open&1 != 0, HighOpen: open&2 != 0}
				keys, ok := blockvalues.KeysWithin(c)
				if !ok {
					t.Fatalf("%+v has no keys", c)
				}
				for _, number := range numbers {
					key, ok := blockvalues.NumberKey(number)
					n, from, to := parsed(t, number), parsed(t, low), parsed(t, high)
					want := (n > from || n == from && !c.LowOpen) && (n < to || n == to && !c.HighOpen)
					if !ok || keys.Has(key) != want {
						t.Errorf("%s between %s and %s, of which %02b are left out: %t", number, low, high, open, !want)
					}
				}
			}
		}
	}
}

func parsed(t *testing.T, number string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
