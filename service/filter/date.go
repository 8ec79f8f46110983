package filter

import (
	"regexp"
	"strings"
	"time"

	"github.com/rowansearch/rowan/service/decimal"
)

const dateFormats = "a date (2024-05-01, 2024-05, 2024, 2024-05-01T10:00:00Z or milliseconds since 1970)"

var instantPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?$`)

// parseDate reads a date: the span that it stands for begins at start and ends before end. An instant has
// no end (the zero time). Times are UTC and have the precision of PostgreSQL, a microsecond; further digits are cut
// off, as in documents (rowan.to_instant): rounded, the end of a year would fall into the next one.
//
// Four digits are a year, any other integer is milliseconds since 1970.
func parseDate(s string) (start, end time.Time, ok bool) {
	for _, span := range []struct {
		layout              string
		years, months, days int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {"2006-01-02", 0, 0, 1}} {
		if len(s) != len(span.layout) {
			continue
		}
		if t, err := time.Parse(span.layout, s); err == nil {
			return t, t.AddDate(span.years, span.months, span.days), inCalendar(t)
		}
	}
	t, ok := parseInstant(s)
	return t, time.Time{}, ok
}

func parseInstant(s string) (time.Time, bool) {
	if instantPattern.MatchString(s) {
		return parseTime(strings.ToUpper(s))
	}
	number, ok := decimal.Parse([]byte(s))
	if !ok {
		return time.Time{}, false
	}
	ms, ok := number.Int64()
	t := time.UnixMilli(ms).UTC()
	return t, ok && inCalendar(t)
}

// parseTime reads what instantPattern matches.
func parseTime(s string) (time.Time, bool) {
	var leap time.Duration
	if before, zone, ok := strings.Cut(s, ":60"); ok && len(before) == len("2006-01-02T15:04") && zone != "" && zone[0] != '.' {
		s, leap = before+":59"+zone, time.Second // the second after 59: PostgreSQL reads it, and Go does not
	}
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			t = t.UTC().Add(leap).Truncate(time.Microsecond)
			return t, inCalendar(t)
		}
	}
	return time.Time{}, false
}

// inCalendar reports whether the year is from 1 to 9999: PostgreSQL has no year 0.
func inCalendar(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }
