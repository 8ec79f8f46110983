package vectorrank_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// threeWords is a search for any of three words, each with another word, a prefix and a phrase as alternatives.
func threeWords() *service.Plan {
	p := &service.Plan{Index: &service.Index{}, Match: service.MatchAny, Threshold: 0.5, Fields: []service.Field{
		{Name: "title", Analysis: mapping.Plain, Weight: 2, Title: true, Measured: true},
		{Name: "text", Analysis: mapping.Plain, Weight: 1},
		{Name: "note", Analysis: mapping.Plain, Weight: 0.5},
	}}
	for i := range 3 {
		lexeme := func(tens int) service.Lexeme { return service.Lexeme{Text: fmt.Sprintf("w%d%d", tens, i)} }
		begun := lexeme(3)
		begun.Prefix = true
		p.Terms = append(p.Terms, service.Term{Repeats: 1, Rarity: float64(1 + i), Carried: float64(1 + i), Alternatives: map[mapping.Analysis][]service.Alternative{mapping.Plain: {
			{Sequence: []service.Lexeme{lexeme(1)}, Factor: 1},
			{Sequence: []service.Lexeme{lexeme(2)}, Factor: 0.5},
			{Sequence: []service.Lexeme{begun}, Factor: 0.5},
			{Sequence: []service.Lexeme{lexeme(4), lexeme(5)}, Factor: 0.75},
		}}})
	}
	return p
}

// someVector returns the vector of a text of the given number of words, in PostgreSQL's binary form.
func someVector(r *rand.Rand, words int) []byte {
	places := map[string][]int{}
	for i := range words {
		lexeme := fmt.Sprint("w", r.IntN(2*words))
		places[lexeme] = append(places[lexeme], i+1)
	}
	raw := binary.BigEndian.AppendUint32(nil, uint32(len(places)))
	for _, lexeme := range slices.Sorted(maps.Keys(places)) {
		raw = append(append(raw, lexeme...), 0)
		raw = binary.BigEndian.AppendUint16(raw, uint16(len(places[lexeme])))
		for _, place := range places[lexeme] {
			raw = binary.BigEndian.AppendUint16(raw, uint16(place))
		}
	}
	return raw
}

func someDocuments() (list [][][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		list = append(list, [][]byte{someVector(r, 8), someVector(r, 80), someVector(r, 20)})
	}
	return list
}

func rankerOf(tb testing.TB, p *service.Plan) *vectorrank.Ranker {
	tb.Helper()
	r, ok := vectorrank.New(p, searchsql.Ranking{AverageLength: 80})
	if !ok {
		tb.Fatal("vectors do not tell the scores")
	}
	return r
}

// A search ranks up to 20,000 documents: memory is only allocated for a document that is larger than all before.
func TestRankingTakesNoMemoryForEachDocument(t *testing.T) {
	r, documents := rankerOf(t, threeWords()), someDocuments()
	found := 0
	rankAll := func() {
		for _, vectors := range documents {
			score, _, ok, err := r.Rank(1, vectors)
			if err != nil || ok && score <= 0 {
				t.Fatal(score, err)
			}
			if ok {
				found++
			}
		}
	}
	rankAll()
	if found == 0 || found == len(documents) {
		t.Errorf("%d documents of %d have enough of the query", found, len(documents))
	}
	if n := testing.AllocsPerRun(3, rankAll); n > 0 {
		t.Errorf("%v allocations for %d documents", n, len(documents))
	}
}

// Bytes that are not a vector are rejected, and not read beyond their end.
func TestWhatIsNoVector(t *testing.T) {
	t.Parallel()
	vectors := someDocuments()[0]
	for n := 4; n < len(vectors[1]); n++ {
		cut := [][]byte{vectors[0], vectors[1][:n], vectors[2]}
		if _, _, _, err := rankerOf(t, threeWords()).Rank(1, cut); err == nil {
			t.Errorf("the first %d bytes of %d are a vector", n, len(vectors[1]))
		}
	}
}

// If a tsquery has a lexeme both as a whole and as a prefix, PostgreSQL merges the two into one, of either kind.
func TestAWordAndWhatGoesOnFromItTellNoScore(t *testing.T) {
	t.Parallel()
	p := threeWords()
	ways := p.Terms[1].Alternatives[mapping.Plain]
	ways[1].Sequence[0].Text = ways[2].Sequence[0].Text
	if _, ok := vectorrank.New(p, searchsql.Ranking{AverageLength: 80}); ok {
		t.Error("vectors tell the scores")
	}
}

func BenchmarkRank(b *testing.B) {
	r, documents := rankerOf(b, threeWords()), someDocuments()
	b.ReportAllocs()
	for b.Loop() {
		for _, vectors := range documents {
			if _, _, _, err := r.Rank(1, vectors); err != nil {
				b.Fatal(err)
			}
		}
	}
}
