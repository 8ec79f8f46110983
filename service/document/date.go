package document

import (
	"time"

	"github.com/rowansearch/rowan/service/decimal"
)

// maxSecondDigits is how many digits a fraction of a second may have: nanoseconds. PostgreSQL keeps six; the others
// are cut off (rowan.to_instant) rather than rounded, so that no date moves into another year.
const maxSecondDigits = 9

// The first and last instant that a date may be, in milliseconds since 1970: the years 1 to 9999 in UTC.
var (
	firstMillisecond = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	lastMillisecond  = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() - 1
)

// isDate reports whether text is a date that exists, in one of the forms YYYY-MM-DD, YYYY-MM-DDThh:mm,
// YYYY-MM-DDThh:mm:ss (both UTC) or RFC 3339, and between the years 1 and 9999 in UTC. T and Z may be in lower
// case. Offsets go up to 15:59, as in PostgreSQL: no time zone has more than 14:00.
func isDate(text []byte) bool {
	p := dateParser{text: text, ok: true}
	year := p.number(4, 1, 9999)
	p.skip('-')
	month := p.number(2, 1, 12)
	p.skip('-')
	day := p.number(2, 1, 31)
	if !p.ok || day > daysIn(year, month) {
		return false
	}
	if len(p.text) == 0 {
		return true
	}
	p.skip('t')
	hour := p.number(2, 0, 23)
	p.skip(':')
	minute := p.number(2, 0, 59)
	if !p.ok || len(p.text) == 0 {
		return p.ok
	}
	p.skip(':')
	second := p.number(2, 0, 60)
	if !p.ok {
		return false
	}
	if len(p.text) == 0 {
		return second < 60
	}
	if p.text[0] == '.' {
		n := decimal.LeadingDigits(p.text[1:])
		p.text = p.text[1+n:]
		// PostgreSQL reads a leap second only as a whole.
		p.ok = n > 0 && n <= maxSecondDigits && second < 60
	}
	offset := p.offset()
	if !p.ok {
		return false
	}
	at := time.Date(year, time.Month(month), day, hour, minute, 0, 0, time.UTC).Add(-time.Duration(offset) * time.Minute)
	if second == 60 && (at.Hour() != 23 || at.Minute() != 59 || at.Year() == 9999) {
		return false
	}
	return at.Year() >= 1 && at.Year() <= 9999
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// dateParser consumes text from the left; ok turns false at the first thing that does not fit.
type dateParser struct {
	text []byte
	ok   bool
}

// number consumes exactly that many digits and returns their value, which must be between low and high.
func (p *dateParser) number(digits, low, high int) int {
	if !p.ok || len(p.text) < digits || decimal.LeadingDigits(p.text[:digits]) != digits {
		p.ok = false
		return 0
	}
	n := 0
	for _, c := range p.text[:digits] {
		n = n*10 + int(c-'0')
	}
	p.text = p.text[digits:]
	p.ok = n >= low && n <= high
	return n
}

// skip consumes one character: c, or for a letter also its capital.
func (p *dateParser) skip(c byte) {
	if !p.ok || len(p.text) == 0 || (p.text[0] != c && (c < 'a' || p.text[0]|0x20 != c)) {
		p.ok = false
		return
	}
	p.text = p.text[1:]
}

// offset consumes Z or ±hh:mm, which must end the text, and returns minutes east of UTC.
func (p *dateParser) offset() int {
	if !p.ok || len(p.text) == 0 {
		p.ok = false
		return 0
	}
	sign := 1
	switch p.text[0] {
	case 'Z', 'z':
		p.ok = len(p.text) == 1
		return 0
	case '-':
		sign = -1
	case '+':
	default:
		p.ok = false
		return 0
	}
	p.text = p.text[1:]
	hours := p.number(2, 0, 15)
	p.skip(':')
	minutes := p.number(2, 0, 59)
	p.ok = p.ok && len(p.text) == 0
	return sign * (hours*60 + minutes)
}

// isEpoch reports whether a number is a whole count of milliseconds since 1970, between the years 1 and 9999.
func isEpoch(d decimal.Number) bool {
	ms, ok := d.Int64()
	return ok && ms >= firstMillisecond && ms <= lastMillisecond
}
