package filter_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

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
