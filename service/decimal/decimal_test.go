package decimal_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/decimal"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"0": "0", "-0": "0", "0.00": "0", "0e999999999999999999999": "0", "10": "10", "+10": "10", "007": "7",
		"-5.50": "-5.5", ".5": "0.5", "5.": "5", "0.001": "0.001", "1e3": "1000", "1E+3": "1000", "15e-1": "1.5", "1e-3": "0.001",
		"12345678901234567890": "12345678901234567890", "1e40": "1" + strings.Repeat("0", 40), "1e41": "1e41",
		"1e-400": "1e-400", "1200e400": "12e402", "1e131071": "1e131071", "1e-16383": "1e-16383",
	} {
		got, err := decimal.Canonical(src)
		if err != nil || got != want {
			t.Errorf("Canonical(%s) = %s, %v, want %s", src, got, err, want)
		}
	}
	for _, src := range []string{
		"", "-", ".", "1e", "1e+", "e5", "1.2.3", "0x10", "1_000", "Infinity", "NaN", "1,5", "١", " 1",
		"1e131072", "1e-16384", "1e999999999", "-1e99999999999999999999999", "1e-999999999",
	} {
		if got, err := decimal.Canonical(src); err == nil {
			t.Errorf("Canonical(%q) = %s, want an error", src, got)
		}
	}
}

func TestCanonicalKeepsTheValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.StringMatching(`[-+]?[0-9]{1,30}(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,2})?`).Draw(t, "number")
		got, err := decimal.Canonical(src)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := new(big.Rat).SetString(src)
		if r, ok := new(big.Rat).SetString(got); !ok || r.Cmp(want) != 0 {
			t.Fatalf("Canonical(%s) = %s", src, got)
		}
		if again, err := decimal.Canonical(got); err != nil || again != got {
			t.Fatalf("Canonical(%s) = %s, %v", got, again, err)
		}
	})
}

func TestInt64(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]int64{
		"0": 0, "-0.00": 0, "0e5": 0, "1.0": 1, "1e2": 100, "-12": -12, "1.5e1": 15, "9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64,
		"-92233720368547758080e-1": math.MinInt64,
	} {
		d, _ := decimal.Parse([]byte(src))
		if got, ok := d.Int64(); !ok || got != want {
			t.Errorf("%s = %d, %t", src, got, ok)
		}
	}
	for _, src := range []string{"0.5", "1e-1", "12.34", "9223372036854775808", "-9223372036854775809", "1e19", "9e18446744073709551616", "1e-18446744073709551616"} {
		d, ok := decimal.Parse([]byte(src))
		if got, whole := d.Int64(); !ok || whole {
			t.Errorf("%s = %d", src, got)
		}
	}
}

func TestAtMostPowerOfTen(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{"0": true, "-5000": true, "0.001": true, "999.9": true, "1000.00": true, "1e3": true, "1000.01": false, "1001": false, "2000": false, "1e4": false} {
		d, _ := decimal.Parse([]byte(src))
		if got := d.AtMostPowerOfTen(3); got != want {
			t.Errorf("%s: %t", src, got)
		}
	}
}
