package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/filter/filtertest"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/storetest"
)

// drawDate draws an RFC 3339 time, or nearly one, often at the end of a second, a day and a year.
func drawDate(t *rapid.T) string {
	of := func(name string, list ...string) string { return rapid.SampledFrom(list).Draw(t, name) }
	digit := func(name string) string { return fmt.Sprintf("%02d", rapid.IntRange(0, 59).Draw(t, name)) }
	year := of("year", "0001", "1582", "1969", "1970", "1999", "2000", "2024", "9998", "9999", "9999")
	day := of("day", "12-31", "12-31", "01-01", "02-28", "02-29", "07-15")
	clock := of("clock", "23:59:59", "23:59:59", "00:00:00", "00:00:60", "23:59:60", digit("hour")[:1]+"1:"+digit("minute")+":"+digit("second"))
	fraction := ""
	if n := rapid.IntRange(0, 10).Draw(t, "digits"); n > 0 {
		fraction = "." + of("fraction", strings.Repeat("9", n), strings.Repeat("0", n), fmt.Sprintf("%010d", rapid.IntRange(0, 9_999_999_999).Draw(t, "random"))[:n])
	}
	return year + "-" + day + "T" + clock + fraction + of("zone", "Z", "Z", "", "+02:00", "-00:01", "-23:59", "+14:00")
}

// instantOf returns the instant that a date should stand for, by the simplest reading of the rule: digits beyond microseconds are dropped.
func instantOf(text string) (time.Time, bool) {
	rest, zone := text[:19], strings.TrimLeft(text[19:], ".0123456789")
	fraction := strings.TrimPrefix(text[19:len(text)-len(zone)], ".")
	layout := "2006-01-02T15:04:05Z07:00"
	if zone == "" {
		layout = strings.TrimSuffix(layout, "Z07:00")
	}
	leap := strings.HasSuffix(rest, ":60")
	at, err := time.Parse(layout, strings.Replace(rest, ":60", ":59", 1)+zone)
	if leap {
		at = at.Add(time.Second)
	}
	micros := 0
	for _, c := range (fraction + "000000")[:6] {
		micros = micros*10 + int(c-'0')
	}
	return at.Add(time.Duration(micros) * time.Microsecond).UTC(), err == nil
}

// A date that is accepted is the same instant in the columns and in a filter: the one written, truncated to microseconds.
func TestDatesAreCutToMicroseconds(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	schema := document.NewSchema([]mapping.Mapping{{Name: "v", Type: mapping.Date}})
	kinds := filtertest.KindOf(map[string]mapping.Type{"v": mapping.Date})
	taken := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := drawDate(rt)
		body, err := json.Marshal(map[string]string{"v": text})
		if err != nil {
			rt.Fatal(err)
		}
		var stored *time.Time
		if err := db.Pool.QueryRow(t.Context(), "SELECT rowan.date_value($1::jsonb -> 'v')", string(body)).Scan(&stored); err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		if stored != nil && (stored.UTC().Year() < 1 || stored.UTC().Year() > 9999) {
			rt.Errorf("%s is stored as %s", text, stored.UTC())
		}
		found, err := document.Scan(body, schema)
		if err != nil {
			rt.Fatal(err)
		}
		if len(found.Problems) > 0 {
			return
		}
		taken++
		want, ok := instantOf(text)
		if !ok || stored == nil || !stored.Equal(want) {
			rt.Fatalf("%s is stored as %v, not %s", text, stored, want)
		}
		node, err := filter.Parse(`v = "` + text + `"`)
		if err != nil {
			rt.Fatal(err)
		}
		cond, err := filter.Bind(node, kinds)
		if err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		if equal, ok := cond.(filter.Equal); !ok || len(equal.Values) != 1 || !equal.Values[0].Time.Equal(want) {
			rt.Fatalf("%s is %v to a filter, not %s", text, cond, want)
		}
	})
	if taken == 0 {
		t.Error("no date was taken")
	}
}

func TestInstantsOfMilliseconds(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	for number, want := range map[string]string{
		"0": "1970-01-01T00:00:00Z", "-1": "1969-12-31T23:59:59.999Z", "1714521600123": "2024-05-01T00:00:00.123Z", "-1714521600123": "1915-09-02T23:59:59.877Z",
		"-62135596800000": "0001-01-01T00:00:00Z", "253402300799999": "9999-12-31T23:59:59.999Z", "-62135596800001": "", "253402300800000": "",
		// Documents may have these from before the property had a mapping.
		"253402300799999.99999999999999999999999": "9999-12-31T23:59:59.999999Z", "1714521599999.9999": "2024-04-30T23:59:59.999999Z",
		"-0.0001": "1969-12-31T23:59:59.999999Z", "0.0019": "1970-01-01T00:00:00.000001Z", "-62135596800000.0001": "",
	} {
		var at *time.Time
		if err := db.Pool.QueryRow(t.Context(), "SELECT rowan.from_millis($1::text::numeric)", number).Scan(&at); err != nil {
			t.Fatal(err)
		}
		got := ""
		if at != nil {
			got = at.UTC().Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%s is %q, not %q", number, got, want)
		}
	}
}

// Dates that stand for "never" are found and counted like any date.
func TestDatesAtTheEndOfTheYears(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "keys", "until date")
	s.put(t, "keys", "a", `{"until":"9999-12-31T23:59:59.9999999Z"}`, "b", `{"until":"9999-12-31T23:59:59.999999Z"}`, "c", `{"until":["9999-12-31T23:59:59.999Z","9999-12-31T23:59:59.9999995Z"]}`,
		"d", `{"until":"1969-12-31T23:59:59.9999999Z"}`, "e", `{"until":253402300799999}`)
	for query, want := range map[string]string{
		"until <= 9999": "a b c d e", "until = 9999-12-31": "a b c e", "until = 9999-12": "a b c e", "until < 1970": "d", "until = 1969-12-31": "d",
		`until = "9999-12-31T23:59:59.9999999Z"`: "a b c", `until >= "9999-12-31T23:59:59.999999Z"`: "a b c", "until = 253402300799999": "c e", `until > "9999-12-31T23:59:59.9999999Z"`: "",
	} {
		if got := s.found(t, "keys", filtered(query), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, not %q", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"until EXISTS":  `"1969-12-31T23:59:59.999999Z" "8661-08-31T19:59:59.999666Z" "9999-12-31T23:59:59.999999Z"`,
		"_id IN [a, b]": `"9999-12-31T23:59:59.999999Z" "9999-12-31T23:59:59.999999Z" "9999-12-31T23:59:59.999999Z"`,
		"_id = c":       `"9999-12-31T23:59:59.999Z" "9999-12-31T23:59:59.999499Z" "9999-12-31T23:59:59.999999Z"`,
		"_id = e":       `"9999-12-31T23:59:59.999Z" "9999-12-31T23:59:59.999Z" "9999-12-31T23:59:59.999Z"`,
	} {
		resp := s.search(t, "keys", filtered(query), withFacets("until"))
		stats := resp.FacetStats["until"]
		if got := fmt.Sprintf("%q %q %q", stats.Min, stats.Avg, stats.Max); got != want {
			t.Errorf("%s: %s, not %s", query, got, want)
		}
	}
}

// Dates that were rounded into the year 10000, or are before the year 1, because they were stored before such dates were limited, are counted like
// the first and last instant.
func TestFacetsOfDatesOutsideOfTheYears(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "keys", "until date")
	if _, err := s.db.Pool.Exec(t.Context(), `ALTER TABLE app_demo.keys ALTER COLUMN until DROP EXPRESSION, ALTER COLUMN until_all DROP EXPRESSION`); err != nil {
		t.Fatal(err)
	}
	s.put(t, "keys", "a", `{}`, "b", `{}`, "c", `{}`)
	if _, err := s.db.Pool.Exec(t.Context(), `UPDATE app_demo.keys SET until = CASE _id WHEN 'a' THEN '10000-01-01Z'::timestamptz WHEN 'b' THEN '0001-12-31 23:00Z BC'::timestamptz END,
		until_all = CASE _id WHEN 'c' THEN '{9999-12-31 23:59:59.999999Z,10000-01-01Z}'::timestamptz[] END`); err != nil {
		t.Fatal(err)
	}
	resp := s.search(t, "keys", withFacets("until"))
	if got, want := facet(t, resp, "until"), `"9999-12-31T23:59:59.999999Z"=3 "0001-01-01T00:00:00Z"=1`; got != want {
		t.Errorf("facet %s, not %s", got, want)
	}
}
