package vectorrank

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// Place is a document's place in the order by score. First reports whether it has all words, if such documents come first.
type Place struct {
	ID    string
	First bool
	Score float64
}

// Compare orders documents as the statement does: by First, then by Score, the largest first, then by ID.
func (p Place) Compare(q Place) int {
	if p.First != q.First {
		if p.First {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(q.Score, p.Score), strings.Compare(p.ID, q.ID))
}

// Document is a ranked document, and what is shown of it if that has been read.
type Document struct {
	Place
	Seq   int64
	Every bool // it has all words
	Shown service.Document
	// Keys are the sort keys before the score, and Before is the rank that they give the document, from 1, equal for documents with equal keys. There
	// are none if the order is by score.
	Keys   []*string
	Before int64
}

// Page returns the hits of a plan's page of the ranked documents, without document bodies if these have not been read. It may reorder the list.
func Page(p *service.Plan, list []Document) []service.FoundHit {
	if p.After != nil {
		after, _ := AfterCursor(p)
		list = slices.DeleteFunc(slices.Clone(list), func(d Document) bool { return !after.has(d.Place) })
	}
	slices.SortFunc(list, func(x, y Document) int { return cmp.Or(cmp.Compare(x.Before, y.Before), x.Compare(y.Place)) })
	from := min(p.Offset, len(list))
	list = list[from:min(from+p.Limit, len(list))]
	var hits []service.FoundHit
	for _, d := range list {
		score := strconv.FormatFloat(d.Score, 'g', -1, 64)
		place := []*string{&score, &d.ID}
		if p.AllFirst() {
			first := strconv.FormatBool(d.First)
			place = append([]*string{&first}, place...)
		}
		place = append(d.Keys, place...)
		d.Shown.ID = d.ID
		hits = append(hits, service.FoundHit{Document: d.Shown, Score: d.Score, Place: place})
	}
	return hits
}

// After is the part of the order by score after a cursor.
type After struct {
	Shown []string // ids of hits that are not repeated
	Place *Place   // nil if the cursor has none
}

// AfterCursor parses the cursor of a plan, if it has one; ok is false if its place is not one in the order by score.
func AfterCursor(p *service.Plan) (a After, ok bool) {
	c := p.After
	if c == nil {
		return a, true
	}
	a.Shown = c.Shown
	place := c.Place
	if len(place) == 0 {
		return a, true
	}
	if slices.Contains(place, nil) {
		return a, false
	}
	a.Place = &Place{}
	var err error
	if p.AllFirst() {
		if a.Place.First, err = strconv.ParseBool(*place[0]); err != nil {
			return a, false
		}
		place = place[1:]
	}
	if len(place) != 2 {
		return a, false
	}
	a.Place.Score, err = strconv.ParseFloat(*place[0], 64)
	a.Place.ID = *place[1]
	return a, err == nil
}

func (a After) has(d Place) bool {
	return (a.Place == nil || a.Place.Compare(d) < 0) && !slices.Contains(a.Shown, d.ID)
}
