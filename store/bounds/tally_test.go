package bounds_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/bounds"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/tsquery"
)

// someSearch is a search for three words, each with an alternative, in a title and a text.
func someSearch() bounds.Query {
	p := &service.Plan{Match: service.MatchAll, All: true, Limit: 10, Fields: []service.Field{
		{Name: "title", Analysis: mapping.Plain, Weight: 2, Title: true},
		{Name: "text", Analysis: mapping.Plain, Weight: 1},
	}}
	q := bounds.Query{Plan: p, Ranking: searchsql.Ranking{AverageLength: 80}, InPattern: []int{0, 1}, Places: map[string]int{posting.EveryDocument: 0}}
	for i := range 3 {
		var ways []service.Alternative
		for j := range 2 {
			lexeme := fmt.Sprintf("w%d%d", i, j)
			q.Places[lexeme] = len(q.Places)
			ways = append(ways, service.Alternative{Sequence: []service.Lexeme{{Text: lexeme}}, Factor: 1 - 0.5*float64(j)})
		}
		t := service.Term{Repeats: 1, Rarity: float64(1 + i), Alternatives: map[mapping.Analysis][]service.Alternative{mapping.Plain: ways}}
		p.Terms = append(p.Terms, t)
		q.Terms = append(q.Terms, bounds.NewTerm(t, p, q.Ranking, func(string) bool { return true }, nil))
	}
	return q
}

// someBlock returns a block that has each lexeme of a search in two thirds of its documents, all of which match.
func someBlock(tb testing.TB, q bounds.Query, number int64, size int) *bounds.Block {
	tb.Helper()
	r := rand.New(rand.NewPCG(5, uint64(number)))
	b := &bounds.Block{First: number * int64(size), Postings: make([]posting.List, len(q.Places)), Found: posting.NewBitmap(size), Every: posting.NewBitmap(size)}
	every, lengths, boosts := make([]posting.Entry, size), make([]uint16, size), make([]float32, size)
	for offset := range size {
		b.Found.Set(offset)
		every[offset], lengths[offset], boosts[offset] = posting.Entry{Offset: uint16(offset)}, uint16(20+r.IntN(100)), 1
	}
	var ok bool
	if b.Postings[0], b.Measures, ok = posting.DecodeMeasures(size, posting.EncodeMeasures(every, lengths, boosts, size), size); !ok {
		tb.Fatal("the measures do not decode")
	}
	var coder posting.Coder
	coder.Patterns.Reset(2)
	for place := 1; place < len(b.Postings); place++ {
		var list []posting.Entry
		for offset := range size {
			if r.IntN(3) == 0 {
				continue
			}
			pattern, err := coder.Patterns.Place([]byte{byte(r.IntN(3)), byte(1 + r.IntN(9))})
			if err != nil {
				tb.Fatal(err)
			}
			list = append(list, posting.Entry{Offset: uint16(offset), Pattern: pattern})
		}
		if b.Postings[place], ok = posting.Decode(len(list), coder.Encode(list, size), size); !ok {
			tb.Fatal("postings do not decode")
		}
	}
	return b
}

// Bounds are computed for everything that is found, hundreds of thousands of documents: none allocates memory.
func TestBoundsTakeNoMemoryForEachDocument(t *testing.T) {
	const size = 4096
	q := someSearch()
	blocks := []*bounds.Block{someBlock(t, q, 0, size), someBlock(t, q, 1, size)}
	tally := bounds.New(q, blockvalues.NewSpace(size))
	best := func() {
		tally.Reset()
		if list, next, ok := tally.Best(blocks, 30, 150); len(list) != 30 || next < 0 || !ok {
			t.Fatal(list, next, ok)
		}
	}
	best()
	if n := testing.AllocsPerRun(5, best); n > 100 {
		t.Errorf("%v allocations for %d documents", n, 2*size)
	}
}

// The memory for phrases does not grow with the number of blocks, nor with how often bounds are computed.
func TestBoundsOfPhrasesTakeNoMemoryForEachBlock(t *testing.T) {
	const size = 4096
	q := someSearch()
	p := q.Plan
	phrase := service.Alternative{Sequence: []service.Lexeme{{Text: "w00"}, {Text: "w10"}}, Factor: 1}
	p.Terms[0].Alternatives[mapping.Plain] = []service.Alternative{phrase}
	p.Fields[0].Measured = true
	q.Places[posting.LengthsOf+"title"] = len(q.Places)
	q.Phrases = [][]string{{"w00", "w10"}}
	q.Terms[0] = bounds.NewTerm(p.Terms[0], p, q.Ranking, func(string) bool { return true }, map[string]int{tsquery.Sequence(phrase, true): 0})
	var blocks []*bounds.Block
	for i := range int64(4) {
		b := someBlock(t, q, i, size)
		b.Postings[q.Places[posting.LengthsOf+"title"]] = posting.List{Documents: size, Codes: bytes.Repeat([]byte{2, 0}, size)}
		b.Phrases = []posting.Bitmap{b.Found}
		blocks = append(blocks, b)
	}
	space := blockvalues.NewSpace(size)
	tally := bounds.New(q, space)
	given := 0
	for i := 1; i <= len(blocks); i++ {
		tally.Reset()
		if _, _, ok := tally.Best(blocks[:i], 30, 150); !ok {
			t.Fatal("bounds do not fit")
		}
		if i == 1 {
			given = space.Given()
		}
	}
	if n := space.Given(); n != given {
		t.Errorf("%d bitmaps are in use, %d after the first block", n, given)
	}
}

func BenchmarkBest(b *testing.B) {
	const size = 32768
	q := someSearch()
	blocks := []*bounds.Block{someBlock(b, q, 0, size)}
	tally := bounds.New(q, blockvalues.NewSpace(size))
	b.ReportAllocs()
	for b.Loop() {
		tally.Reset()
		if _, _, ok := tally.Best(blocks, 30, 150); !ok {
			b.Fatal("bounds do not fit")
		}
	}
}
