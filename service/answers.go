package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rowansearch/rowan/service/remembered"
)

// Many people search for the same: the answer to what is asked for again is remembered, with the state of the index
// that it is of. Whoever asks next gets it if the index is still in that state, which one short question to the
// database tells: a write on any server is found by the next search. What is asked for once is not remembered.
type answers struct {
	asked remembered.Map[string, struct{}]
	known remembered.Map[string, answer]
}

type answer struct {
	state    State
	response *SearchResponse // nobody changes it
	size     int
}

const (
	// answerLife is how long an answer is used, which is as long as the rarities that its scores are made of.
	answerLife = time.Minute
	// maxAnswers and maxAsked bound the memory for answers and for what was asked for, in bytes.
	maxAnswers, maxAsked = 6 << 20, 1 << 20
)

func newAnswers() *answers {
	return &answers{
		asked: remembered.Map[string, struct{}]{Life: answerLife, Room: maxAsked, Weigh: func(k string, _ struct{}) int { return len(k) + 64 }},
		known: remembered.Map[string, answer]{Life: answerLife, Room: maxAnswers, Weigh: func(k string, a answer) int { return len(k) + a.size }},
	}
}

// asking is one search on its way through the memory of answers.
type asking struct {
	answers *answers
	key     string
	state   State // before the search looks at anything; the zero State if its answer is not to be remembered
}

// ask looks for the answer of a search; response is nil where it is not known. The search shall go on then, and what it
// has found be kept.
func (a *answers) ask(ctx context.Context, store Store, who Principal, target *Target, name string, req SearchRequest) (_ *asking, response *SearchResponse, err error) {
	q := &asking{answers: a}
	if req.Cursor != "" || req.Explain || target.Version == AnyVersion {
		return q, nil, nil // nobody asks for these twice, nor gets what was found while the catalog changed
	}
	q.key = answerKey(who, target, name, req)
	if _, again := a.asked.Get(q.key); !again {
		a.asked.Put(q.key, struct{}{})
		return q, nil, nil
	}
	if q.state, err = store.State(ctx, target.Index, target.Version); err != nil {
		return nil, nil, err
	}
	known, ok := a.known.Get(q.key)
	if !ok || known.state != q.state {
		return q, nil, nil
	}
	if err := Hold(ctx, known.size); err != nil {
		return nil, nil, err
	}
	copied := *known.response
	return q, &copied, nil
}

// answerKey is all that an answer depends on but the state of the index.
func answerKey(who Principal, target *Target, name string, req SearchRequest) string {
	return fmt.Sprintf("%d %d %q %q %q %q %q %q %s %s %s %t %q %s %q", target.Index.ID, target.Version, who.Filter, name, req.Query, req.Match,
		req.Filter.Raw, req.Filters.Raw, optional(req.Page), optional(req.PerPage), optional(req.Facets.Expression), req.Facets.Names == nil, req.Facets.Names, optional(req.Sort), req.Disjunctive)
}

// optional spells what may be absent.
func optional[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%q", fmt.Sprint(*v))
}

// keep remembers the answer, unless its state is not known.
func (q *asking) keep(response *SearchResponse) {
	if q.state != (State{}) {
		copied := *response
		q.answers.known.Put(q.key, answer{q.state, &copied, response.size()})
	}
}

// size is about how many bytes of memory a response takes.
func (r *SearchResponse) size() int {
	n := 1024 + len(r.Query) + len(r.Sort) + len(r.Filter) + len(r.Filters) + len(r.Cursor) + sizeOfStrings(r.Autocomplete) + sizeOfStrings(r.Params.Fields)
	for _, h := range r.Hits {
		n += 256 + 2*len(h.ID) + h.Document.Size() + sizeOfHighlight(h.Highlight)
	}
	for name, values := range r.Facets {
		n += 2*sizeOfString + len(name)
		for _, v := range values {
			n += 2*sizeOfString + sizeOfValue(v.Value)
		}
	}
	for name, stats := range r.FacetStats {
		n += 4*sizeOfString + len(name) + sizeOfValue(stats.Min) + sizeOfValue(stats.Max) + sizeOfValue(stats.Avg)
	}
	return n
}

// sizeOfHighlight is about how many bytes of memory the highlights of a hit take.
func sizeOfHighlight(marked map[string][]string) (n int) {
	for name, fragments := range marked {
		n += 2*sizeOfString + len(name) + sizeOfStrings(fragments)
	}
	return n
}

// size is about how many bytes of memory an explanation takes.
func (e *Explanation) size() (n int) {
	for _, word := range e.Words {
		n += 4*sizeOfString + len(word.Word) + sizeOfString*len(word.Fields)
	}
	return n
}

// sizeOfValue is how many bytes the text of a facet's value has: numbers have many digits.
func sizeOfValue(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case json.RawMessage:
		return len(v)
	}
	return 0
}
