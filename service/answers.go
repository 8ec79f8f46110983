package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rowansearch/rowan/service/remembered"
)

// answers remembers the answers to searches, because many people search for the same: an answer is kept from the second
// time on that it is asked for, with the state of the index that it is from. The next search gets it if the index is still
// in that state, which takes one short query to the database: so a search finds what was written before it on any server.
type answers struct {
	asked remembered.Map[string, struct{}]
	known remembered.Map[string, answer]
}

type answer struct {
	state    State
	response *SearchResponse // never modified
	size     int
}

const (
	// answerLife is how long an answer is used: as long as the rarities from which its scores are computed.
	answerLife = time.Minute
	// maxAnswers and maxAsked bound the bytes of memory for answers and for what was asked for.
	maxAnswers, maxAsked = 6 << 20, 1 << 20
)

func newAnswers() *answers {
	return &answers{
		asked: remembered.Map[string, struct{}]{Life: answerLife, Room: maxAsked, Weigh: func(k string, _ struct{}) int { return len(k) + 64 }},
		known: remembered.Map[string, answer]{Life: answerLife, Room: maxAnswers, Weigh: func(k string, a answer) int { return len(k) + a.size }},
	}
}

// asking is one search on its way through the remembered answers.
type asking struct {
	answers *answers
	key     string
	state   State // as it was before the search read anything; the zero State if its answer is not to be remembered
}

// ask looks for the answer of a search; response is nil if it is not known. The caller should then run the search and keep what it finds.
func (a *answers) ask(ctx context.Context, store Store, who Principal, target *Target, name string, req SearchRequest) (_ *asking, response *SearchResponse, err error) {
	q := &asking{answers: a}
	if req.Cursor != "" || req.Explain || target.Version == AnyVersion {
		return q, nil, nil // nobody asks for these twice, and answers found while the catalog changed are not reused
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

// answerKey returns all that an answer depends on except the state of the index.
func answerKey(who Principal, target *Target, name string, req SearchRequest) string {
	return fmt.Sprintf("%d %d %q %q %q %q %q %q %s %s %s %t %q %s %q", target.Index.ID, target.Version, who.Filter, name, req.Query, req.Match,
		req.Filter.Raw, req.Filters.Raw, optional(req.Page), optional(req.PerPage), optional(req.Facets.Expression), req.Facets.Names == nil, req.Facets.Names, optional(req.Sort), req.Disjunctive)
}

// optional formats a value that may be absent.
func optional[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%q", fmt.Sprint(*v))
}

// keep remembers the answer if its state is known.
func (q *asking) keep(response *SearchResponse) {
	if q.state != (State{}) {
		copied := *response
		q.answers.known.Put(q.key, answer{q.state, &copied, response.size()})
	}
}

// size returns about how many bytes of memory a response takes.
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

// sizeOfHighlight returns about how many bytes of memory the highlights of a hit take.
func sizeOfHighlight(marked map[string][]string) (n int) {
	for name, fragments := range marked {
		n += 2*sizeOfString + len(name) + sizeOfStrings(fragments)
	}
	return n
}

// size returns about how many bytes of memory an explanation takes.
func (e *Explanation) size() (n int) {
	for _, word := range e.Words {
		n += 4*sizeOfString + len(word.Word) + sizeOfString*len(word.Fields)
	}
	return n
}

// sizeOfValue returns how many bytes the text of a facet's value has: numbers may have many digits.
func sizeOfValue(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case json.RawMessage:
		return len(v)
	}
	return 0
}
