package store

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/rowansearch/rowan/service"
)

// page makes the hits of a page of what was ranked, without their documents where these have not been read.
func page(p *service.Plan, list []rankedDocument) []service.FoundHit {
	if p.After != nil {
		after, _ := afterCursor(p)
		list = slices.DeleteFunc(slices.Clone(list), func(d rankedDocument) bool { return !after.has(d.placed) })
	}
	slices.SortFunc(list, func(x, y rankedDocument) int { return cmp.Or(cmp.Compare(x.before, y.before), x.compare(y.placed)) })
	from := min(p.Offset, len(list))
	list = list[from:min(from+p.Limit, len(list))]
	var hits []service.FoundHit
	for _, d := range list {
		score := strconv.FormatFloat(d.score, 'g', -1, 64)
		place := []*string{&score, &d.id}
		if p.AllFirst() {
			first := strconv.FormatBool(d.first)
			place = append([]*string{&first}, place...)
		}
		place = append(d.keys, place...)
		d.doc.ID = d.id
		hits = append(hits, service.FoundHit{Document: d.doc, Score: d.score, Place: place})
	}
	return hits
}

// after is what comes after a cursor in the order by score.
type after struct {
	shown []string
	place *placed // nil where the cursor has none
}

// afterCursor reads the cursor of a plan; ok is false where its place is none in the order by score.
func afterCursor(p *service.Plan) (a after, ok bool) {
	c := p.After
	if c == nil {
		return a, true
	}
	a.shown = c.Shown
	place := c.Place
	if len(place) == 0 {
		return a, true
	}
	if slices.Contains(place, nil) {
		return a, false
	}
	a.place = &placed{}
	var err error
	if p.AllFirst() {
		if a.place.first, err = strconv.ParseBool(*place[0]); err != nil {
			return a, false
		}
		place = place[1:]
	}
	if len(place) != 2 {
		return a, false
	}
	a.place.score, err = strconv.ParseFloat(*place[0], 64)
	a.place.id = *place[1]
	return a, err == nil
}

func (a after) has(d placed) bool {
	return (a.place == nil || a.place.compare(d) < 0) && !slices.Contains(a.shown, d.id)
}
