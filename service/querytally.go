package service

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// maxQueryText is how much of a query is kept, in characters.
	maxQueryText = 200
	// maxTexts is how many different texts are counted in an hour, and maxTextsOfOne how many of one application.
	// They bound the memory and the table, whatever is searched for.
	maxTexts      = 10000
	maxTextsOfOne = 5000

	// When people search while they type, each query but the last is the beginning of another: a query that is
	// continued by up to maxTyped characters within typingPause is not counted. It is not known whose query it was,
	// but each query takes back only one beginning, as a rule its own.
	typingPause = 2 * time.Second
	maxTyped    = 4
	// maxUnsettled bounds the queries that may still be continued.
	maxUnsettled = 2000
	// maxTypedBytes is the length of the longest query that somebody types.
	maxTypedBytes = 400
)

// foldQuery makes one text of the spellings of a query: lower case, no spaces around it, one between words, and
// only its first 200 characters. What PostgreSQL cannot store becomes a space.
func foldQuery(query string) string {
	var b strings.Builder
	space := false
	n := 0
	for _, r := range query {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError {
			space = n > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			n++
		}
		if n >= maxQueryText {
			break
		}
		b.WriteRune(unicode.ToLower(r))
		space = false
		n++
	}
	return strings.TrimSuffix(b.String(), " ")
}

// queryTally counts searches by their text. It is not safe for concurrent use.
type queryTally struct {
	// sampled decides for each search whether it is recorded.
	sampled func() bool
	// waiting are the searches that may still be continued, in the order in which they ended, and settled is how many came before
	// them; latest is, for each query, the place of the latest search that is not continued, counting those that are settled.
	waiting []waitingQuery
	settled int
	latest  map[typedQuery]int
	// texts are the texts counted in hour, and of is their number by application.
	hour  time.Time
	texts map[queryText]struct{}
	of    map[string]int

	counts map[queryHour]*QueryCount
	hours  map[applicationHour]*QueryHour
}

type queryText struct{ application, search, query string }

type queryHour struct {
	queryText
	hour int64 // in seconds, because time.Time should not be compared by ==
}

// typedQuery is a query as it was sent.
type typedQuery struct{ application, search, typed string }

type applicationHour struct {
	application string
	hour        int64
}

type waitingQuery struct {
	queryText
	typed     string // as it was sent; empty if it is too long to be typed
	at        time.Time
	took      time.Duration
	found     int64
	before    int // the place of the search before it that was typed the same and was not continued; -1 if there is none
	continued bool
}

func newQueryTally(sampled func() bool) *queryTally {
	return &queryTally{
		sampled: sampled, latest: map[typedQuery]int{}, texts: map[queryText]struct{}{}, of: map[string]int{},
		counts: map[queryHour]*QueryCount{}, hours: map[applicationHour]*QueryHour{},
	}
}

// add records a search that has ended now. text is its folded query.
func (t *queryTally) add(now time.Time, s Searched, text string) {
	w := waitingQuery{queryText: queryText{s.Application, s.Search, text}, at: now, took: s.Took, found: s.Total}
	if len(s.Query) <= maxTypedBytes {
		w.typed = s.Query
		t.continues(w)
	}
	if len(t.waiting) >= maxUnsettled {
		t.settle(t.waiting[maxUnsettled/2].at)
	}
	if w.typed != "" {
		w.before = -1
		if at, ok := t.latest[w.asTyped()]; ok {
			w.before = at
		}
		t.latest[w.asTyped()] = t.settled + len(t.waiting)
	}
	t.waiting = append(t.waiting, w)
}

func (w waitingQuery) asTyped() typedQuery { return typedQuery{w.application, w.search, w.typed} }

// continues takes back the latest query that w continues, if there is one.
func (t *queryTally) continues(w waitingQuery) {
	var earlier *waitingQuery
	begun := w.asTyped()
	for range maxTyped {
		_, size := utf8.DecodeLastRuneInString(begun.typed)
		if begun.typed = begun.typed[:len(begun.typed)-size]; begun.typed == "" {
			break
		}
		if at, ok := t.latest[begun]; ok {
			if q := &t.waiting[at-t.settled]; w.at.Sub(q.at) <= typingPause && (earlier == nil || q.at.After(earlier.at)) {
				earlier = q
			}
		}
	}
	if earlier == nil {
		return
	}
	earlier.continued = true
	if earlier.before >= t.settled {
		t.latest[earlier.asTyped()] = earlier.before
	} else {
		delete(t.latest, earlier.asTyped())
	}
}

// settle counts the waiting searches that ended by a time.
func (t *queryTally) settle(until time.Time) {
	n := 0
	for n < len(t.waiting) && !t.waiting[n].at.After(until) {
		w := &t.waiting[n]
		if !w.continued {
			t.count(w)
		}
		if at, ok := t.latest[w.asTyped()]; ok && at == t.settled+n {
			delete(t.latest, w.asTyped())
		}
		n++
	}
	t.settled += n
	t.waiting = slices.Delete(t.waiting, 0, n)
}

func (t *queryTally) count(w *waitingQuery) {
	hour := w.at.UTC().Truncate(time.Hour)
	if !hour.Equal(t.hour) {
		t.hour = hour
		clear(t.texts)
		clear(t.of)
	}
	all := applicationHour{w.application, hour.Unix()}
	if t.hours[all] == nil {
		t.hours[all] = &QueryHour{Application: w.application, Hour: hour}
	}
	t.hours[all].Searches++
	if !t.sampled() || !t.room(w.queryText) {
		return
	}
	t.hours[all].Recorded++
	key := queryHour{w.queryText, hour.Unix()}
	c := t.counts[key]
	if c == nil {
		c = &QueryCount{Application: w.application, Hour: hour, Search: w.search, Query: w.query}
		t.counts[key] = c
	}
	c.Searches++
	if w.found == 0 {
		c.NothingFound++
	}
	c.Total += w.took
	c.Max = max(c.Max, w.took)
	c.LastFound, c.LastAt = w.found, w.at.UTC()
}

// room reports whether a text is counted in this hour: it is already, or there is room for one more.
func (t *queryTally) room(text queryText) bool {
	if _, known := t.texts[text]; known {
		return true
	}
	if len(t.texts) >= maxTexts || t.of[text.application] >= maxTextsOfOne {
		return false
	}
	t.texts[text] = struct{}{}
	t.of[text.application]++
	return true
}

// take returns what was counted since it was last called, including the searches that ended by a time. The order is
// the same on every server, so that two servers that save at once lock the same rows in the same order.
func (t *queryTally) take(until time.Time) ([]QueryCount, []QueryHour) {
	t.settle(until)
	counts := make([]QueryCount, 0, len(t.counts))
	for _, c := range t.counts {
		counts = append(counts, *c)
	}
	slices.SortFunc(counts, func(a, b QueryCount) int {
		return cmp.Or(cmp.Compare(a.Application, b.Application), a.Hour.Compare(b.Hour), cmp.Compare(a.Search, b.Search), cmp.Compare(a.Query, b.Query))
	})
	hours := make([]QueryHour, 0, len(t.hours))
	for _, h := range t.hours {
		hours = append(hours, *h)
	}
	slices.SortFunc(hours, func(a, b QueryHour) int {
		return cmp.Or(cmp.Compare(a.Application, b.Application), a.Hour.Compare(b.Hour))
	})
	clear(t.counts)
	clear(t.hours)
	return counts, hours
}
