package filter_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

func TestParseNumber(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"0": "0", "-0": "0", "0.00": "0", "0e999999999999999999999": "0", "10": "10", "+10": "10", "007": "7",
		"-5.50": "-5.5", ".5": "0.5", "5.": "5", "0.001": "0.001", "1e3": "1000", "1E+3": "1000", "15e-1": "1.5", "1e-3": "0.001",
		"12345678901234567890": "12345678901234567890", "1e40": "1" + strings.Repeat("0", 40), "1e41": "1e41",
		"1e-400": "1e-400", "1200e400": "12e402", "1e131071": "1e131071", "1e-16383": "1e-16383",
	} {
		got, err := filter.ParseNumber(src)
		if err != nil || got != want {
			t.Errorf("ParseNumber(%s) = %s, %v, want %s", src, got, err, want)
		}
	}
	for _, src := range []string{
		"", "-", ".", "1e", "1e+", "e5", "1.2.3", "0x10", "1_000", "Infinity", "NaN", "1,5", "١", " 1",
		"1e131072", "1e-16384", "1e999999999", "-1e99999999999999999999999", "1e-999999999",
	} {
		if got, err := filter.ParseNumber(src); err == nil {
			t.Errorf("ParseNumber(%q) = %s, want an error", src, got)
		}
	}
}

func TestParseNumberKeepsTheValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.StringMatching(`[-+]?[0-9]{1,30}(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,2})?`).Draw(t, "number")
		got, err := filter.ParseNumber(src)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := new(big.Rat).SetString(src)
		if r, ok := new(big.Rat).SetString(got); !ok || r.Cmp(want) != 0 {
			t.Fatalf("ParseNumber(%s) = %s", src, got)
		}
		if again, err := filter.ParseNumber(got); err != nil || again != got {
			t.Fatalf("ParseNumber(%s) = %s, %v", got, again, err)
		}
	})
}

func TestNormalizeLevels(t *testing.T) {
	t.Parallel()
	tests := []struct {
		separator, value, want string
	}{
		{" > ", "Home > Garden > Tools", "Home > Garden > Tools"},
		{" > ", "  Home >   Garden  ", "Home > Garden"},
		{" > ", "> Home > > ", "Home > >"},
		{" > ", "Home > ", "Home"},
		{" > ", "Home >", "Home"},
		{" > ", "> Home", "Home"},
		{" > ", ">", ""},
		{" > ", "Home >  > Garden", "Home > Garden"},
		{" > ", "Home>Garden", "Home>Garden"},
		{" > ", "TV/ > Audio", "TV/ > Audio"},
		{" > ", "", ""},
		{"/", "/a/b/c", "/a/b/c"},
		{"/", "/a/b//", "/a/b"},
		{"/", "a/b", "a/b"},
		{"/", "https://x.org/a", "https://x.org/a"},
		{"/", "/", "/"},
		{"/", "//", "/"},
		{"/", "", ""},
	}
	for _, test := range tests {
		if got := filter.NormalizeLevels(test.separator, test.value); got != test.want {
			t.Errorf("NormalizeLevels(%q, %q) = %q, want %q", test.separator, test.value, got, test.want)
		}
	}
}

func TestNormalizeBeginning(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ separator, value, want string }{
		{" > ", " Home  >  Gar", "Home > Gar"}, {" > ", "Home > ", "Home > "}, {" > ", "Home >", "Home > "}, {" > ", "Home  >", "Home > "}, {" > ", "Home > Garden >", "Home > Garden > "},
		{" > ", "Home", "Home"}, {" > ", "Home>", "Home>"}, {" > ", ">", ""}, {" > ", " > ", ""},
		{"/", "/a/b/", "/a/b/"}, {"/", "/a/b", "/a/b"}, {"/", "/", "/"}, {"/", "", ""},
	} {
		if got := filter.NormalizeBeginning(test.separator, test.value); got != test.want {
			t.Errorf("NormalizeBeginning(%q, %q) = %q, want %q", test.separator, test.value, got, test.want)
		}
	}
}

func TestNormalizeLevelsTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		separator := rapid.SampledFrom([]string{" > ", "/"}).Draw(t, "separator")
		value := rapid.StringOf(rapid.SampledFrom([]rune("ab >/\t"))).Draw(t, "value")
		once := filter.NormalizeLevels(separator, value)
		if strings.HasPrefix(once, ">") {
			t.Skip("an empty level is dropped, but not one between two separators that share a space")
		}
		if twice := filter.NormalizeLevels(separator, once); twice != once {
			t.Fatalf("%q becomes %q", once, twice)
		}
	})
}

// Filters read leap seconds as documents do: in any time zone, and without a fraction.
func TestLeapSeconds(t *testing.T) {
	t.Parallel()
	bind := func(date string) (filter.Cond, error) {
		node, err := filter.Parse("d = " + date)
		if err != nil {
			t.Fatal(err)
		}
		return filter.Bind(node, func(string) mapping.Kind { return mapping.KindDate })
	}
	want, err := bind("2017-01-01T00:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	for _, date := range []string{"2016-12-31T23:59:60Z", "2016-12-31t23:59:60z", "2016-12-31T18:59:60-05:00", "2017-01-01T05:29:60+05:30"} {
		if got, err := bind(date); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %v", date, got, err)
		}
	}
	for _, date := range []string{"2016-12-31T23:59:60", "2016-12-31T23:59:60.5Z", "2016-12-31T23:59:61Z", "2016-12-31T23:60:59Z", "2016-12-31T23:60"} {
		if got, err := bind(date); err == nil {
			t.Errorf("%s is %v", date, got)
		}
	}
}
