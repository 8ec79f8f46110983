package main

import (
	"cmp"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// class is a set of queries that find about equally many documents.
type class struct {
	name     string
	from, to int64 // documents that have all words
	queries  []string
}

// classesOf returns the classes of a corpus of n documents: the bounds are the same for all but small ones.
func classesOf(n int) []*class {
	documents := int64(n)
	common := min(28000, documents*28/100)
	medium := min(1000, documents*5/100)
	return []*class{
		{name: "rare", from: 1, to: min(99, medium-1)},
		{name: "medium", from: medium, to: min(9999, common-1)},
		{name: "common", from: common, to: documents},
	}
}

// filter is a keyword and a range of dates, each if the corpus has such a field.
type filter struct {
	field, value   string
	date, from, to string
}

// object is the filter as Rowan accepts it.
func (f filter) object() map[string]any {
	o := map[string]any{}
	if f.field != "" {
		o[f.field] = f.value
	}
	if f.date != "" {
		o[f.date] = map[string]string{"gte": f.from, "lte": f.to}
	}
	return o
}

// profile is what is learnt about a corpus while it is loaded.
type profile struct {
	titleField, textField, keyField, dateField string

	seen      int
	frequency map[string]int // of words, in the first documents
	titles    []string       // of some documents
	keys      map[string]int
	dates     []string
}

const (
	profiled  = 4000 // documents whose words are counted
	keptEvery = 20   // one title and one date is kept of so many documents
)

func newProfile(c *corpus) *profile {
	p := &profile{frequency: map[string]int{}, keys: map[string]int{}, titleField: c.suggested(), dateField: c.date()}
	if f := c.texts(); len(f) > 0 {
		p.textField = f[0]
	}
	if f := c.keywords(); len(f) > 0 {
		p.keyField = f[0]
	}
	return p
}

// see adds a document to the profile.
func (p *profile) see(d document) {
	var properties map[string]any
	if json.Unmarshal(d.body, &properties) != nil {
		return // the service will say so
	}
	text := func(field string) string { s, _ := properties[field].(string); return s }
	p.seen++
	if key := text(p.keyField); key != "" && len(p.keys) < 10000 {
		p.keys[key]++
	}
	if p.seen <= profiled {
		in := map[string]bool{}
		for _, w := range plainWords(text(p.titleField) + " " + text(p.textField)) {
			in[w] = true
		}
		for w := range in {
			p.frequency[w]++
		}
	}
	if p.seen%keptEvery == 1 {
		p.titles = append(p.titles, text(p.titleField))
		if len(text(p.dateField)) >= 10 {
			p.dates = append(p.dates, text(p.dateField)[:10])
		}
	}
}

// plainWords are the words of a text that consist of letters only.
func plainWords(text string) []string {
	return slices.DeleteFunc(strings.Fields(strings.ToLower(text)), func(w string) bool {
		return len(w) < 4 || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
	})
}

// filter keeps the most frequent value of the keyword and the middle half of the dates.
func (p *profile) filter() filter {
	var f filter
	for value, n := range p.keys {
		if best := p.keys[f.value]; n > best || n == best && value < f.value {
			f.field, f.value = p.keyField, value
		}
	}
	if len(p.dates) > 3 {
		slices.Sort(p.dates)
		f.date, f.from, f.to = p.dateField, p.dates[len(p.dates)/4], p.dates[len(p.dates)*3/4]
	}
	return f
}

// candidates makes an endless sequence of queries for a class from the documents' words.
func (p *profile) candidates(r *rand.Rand, class string) func() string {
	byFrequency := make([]string, 0, len(p.frequency))
	for w := range p.frequency {
		byFrequency = append(byFrequency, w)
	}
	slices.SortFunc(byFrequency, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.frequency[b], p.frequency[a]), cmp.Compare(a, b))
	})
	pick := func(from, to int) string {
		to = min(to, len(byFrequency))
		return byFrequency[min(from, to-1)+r.IntN(max(1, to-from))]
	}
	return func() string {
		switch class {
		case "rare":
			w := plainWords(p.titles[r.IntN(len(p.titles))])
			return strings.Join(w[:min(len(w), 3)], " ")
		case "medium":
			if r.IntN(3) == 0 {
				return pick(100, 1200)
			}
			return pick(0, 150) + " " + pick(20, 400)
		default:
			if r.IntN(2) == 0 {
				return pick(0, 60)
			}
			return pick(0, 40) + " " + pick(0, 40)
		}
	}
}

// attempts is how many generated queries are tried for each missing one.
const attempts = 25

// classify puts queries into their classes, at most n in each: first the given ones, then generated ones if those
// are too few. count tells how many documents have all words, and whether all words are searched.
func (p *profile) classify(ctx context.Context, classes []*class, given []string, seed uint64, n int,
	count func(ctx context.Context, text string) (total int64, searched bool, err error),
) error {
	known := map[string]bool{"": true}
	try := func(text string, only *class) error {
		if known[text] {
			return nil
		}
		known[text] = true
		total, searched, err := count(ctx, text)
		if err != nil || !searched {
			return err
		}
		for _, c := range classes {
			if total >= c.from && total <= c.to && len(c.queries) < n && (only == nil || c == only) {
				c.queries = append(c.queries, text)
			}
		}
		return nil
	}
	for _, text := range given {
		if err := try(text, nil); err != nil {
			return err
		}
	}
	if len(p.titles) == 0 || len(p.frequency) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 3))
	for _, c := range classes {
		next := p.candidates(r, c.name)
		for tried := (n - len(c.queries)) * attempts; tried > 0 && len(c.queries) < n; tried-- {
			if err := try(next(), c); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginnings are what somebody has typed of a title: 2 to 14 letters.
func (p *profile) beginnings(seed uint64, n int) []string {
	r := rand.New(rand.NewPCG(seed, 4))
	var out []string
	for range n * 3 {
		title := []rune(p.titles[r.IntN(len(p.titles))])
		if text := strings.TrimSpace(string(title[:min(len(title), 2+r.IntN(13))])); len(text) > 1 && len(out) < n {
			out = append(out, text)
		}
	}
	return out
}

// begun cuts the last word of a query to about half its length, but at least three letters.
func begun(text string) string {
	i := strings.LastIndexByte(text, ' ') + 1
	last := []rune(text[i:])
	if len(last) <= 3 {
		return text
	}
	return text[:i] + string(last[:max(3, (len(last)+1)/2)])
}
