package service

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/rowansearch/rowan/service/query"
)

// Cursor is a place in a list of hits, with the values that its order depends on, so that the order stays the same while documents are being written.
type Cursor struct {
	// Place holds the values by which the last hit was ordered, as the store writes them; an element is nil if the
	// hit had no value. It is empty after a page that was not proven: then the list begins anew.
	Place []*string `json:"p,omitempty"`
	// Shown are the ids of the hits of such pages, which are not repeated.
	Shown []string `json:"s,omitempty"`
	// Gone are words that were planned as unknown words, or as their parts: see AskedWords. Split are the latter, with their parts.
	Gone  []string             `json:"g,omitempty"`
	Split map[string][2]string `json:"d,omitempty"`
	// Of is a hash of what was asked for, so that the cursor of one search is not taken for that of another.
	Of    uint32 `json:"o"`
	Match Match  `json:"m"`
	// Rarities are the rarities of the terms. Carried is what documents with each carry, if that differs.
	// AverageLength is the average length of the documents.
	Rarities      []float64 `json:"r,omitempty"`
	Carried       []float64 `json:"c,omitempty"`
	AverageLength float64   `json:"l,omitempty"`
	// Missing are the indexes of the terms that no document had.
	Missing []int `json:"n,omitempty"`
	// Shares are the shares of words other than the query's own.
	Shares *WordShares `json:"w,omitempty"`
}

// encode returns the cursor as clients get it.
func (c Cursor) encode() (string, error) {
	raw, err := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(raw), err
}

// decodeCursor reads what encode returns.
func decodeCursor(text string) (*Cursor, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	c := &Cursor{}
	return c, json.Unmarshal(raw, c)
}

// next returns the cursor to what follows the hits of a full page.
func (r *searchRun) next(found *Found) Cursor {
	// A compound that was split is not found as a compound of its parts either, if documents have it by then.
	gone := slices.AppendSeq(slices.Clone(r.gone), maps.Keys(r.split))
	slices.Sort(gone)
	c := Cursor{Gone: slices.Compact(gone), Split: r.split, Of: r.of, Match: found.Match, Rarities: found.Rarities, Carried: found.Carried, Missing: found.Missing, AverageLength: found.AverageLength, Shares: r.shares()}
	if r.plan.After != nil {
		c.Shown = r.plan.After.Shown
	}
	if !found.Unproven || r.plan.Offset > 0 {
		c.Place = found.Hits[len(found.Hits)-1].Place
		return c
	}
	for _, h := range found.Hits {
		c.Shown = append(c.Shown, h.Document.ID)
	}
	return c
}

// cursor reads the request's cursor into the plan.
func (r *searchRun) cursor() error {
	if r.req.Cursor == "" {
		return nil
	}
	c, err := decodeCursor(r.req.Cursor)
	if err != nil || !c.mayBe() {
		return Errorf(CodeInvalidRequest, "The cursor cannot be read.").With(
			FieldError{Location: "body.cursor", Message: "must be the cursor of an earlier response", Value: r.req.Cursor})
	}
	if c.Of != r.of {
		return ForeignCursor()
	}
	r.plan.After = c
	r.plan.Offset = 0
	return nil
}

// mostRare is above the rarity of any word: even one that none of 2^63 documents has is only as rare as 44.4.
const mostRare = 50

// mayBe reports whether c can be the cursor of a search: anybody may have made it up.
func (c *Cursor) mayBe() bool {
	noQuery := func(text string) bool { return len(text) > query.MaxBytes }
	noRarity := func(rarity float64) bool { return rarity < 0 || rarity > mostRare }
	return (c.Match == MatchAll || c.Match == MatchAny) &&
		len(c.Gone) <= query.MaxWords && !slices.ContainsFunc(c.Gone, noQuery) &&
		len(c.Split) <= query.MaxWords && !slices.ContainsFunc(slices.Collect(maps.Values(c.Split)), func(parts [2]string) bool { return slices.ContainsFunc(parts[:], noQuery) }) &&
		!slices.ContainsFunc(c.Rarities, noRarity) && !slices.ContainsFunc(c.Carried, noRarity) &&
		(c.Shares == nil || c.Shares.mayBe())
}

// asked returns a hash of what determines a list of hits and its order. It includes the values in force of what a
// request may leave to a definition, because the definition may change between two pages.
func (r *searchRun) asked(def *SearchDefinition) uint32 {
	h := fnv.New32a()
	for _, part := range []string{r.target.Index.Name, r.req.Query, r.sort, string(r.plan.Match)} {
		_, _ = h.Write([]byte(part + "\x00"))
	}
	_, _ = fmt.Fprint(h, r.typos, def.Fields) // a map is printed in the order of its keys
	return h.Sum32()
}

// ForeignCursor returns the error for a cursor that belongs to another search than the one that it was sent with.
func ForeignCursor() *Error {
	return Errorf(CodeInvalidRequest, "The cursor belongs to another search.").With(
		FieldError{Location: "body.cursor", Message: "must be the cursor of a response to the same query, with the same match and sort, over the same fields"})
}
